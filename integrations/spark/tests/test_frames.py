"""The frames of record batches, without a child."""

import struct
import unittest

import pyarrow as pa
from decant_spark.frames import CHUNK_BYTES, INPUT_HEAD, Frames


def read_frames(frames):
    """Returns the id, the status, the flags, the URL, the header fields and the content of each frame."""
    data = b"".join(bytes(chunk) for chunk, _ in frames.chunks(0, len(frames)))
    found = []
    while data:
        length, identifier, status, flags, reserved, url, fields = INPUT_HEAD.unpack_from(data)
        assert reserved == 0
        rest = data[INPUT_HEAD.size : 4 + length]
        found.append((identifier, status, flags, rest[:url], rest[url:][:fields], rest[url + fields :]))
        data = data[4 + length :]
    return found


def batch(**columns):
    return pa.RecordBatch.from_pydict(columns)


class FrameTests(unittest.TestCase):
    def test_a_frame_has_the_layout_of_the_program(self):
        rows = batch(content=[b"\x00\xff"], url=["http://é/"], headers=["A: b"], status=[404])
        frames = Frames(rows, content=0, url=1, headers=2, status=3)
        self.assertEqual(
            b"".join(bytes(chunk) for chunk, _ in frames.chunks(0, 1)),
            struct.pack("<IQHBBII", 20 + 10 + 5 + 2, 0, 404, 1, 0, 10, 5) + "http://é/".encode() + b"A: b\n\x00\xff",
        )

    def test_columns_may_be_missing_and_null(self):
        lines = pa.nulls(3, pa.string())
        rows = batch(content=["a", None, ""], url=[None, "u", None], headers=lines, status=[None, 1, 65535])
        self.assertEqual(
            read_frames(Frames(rows, content=0)),
            [(0, 0, 1, b"", b"", b"a"), (1, 0, 0, b"", b"", b""), (2, 0, 1, b"", b"", b"")],
        )
        self.assertEqual(
            read_frames(Frames(rows, content=0, url=1, headers=2, status=3)),
            [(0, 0, 1, b"", b"", b"a"), (1, 1, 0, b"u", b"", b""), (2, 65535, 1, b"", b"", b"")],
        )

    def test_every_type_of_text_is_read(self):
        for kind in (pa.binary(), pa.string(), pa.large_binary(), pa.large_string()):
            rows = batch(content=pa.array(["skipped", "a", None, "bc"], kind)).slice(1)
            self.assertEqual([frame[-1] for frame in read_frames(Frames(rows, content=0))], [b"a", b"", b"bc"], kind)
        for kind in (pa.binary(), pa.null()):
            rows = batch(content=pa.nulls(2, kind), status=[200, -1])
            empty = [(0, 0, 0, b"", b"", b""), (1, 0, 0, b"", b"", b"")]
            self.assertEqual(read_frames(Frames(rows, content=0)), empty, kind)
            self.assertEqual(len(read_frames(Frames(rows, content=0, status=1))), 1, kind)
        self.assertEqual(read_frames(Frames(rows.slice(0, 0), content=0)), [])

    def test_header_fields_are_a_map_a_list_or_lines(self):
        pairs = [[("skipped", "x")], [("A", "1"), ("B", "")], None, [], [("C", None), ("D", "é")]]
        lists = [entries and [{"value": value, "name": name} for name, value in entries] for entries in pairs]
        expected = [b"A: 1\nB: \n", b"", b"", "D: é\n".encode()]
        kinds = {
            pa.map_(pa.string(), pa.string()): pairs,
            pa.list_(pa.struct([("value", pa.string()), ("name", pa.string())])): lists,
            pa.string(): ["x", "A: 1\r\nB: \r\n\r\n", None, "", "D: é"],
        }
        for kind, values in kinds.items():
            # With and without nulls, which are read in different ways.
            for first, last in ((1, 5), (1, 2), (3, 4)):
                rows = batch(content=["a"] * 5, headers=pa.array(values, kind)).slice(first, last - first)
                fields = [frame[4].replace(b"\r", b"") for frame in read_frames(Frames(rows, content=0, headers=1))]
                self.assertEqual(fields, expected[first - 1 : last - 1], kind)

    def test_a_line_break_in_a_header_field_is_a_problem_of_its_row(self):
        pairs = [[("A", "1")], [("B", "2\nC: 3")], [("D\r", "4")]]
        rows = batch(content=["a", "b", "c"], headers=pa.array(pairs, pa.map_(pa.string(), pa.string())))
        frames = Frames(rows, content=0, headers=1)
        self.assertEqual([frame[0] for frame in read_frames(frames)], [0])
        self.assertEqual(sorted(frames.rejected), [1, 2])
        self.assertIn(b"'B' contains a line break", frames.rejected[1])

    def test_a_status_that_no_frame_can_have_is_a_problem_of_its_row(self):
        frames = Frames(batch(content=["a"] * 5, status=[200, 0, -1, None, 65536]), content=0, status=1)
        self.assertEqual([frame[:2] for frame in read_frames(frames)], [(0, 200), (3, 0)])
        self.assertEqual(sorted(frames.rejected), [1, 2, 4])
        self.assertIn(b'"detail":"the status 65536 is not a status code"', frames.rejected[4])

    def test_chunks_are_limited_and_long_content_is_not_copied(self):
        lengths = [10, CHUNK_BYTES - 100, 50, CHUNK_BYTES, 3 * CHUNK_BYTES, 1]
        rows = batch(content=[b"x" * length for length in lengths])
        frames = Frames(rows, content=0)
        chunks = list(frames.chunks(0, len(frames)))
        self.assertEqual([stop for _, stop in chunks], [2, 3, 4, 4, 5, 5, 6])
        self.assertEqual([len(frame[-1]) for frame in read_frames(frames)], lengths)
        self.assertLessEqual(max(len(chunk) for chunk, _ in chunks), 3 * CHUNK_BYTES)
        self.assertEqual(b"".join(bytes(chunk) for chunk, _ in frames.chunks(1, 2))[4:12], (1).to_bytes(8, "little"))


if __name__ == "__main__":
    unittest.main()
