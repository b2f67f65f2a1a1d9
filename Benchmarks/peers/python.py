"""Peers in Python, which measure one turn per request (see PeerConverter.swift): `python.py orjson`, `json`,
`xmltodict`."""

import json
import sys
import time


def converter(name):
    """Returns a function that reads and writes one document."""
    if name == "orjson":
        import orjson

        return lambda content: orjson.dumps(orjson.loads(content))
    if name == "xmltodict":
        import xmltodict

        return lambda content: json.dumps(xmltodict.parse(content), ensure_ascii=False).encode()
    return lambda content: json.dumps(json.loads(content), separators=(",", ":"), ensure_ascii=False).encode()


def main():
    normalize = converter(sys.argv[1])
    files = {}
    for question in sys.stdin:
        unit, seconds, path = question.rstrip("\n").split(" ", 2)
        if path not in files:
            with open(path, "rb") as file:
                content = file.read()
            files[path] = [line for line in content.split(b"\n") if line] if unit == "each" else [content]
        try:
            passes = []
            while not passes or sum(passes) < float(seconds):
                start = time.process_time()
                for document in files[path]:
                    normalize(document)
                passes.append(time.process_time() - start)
            passes.sort()
            print(passes[0], passes[len(passes) // 2], flush=True)
        except (ValueError, TypeError, RecursionError):
            print("-", flush=True)


main()
