"""Calls Decant with the client that openapi-python-client generates from the contract.

    make clients
    PYTHONPATH=.build/clients/python .build/clients/venv/bin/python examples/generated/caller.py
"""

import os
import pathlib

from decant_client import Client
from decant_client.api.normalize import normalize, normalize_envelope, normalize_value, thumbnail
from decant_client.models import Envelope, ImageValue, TextBody
from decant_client.types import File


def advice(problem):
    """What a caller does about a problem: it branches on `retryable`, then on `cause`."""
    if problem.retryable:  # after problem.upstream.retry_after or the field Retry-After, if there is one
        return "try again later"
    match problem.cause:
        case "upstream-status":
            return f"handle the status {problem.upstream.status}"
        case "content" | "type":
            return "tell the upstream"
        case "request" | "access":
            return "correct this caller"
        case "limit":
            return "raise the limit, or do without"
        case _:  # "fetch", "service", and those that a later version adds
            return "tell the operator"


client = Client(base_url=os.environ.get("DECANT_URL", "http://127.0.0.1:8080"))
photo = File(payload=(pathlib.Path(__file__).parent.parent / "photo.jpg").read_bytes())

user = File(payload=b'{"name": "Ann", "email": null, "tags": ["a", "b"]}')
answer = normalize.sync(client=client, body=user, type_="application/json")
print(f"JSON: {answer.value['name']} has {len(answer.value['tags'])} tags, nulls dropped: {answer.nulls_dropped}")

feed = File(payload=b'<rss version="2.0"><channel><title>News</title><item><title>One</title></item></channel></rss>')
items = normalize_value.sync(client=client, body=feed, type_="application/rss+xml")["rss"]["channel"]["item"]
print(f"XML: items: {len(items)}, the first is {items[0]['title']}")

answer = normalize.sync(client=client, body=photo, type_="image/jpeg", thumbnail=["64x64", "32x32,fit=cover"])
image = ImageValue.from_dict(answer.value)
sizes = [f"{thumbnail.width}x{thumbnail.height}" for thumbnail in image.thumbnails]
print(f"image: {image.oriented.width}x{image.oriented.height}, thumbnails: {', '.join(sizes)}")

broken = File(payload=b'{"error": ')
problem = normalize.sync(client=client, body=broken, type_="application/json", upstream_status=500)
codes = [link.code for link in problem.chain]
print(f"error: {problem.cause} ({', '.join(codes)}), at byte {problem.chain[1].at.byte}: {advice(problem)}")

broken = File(payload=b"[1, 2,]")
problem = normalize.sync(client=client, body=broken, type_="application/json")
# One option that was tried with this content: {"lenient": "trailing-commas"}.
accepts = problem.accepts.to_dict()
broken = File(payload=b"[1, 2,]")
answer = normalize.sync(client=client, body=broken, type_="application/json", **accepts)
query = "&".join(f"{name}={value}" for name, value in accepts.items())
print(f"content: {problem.code}: {advice(problem)}; with {query}: {len(answer.value)} elements")

headers = [["content-type", "application/json"]]
envelope = Envelope(status=404, headers=headers, body=TextBody(text='{"error": "no such user"}'))
problem = normalize_envelope.sync(client=client, body=envelope)
print(f"envelope: {problem.code}, value: {problem.value['error']}: {advice(problem)}")

response = thumbnail.sync_detailed(client=client, body=photo, type_="image/jpeg", thumbnail="120x120,format=png")
source = f"{response.headers['Decant-Width']}x{response.headers['Decant-Height']}"
is_png = str(response.content[1:4] == b"PNG").lower()
print(f"thumbnail: {response.headers['Content-Type']} of an image of {source}, is PNG: {is_png}")
