"""The frames that `decant batch --format=frames` reads and writes. Numbers are little-endian.

A frame of the input describes one response:

    u32 length of the rest | u64 id | u16 status, 0: not known | u8 flags, 1: there is content | u8 0
    | u32 length of the URL | u32 length of the header fields | URL | header fields | content

A frame of the output is the answer, in the order of the input:

    u32 length of the rest | u64 id | u8 kind, 0: result, 1: problem | u8 length of the code | code | JSON text
"""

import bisect
import itertools
import struct

import pyarrow as pa
import pyarrow.compute as pc

from .problems import INVALID_ITEM, problem

INPUT_HEAD = struct.Struct("<IQHBBII")
OUTPUT_HEAD = struct.Struct("<IQBB")
RESULT, PROBLEM = 0, 1

# The length of the chunks in which frames are written; content of this length is written without a copy.
CHUNK_BYTES = 256 << 10
_PARTS = 4


def frame(identifier, content=b"", url=b"", fields=b"", status=0):
    length = INPUT_HEAD.size - 4 + len(url) + len(fields) + len(content)
    return INPUT_HEAD.pack(length, identifier, status, 1, 0, len(url), len(fields)) + url + fields + content


class Frames:
    """The frames of the rows of a record batch. The id of a frame is the number of its row. A row that cannot be a
    response has no frame, but a problem in `rejected`."""

    def __init__(self, batch, content, headers=None, status=None, url=None):
        """Takes the columns by their indices; `None` if there is no such column."""
        count = batch.num_rows
        contents = _Texts(batch.column(content))
        urls = _Texts(batch.column(url)) if url is not None else None
        fields, self.rejected = _field_lines(batch.column(headers)) if headers is not None else (None, {})
        fields = _Texts(fields) if fields is not None else None
        statuses = self._statuses(batch.column(status)) if status is not None else itertools.repeat(0)

        pack, head_length = INPUT_HEAD.pack, INPUT_HEAD.size - 4
        flags = contents.valid or itertools.repeat(True)
        rejected = self.rejected
        self.ids, self.parts, lengths = [], [], []
        parts, empty = self.parts, b""
        addresses, all_lines = urls or itertools.repeat(empty), fields or itertools.repeat(empty)
        columns = zip(range(count), contents, addresses, all_lines, statuses, flags)
        for row, data, address, lines, number, has_content in columns:
            if row in rejected:
                continue
            url_length, fields_length = len(address), len(lines)
            length = head_length + url_length + fields_length + len(data)
            head = pack(length, row, number, has_content, 0, url_length, fields_length)
            parts += (head, address, lines, data)
            lengths.append(length + 4)
            self.ids.append(row)
        self.ends = list(itertools.accumulate(lengths))

    def __len__(self):
        return len(self.ids)

    def _statuses(self, column):
        statuses = column.fill_null(0).to_pylist() if column.null_count else column.to_pylist()
        if column.null_count < len(column) and not 0 < pc.min(column).as_py() <= pc.max(column).as_py() <= 0xFFFF:
            for row, (number, is_valid) in enumerate(zip(statuses, column.is_valid().to_pylist())):
                if is_valid and not 0 < number <= 0xFFFF:
                    statuses[row] = 0
                    self.rejected.setdefault(row, problem(INVALID_ITEM, f"the status {number} is not a status code"))
        return statuses

    def chunks(self, first, last):
        """Returns pieces of the frames first..<last, and the number of the frame that follows each of them."""
        while first < last:
            start = self.ends[first - 1] if first else 0
            stop = min(last, max(first + 1, bisect.bisect_right(self.ends, start + CHUNK_BYTES)))
            parts = self.parts[_PARTS * first : _PARTS * stop]
            if len(parts[-1]) >= CHUNK_BYTES:
                # A single frame.
                yield b"".join(parts[:-1]), stop
                yield parts[-1], stop
            else:
                yield b"".join(parts), stop
            first = stop


class _Texts:
    """The values of a column of text or bytes, without copies. A null is empty."""

    def __init__(self, array):
        kind = array.type
        if pa.types.is_binary(kind) or pa.types.is_string(kind):
            format, size = "i", 4
        elif pa.types.is_large_binary(kind) or pa.types.is_large_string(kind):
            format, size = "q", 8
        else:
            array, format, size = array.cast(pa.large_binary()), "q", 8
        _, offsets, data = array.buffers()
        start, count = array.offset, len(array)
        self.offsets = [0]
        if count:
            bytes_of_offsets = memoryview(offsets).cast("B")[start * size : (start + count + 1) * size]
            self.offsets = bytes_of_offsets.cast(format).tolist()
        self.data = memoryview(data).cast("B") if data is not None and data.size else memoryview(b"")
        self.valid = array.is_valid().to_pylist() if array.null_count else None
        self.array = array

    def __iter__(self):
        data, offsets = self.data, self.offsets
        if self.valid is None:
            return (data[start:stop] for start, stop in zip(offsets, offsets[1:]))
        return (
            data[start:stop] if is_valid else b"" for start, stop, is_valid in zip(offsets, offsets[1:], self.valid)
        )


def _field_lines(array):
    """Returns an array of header fields, as lines that are ended by LF, and the problems of rows whose names or values
    contain a line break."""
    if pa.types.is_map(array.type):
        entries = array.offsets, array.keys, array.items
    elif pa.types.is_list(array.type) or pa.types.is_large_list(array.type):
        structs = array.values
        names = [field.name for field in structs.type]
        name, value = ("name", "value") if {"name", "value"} <= set(names) else names[:2]
        entries = array.offsets, structs.field(name), structs.field(value)
        if structs.null_count:
            return _joined_slowly(array, name, value)
    else:
        return _ended_lines(array), {}
    offsets, names, values = entries
    # The offsets of a null may enclose values.
    has_nulls = array.null_count or names.null_count or values.null_count
    if has_nulls or _has_line_break(names) or _has_line_break(values):
        return _joined_slowly(array, *(() if pa.types.is_map(array.type) else (name, value)))
    lines = _with_line_ends(pc.binary_join_element_wise(names, values, pa.scalar(": ", names.type)))
    kind = pa.LargeListArray if offsets.type == pa.int64() else pa.ListArray
    return pc.binary_join(kind.from_arrays(offsets, lines), pa.scalar("", lines.type)), {}


def _has_line_break(array):
    return bool(pc.any(pc.match_substring_regex(array, "[\r\n]")).as_py())


def _joined_slowly(array, name=None, value=None):
    """Joins the fields of an array of maps or lists row by row. A field whose name or value is null is omitted."""
    lines, rejected = [], {}
    for row, entries in enumerate(array.to_pylist()):
        text = []
        for entry in entries or ():
            pair = entry if name is None else entry and (entry[name], entry[value])
            if not pair or pair[0] is None or pair[1] is None:
                continue
            if any(character in part for part in pair for character in "\r\n"):
                rejected[row] = problem(INVALID_ITEM, f"the header field {pair[0]!r} contains a line break")
            text.append(f"{pair[0]}: {pair[1]}\n")
        lines.append("".join(text))
    return pa.array(lines, pa.large_string()), rejected


def _ended_lines(array):
    """Ends the last line of each text with LF."""
    array = pc.utf8_rtrim(array.cast(pa.large_string()), "\r\n")
    return pc.if_else(pc.equal(pc.binary_length(array), 0), pa.scalar("", array.type), _with_line_ends(array))


def _with_line_ends(array):
    # The separator before an empty text.
    return pc.binary_join_element_wise(array, pa.scalar("", array.type), pa.scalar("\n", array.type))
