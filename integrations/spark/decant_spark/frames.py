"""The frames that `decant batch --format=frames` reads and writes. Numbers are little-endian.

A frame of the input describes one response:

    u32 length of the rest | u64 id | u16 status, 0: not known | u8 flags, 1: there is content | u8 0
    | u32 length of the URL | u32 length of the header fields | URL | header fields | content

A frame of the output is the answer, in the order of the input:

    u32 length of the rest | u64 id | u8 kind, 0: result, 1: problem | u8 length of the code | code | JSON text
"""

import bisect
import struct

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from .problems import INVALID_ITEM, problem

INPUT_HEAD = struct.Struct("<IQHBBII")
OUTPUT_HEAD = struct.Struct("<IQBB")
RESULT, PROBLEM = 0, 1

# The length of the chunks in which frames are written; content of this length is written without a copy.
CHUNK_BYTES = 256 << 10
# The same as INPUT_HEAD.
_HEAD = np.dtype(
    [("length", "<u4"), ("id", "<u8"), ("status", "<u2"), ("flags", "u1"), ("reserved", "u1")]
    + [("url", "<u4"), ("fields", "<u4")]
)
_NOTHING = pa.scalar(b"", pa.large_binary())


def frame(identifier, content=b"", url=b"", fields=b"", status=0):
    length = INPUT_HEAD.size - 4 + len(url) + len(fields) + len(content)
    return INPUT_HEAD.pack(length, identifier, status, 1, 0, len(url), len(fields)) + url + fields + content


class Frames:
    """The frames of the rows of a record batch. The id of a frame is the number of its row. A row that cannot be a
    response has no frame, but a problem in `rejected`.

    The columns are joined by Arrow, a chunk at a time: a loop over the rows in Python costs four times as much, and a
    copy of all content needs memory."""

    def __init__(self, batch, content, headers=None, status=None, url=None):
        """Takes the columns by their indices; `None` if there is no such column."""
        heads = np.zeros(batch.num_rows, _HEAD)
        heads["id"] = np.arange(batch.num_rows)
        texts, self.rejected = {}, {}
        if url is not None:
            texts["url"] = batch.column(url)
        if headers is not None:
            texts["fields"], self.rejected = _field_lines(batch.column(headers))
        if status is not None:
            heads["status"] = self._statuses(batch.column(status))
        texts["content"] = batch.column(content)
        heads["flags"] = texts["content"].is_valid().to_numpy(zero_copy_only=False)
        texts = {name: text.cast(pa.large_binary()) for name, text in texts.items()}
        if self.rejected:
            kept = np.ones(batch.num_rows, bool)
            kept[list(self.rejected)] = False
            heads = heads[kept]
            texts = {name: text.filter(pa.array(kept)) for name, text in texts.items()}
        lengths = {name: _lengths(text) for name, text in texts.items()}
        for name in ("url", "fields"):
            heads[name] = lengths.get(name, 0)
        totals = sum(lengths.values()) + INPUT_HEAD.size
        heads["length"] = totals - 4
        self.ids = heads["id"].tolist()
        self.ends = np.cumsum(totals).tolist()
        self.content = texts["content"]
        self.parts = [_rows_of(heads), *texts.values()]

    def __len__(self):
        return len(self.ids)

    def _statuses(self, column):
        statuses = column.cast(pa.int64()).fill_null(0).to_numpy(zero_copy_only=False)
        is_valid = column.is_valid().to_numpy(zero_copy_only=False)
        is_wrong = is_valid & ((statuses <= 0) | (statuses > 0xFFFF))
        if not is_wrong.any():
            return statuses
        for row in np.flatnonzero(is_wrong).tolist():
            self.rejected.setdefault(row, problem(INVALID_ITEM, f"the status {statuses[row]} is not a status code"))
        return np.where(is_wrong, 0, statuses)

    def chunks(self, first, last):
        """Returns pieces of the frames first..<last, and the number of the frame that follows each of them."""
        while first < last:
            start = self.ends[first - 1] if first else 0
            stop = min(last, max(first + 1, bisect.bisect_right(self.ends, start + CHUNK_BYTES)))
            content = self.content[first].as_buffer() if stop == first + 1 else None
            if content is not None and content.size >= CHUNK_BYTES:
                yield self._joined(self.parts[:-1], first, stop), stop
                yield memoryview(content), stop
            else:
                yield self._joined(self.parts, first, stop), stop
            first = stop

    def _joined(self, parts, first, stop):
        """Returns the bytes of the frames first..<stop. A null is empty."""
        parts = [part.slice(first, stop - first) for part in parts]
        return memoryview(pc.binary_join_element_wise(*parts, _NOTHING, null_handling="replace").buffers()[2])


def _lengths(texts):
    return pc.binary_length(texts).fill_null(0).to_numpy(zero_copy_only=False)


def _rows_of(heads):
    """Returns an array of the bytes of each row."""
    offsets = np.arange(len(heads) + 1, dtype=np.int64) * heads.itemsize
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(heads.view(np.uint8))]
    return pa.Array.from_buffers(pa.large_binary(), len(heads), buffers)


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
    """Whether there is a line break in the bytes of an array of text, which may also contain unused ones."""
    data = array.buffers()[2]
    characters = np.frombuffer(data, np.uint8) if data is not None else np.zeros(0, np.uint8)
    return bool(((characters == 10) | (characters == 13)).any())


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
