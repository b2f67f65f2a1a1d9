"""Measures image thumbnails: Decant, libvips and libjpeg in turn, on the same file and in the same run.

    images.py DECANT JPEG FOLDER    the two programs, and a folder for generated images
    images.py vips FILE SIDE FORMAT SECONDS OUTPUT    one turn of libvips

Prints Markdown tables. Times are processor time of one thread, the best of all turns. Agreement is the PSNR of
premultiplied pixels in decibels.
"""

import os
import struct
import subprocess
import sys
import time
import zlib

import numpy
import pyvips

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from suites import suite

ROUNDS = 5
SECONDS = 0.4


def vips_turn(path, side, kind, seconds, output):
    pyvips.cache_set_max(0)
    content = open(path, "rb").read()
    best, end = 1e9, time.process_time() + seconds
    while time.process_time() < end:
        start = time.process_time()
        image = pyvips.Image.thumbnail_buffer(content, side, height=side)
        thumbnail = image.write_to_buffer(".png" if kind == "png" else ".jpg[Q=80]")
        best = min(best, time.process_time() - start)
    open(output, "wb").write(thumbnail)
    print(1e3 * best)


def numbers(*command):
    environment = dict(os.environ, VIPS_CONCURRENCY="1")
    output = subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout
    return [float(number) for number in output.split()]


def best(turns):
    """Returns the minimum of each number over all rounds. The commands take turns."""
    results = [[] for _ in turns]
    for _ in range(ROUNDS):
        for index, turn in enumerate(turns):
            results[index].append(numbers(*turn))
    return [[min(column) for column in zip(*rounds)] for rounds in results]


def premultiplied(image):
    if not image.hasalpha():
        image = image.bandjoin(255)
    memory = image.cast("uchar").write_to_memory()
    pixels = numpy.frombuffer(memory, dtype=numpy.uint8).reshape(image.height, image.width, 4).astype(float)
    pixels[..., :3] *= pixels[..., 3:] / 255
    return pixels


def decibels(first, second):
    error = ((first - second) ** 2).mean()
    return 99.0 if error == 0 else 10 * numpy.log10(255**2 / error)


def agreement(decant, path, kind, side, folder):
    """Returns the agreement of Decant's thumbnail with libvips', and of both with the whole image resampled in floating
    point."""
    output = os.path.join(folder, "thumbnail.png")
    numbers(decant, path, kind, f"{side}:png", "none", "0", output)
    ours = premultiplied(pyvips.Image.new_from_file(output))
    theirs = premultiplied(pyvips.Image.thumbnail(path, side, height=side))
    whole = pyvips.Image.new_from_file(path)
    if not whole.hasalpha():
        whole = whole.bandjoin(255)
    height, width, _ = ours.shape
    # A gap of 0 disables shrinking by boxes before the kernel.
    exact = whole.cast("float").premultiply().resize(width / whole.width, vscale=height / whole.height, gap=0)
    exact = numpy.ndarray(buffer=exact.write_to_memory(), dtype=numpy.float32, shape=(exact.height, exact.width, 4))
    exact = exact.clip(0, 255)
    if ours.shape != theirs.shape or ours.shape != exact.shape:
        return None
    return decibels(ours, theirs), decibels(ours, exact), decibels(theirs, exact)


def draw_large_images(folder, side=20_000):
    """Generates a PNG and a baseline JPEG of stripes row by row, so that neither is in memory as a whole."""
    png = os.path.join(folder, "large.png")
    if not os.path.exists(png):
        with open(png, "wb") as file:

            def chunk(name, data):
                file.write(struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data)))

            file.write(b"\x89PNG\r\n\x1a\n")
            chunk(b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0))
            deflate = zlib.compressobj(1)
            row = b"\0" + bytes(x * 255 // side for x in range(side) for _ in range(3))
            for _ in range(side):
                data = deflate.compress(row)
                if data:
                    chunk(b"IDAT", data)
            chunk(b"IDAT", deflate.flush())
            chunk(b"IEND", b"")
    jpeg = os.path.join(folder, "large.jpg")
    if not os.path.exists(jpeg):
        stripes = pyvips.Image.identity().copy(interpretation="b-w").resize(side / 256, vscale=side).bandjoin([40, 90])
        stripes.copy(interpretation="srgb").jpegsave(jpeg, Q=50)
    return png, jpeg


def main(decant, jpeg, folder):
    # Otherwise libvips would not notice that a file was rewritten.
    pyvips.cache_set_max(0)
    photo = suite("perf/2569067123_aca715a2ee_o.jpg")
    paper = suite("perf/alpha-premultiply-2048x1536-paper.png")
    script, seconds, scratch = os.path.abspath(__file__), str(SECONDS), os.path.join(folder, "vips.out")

    turns = [[decant, path, kind, "-", "facts", seconds] for path, kind in [(photo, "jpeg"), (paper, "png")]]
    print("| facts only | µs | result, bytes |")
    print("| --- | --: | --: |")
    for (milliseconds, length), turn in zip(best(turns), turns):
        print(f"| {turn[2]}, {os.path.getsize(turn[1])} bytes | {1e3 * milliseconds:.1f} | {length:.0f} |")

    print("\n| thumbnail | decant ms | libvips ms | ratio | libjpeg decode + encode ms | ratio |")
    print("| --- | --: | --: | --: | --: | --: |")
    for path, kind, side, floor in [
        (photo, "jpeg", 200, ("4", "200", "163")),
        (photo, "jpeg", 720, ("1", "720", "588")),
        (paper, "png", 200, None),
        (paper, "png", 720, None),
    ]:
        turns = [
            [decant, path, kind, f"{side}:{kind}", "none", seconds],
            [sys.executable, script, "vips", path, str(side), kind, seconds, scratch],
        ]
        if floor:
            turns.append([jpeg, path, *floor, seconds])
        (ours, _), (theirs,), *rest = best(turns)
        row = f"| {kind} → {side} | {ours:.1f} | {theirs:.1f} | {ours / theirs:.2f} × |"
        if rest:
            decode, encode = rest[0]
            row += f" {decode:.1f} + {encode:.1f} | {ours / (decode + encode):.2f} × |"
        print(row if rest else row + " – | – |")

    single = [decant, photo, "jpeg", "720", "none", seconds]
    several = [decant, photo, "jpeg", "720,360,100", "summary", seconds]
    (one, _), (all_of_them, _) = best([single, several])
    print(f"\n720, 360 and 100 with BlurHash and phash: {all_of_them:.1f} ms, {all_of_them / one:.2f} × 720 alone.")

    print("\n| image of 20 000 × 20 000 | ms | memory beyond the content, KiB |")
    print("| --- | --: | --: |")
    for path, kind in zip(draw_large_images(folder), ["png", "jpeg"]):
        milliseconds, extra = numbers(decant, path, kind, "256", "none", "0")
        print(f"| {kind} → 256 | {milliseconds:.0f} | {extra:.0f} |")

    print("\n| thumbnail | decant and libvips | decant and exact | libvips and exact |")
    print("| --- | --: | --: | --: |")
    for path, kind in [(photo, "jpeg"), (paper, "png")]:
        for side in (100, 200, 360, 500, 720, 1000):
            found = agreement(decant, path, kind, side, folder)
            row = " | ".join(f"{value:.1f} dB" for value in found) if found else "sizes differ | |"
            print(f"| {kind} → {side} | {row} |")


if __name__ == "__main__":
    if sys.argv[1] == "vips":
        vips_turn(sys.argv[2], int(sys.argv[3]), sys.argv[4], float(sys.argv[5]), sys.argv[6])
    else:
        main(*sys.argv[1:])
