"""Calls Decant with the standard library only: python3 examples/caller.py"""

import json
import os
import pathlib
import urllib.error
import urllib.parse
import urllib.request

BASE = os.environ.get("DECANT_URL", "http://127.0.0.1:8080")
PHOTO = (pathlib.Path(__file__).parent / "photo.jpg").read_bytes()


def post(path, content, media_type, fields={}):
    request = urllib.request.Request(BASE + path, content, {"Content-Type": media_type, **fields})
    try:
        response = urllib.request.urlopen(request)
    except urllib.error.HTTPError as error:  # a rejection: application/problem+json
        response = error
    return response, response.read()


def post_json(path, content, media_type, fields={}):
    return json.loads(post(path, content, media_type, fields)[1])


def advice(problem):
    """What a caller does about a problem: it branches on `retryable`, then on `cause`."""
    if problem["retryable"]:  # after problem["upstream"]["retryAfter"] or the field Retry-After, if there is one
        return "try again later"
    match problem["cause"]:
        case "upstream-status":
            return f"handle the status {problem['upstream']['status']}"
        case "content" | "type":
            return "tell the upstream"
        case "request" | "access":
            return "correct this caller"
        case "limit":
            return "raise the limit, or do without"
        case _:  # "fetch", "service", and those that a later version adds
            return "tell the operator"


answer = post_json("/v1/normalize", b'{"name": "Ann", "email": null, "tags": ["a", "b"]}', "application/json")
print(f"JSON: {answer['value']['name']} has {len(answer['value']['tags'])} tags, nulls dropped: {answer['nullsDropped']}")

feed = b'<rss version="2.0"><channel><title>News</title><item><title>One</title></item></channel></rss>'
items = post_json("/v1/normalize", feed, "application/rss+xml")["value"]["rss"]["channel"]["item"]
print(f"XML: items: {len(items)}, the first is {items[0]['title']}")

target = "/v1/normalize?thumbnail=64x64&thumbnail=32x32,fit=cover"
image = post_json(target, PHOTO, "image/jpeg")["value"]
sizes = [f"{thumbnail['width']}x{thumbnail['height']}" for thumbnail in image["thumbnails"]]
print(f"image: {image['oriented']['width']}x{image['oriented']['height']}, thumbnails: {', '.join(sizes)}")

problem = post_json("/v1/normalize", b'{"error": ', "application/json", {"Upstream-Status": "500"})
codes = [link["code"] for link in problem["chain"]]
print(f"error: {problem['cause']} ({', '.join(codes)}), at byte {problem['chain'][1]['at']['byte']}: {advice(problem)}")

problem = post_json("/v1/normalize", b"[1, 2,]", "application/json")
query = urllib.parse.urlencode(problem["accepts"])  # {"option": "value"} that was tried with this content
answer = post_json("/v1/normalize?" + query, b"[1, 2,]", "application/json")
print(f"content: {problem['code']}: {advice(problem)}; with {query}: {len(answer['value'])} elements")

envelope = {"status": 404, "headers": [["content-type", "application/json"]], "body": {"text": '{"error": "no such user"}'}}
problem = post_json("/v1/normalize/envelope", json.dumps(envelope).encode(), "application/json")
print(f"envelope: {problem['code']}, value: {problem['value']['error']}: {advice(problem)}")

response, content = post("/v1/thumbnail?thumbnail=120x120,format=png", PHOTO, "image/jpeg")
source = f"{response.headers['Decant-Width']}x{response.headers['Decant-Height']}"
print(f"thumbnail: {response.headers['Content-Type']} of an image of {source}, is PNG: {str(content[1:4] == b'PNG').lower()}")
