"""Tables of upstream responses."""

import os

import pyarrow as pa
from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    ByteType,
    IntegerType,
    LongType,
    MapType,
    NullType,
    ShortType,
    StringType,
    StructField,
    StructType,
)

from .frames import Frames
from .normalizer import Normalizer, Rows
from .program import command

# The columns that are added.
_ADDED = [StructField(name, StringType()) for name in ("result", "code", "problem")]
# A record batch of the output ends after so many bytes of answers. A single answer may be longer.
_MAX_OUTPUT_BYTES = 32 << 20


def normalize(
    df,
    content="content",
    headers="headers",
    status="status",
    url="url",
    options=None,
    *,
    program="decant",
    keep=None,
    stall_seconds=300,
):
    """Normalizes each row of a table of upstream responses.

    Adds the columns `result` (the JSON text that `POST /v1/normalize` returns; null if there is a problem), `code` (of
    the problem) and `problem` (its JSON text). Errors of responses are rows; only a program that does not work ends the
    job.

    A column of the type void (`lit(None)`) is null in every row.

    - content: the name of the column with the content, binary or string. The only column that must exist.
    - headers: a map from names to values, an array of structures with `name` and `value`, or a string with a line
      `Name: value` per field.
    - status: an integer. Without one, 200 is assumed.
    - url: a string.
    - options: the options of `decant batch`, such as {"serializer": "json", "max-output-bytes": 1_000_000}.
    - program: the name of the program in PATH, or a path. A relative path with a slash is looked up in the files that
      were shipped with the job.
    - keep: the names of the columns of `df` that the result has; all by default. Without the content, less is copied.
    - stall_seconds: a child that neither reads nor writes for this time is ended, as if it had died.
    """
    if not stall_seconds > 0:
        raise ValueError("stall_seconds must be greater than 0")
    child = command(program, "frames", options)
    names = _Names(df)
    used = {
        "content": names.find(content, "content", _is_text, "binary or string"),
        "headers": names.find(headers, "headers", _is_fields, "a map, an array of structures, or a string"),
        "status": names.find(status, "status", _is_integer, "an integer"),
        "url": names.find(url, "url", _is_string, "a string"),
    }
    if used["content"] is None:
        raise ValueError(f"there is no column {content!r} with the content; the columns are {', '.join(df.columns)}")
    used = {
        name: index
        for name, index in used.items()
        if name == "content" or (index is not None and not _is_void(df.schema.fields[index].dataType))
    }
    kept = list(range(len(df.columns))) if keep is None else [names.index(name) for name in keep]
    needed = sorted({*kept, *used.values()})
    schema = StructType([df.schema.fields[index] for index in kept] + _ADDED)
    lower = [field.name.lower() for field in schema.fields]
    if len(set(lower)) < len(lower):
        repeated = sorted({name for name in lower if lower.count(name) > 1})
        raise ValueError(f"the result would have several columns {', '.join(map(repr, repeated))}: rename them")
    # The indices in the record batches.
    positions = {name: needed.index(index) for name, index in used.items()}
    kept = {df.schema.fields[index].name: needed.index(index) for index in kept}

    def normalize_batches(batches):
        normalizer = _normalizer(child, stall_seconds)
        for batch in batches:
            yield from _normalized(batch, positions, kept, normalizer)

    # mapInArrow resolves the names of its input as expressions: a name with a dot would be a field of a structure. The
    # columns are read by their positions, and have their names in the output.
    df = df.toDF(*(f"_{index}" for index in range(len(df.columns))))
    if len(needed) < len(df.columns):
        df = df.select(*(f"_{index}" for index in needed))
    return df.mapInArrow(normalize_batches, schema)


def _normalized(batch, positions, kept, normalizer):
    """Returns the kept columns of the record batch, by their names, with the added ones, in pieces whose size is
    limited."""
    frames = Frames(batch, **positions)
    rows = Rows(batch.num_rows, frames.rejected)
    written = 0
    for answered in normalizer.fill(frames, rows):
        if rows.size >= _MAX_OUTPUT_BYTES and answered < len(frames):
            # The frame that follows has not been answered. Rejected rows before it are complete.
            stop = frames.ids[answered]
            yield _with_answers(batch, kept, rows, written, stop)
            written, rows.size = stop, 0
    if written < batch.num_rows:
        yield _with_answers(batch, kept, rows, written, batch.num_rows)


def _with_answers(batch, kept, rows, start, stop):
    part = batch.slice(start, stop - start)
    columns = [part.column(index) for index in kept.values()]
    fields = [batch.schema.field(index).with_name(name) for name, index in kept.items()]
    for name, values in (("result", rows.results), ("code", rows.codes), ("problem", rows.problems)):
        columns.append(pa.array(values[start:stop], pa.string()))
        fields.append(pa.field(name, pa.string()))
        # The answers are not needed any longer.
        values[start:stop] = [None] * (stop - start)
    return pa.RecordBatch.from_arrays(columns, schema=pa.schema(fields))


# The child of this Python worker, which Spark uses for further tasks. A worker runs one task at a time.
_current = None


def _normalizer(child, stall_seconds):
    """Returns the normalizer of this process for a command. One for another command is ended."""
    global _current
    if _current is None or (_current.command, _current.stall_seconds) != (child, stall_seconds):
        if _current is not None:
            _current.end()
        _current = Normalizer(child, stall_seconds)
    return _current


def _forget():
    """After a fork, the child belongs to the other process."""
    global _current
    if _current is not None and _current.child is not None:
        _current.child.forget()
    _current = None


os.register_at_fork(after_in_child=_forget)


class _Names:
    """The columns of a table, whose names are compared without regard to case, as Spark does."""

    def __init__(self, df):
        self.fields = df.schema.fields

    def index(self, name):
        found = [index for index, field in enumerate(self.fields) if field.name == name] or [
            index for index, field in enumerate(self.fields) if field.name.lower() == name.lower()
        ]
        if len(found) != 1:
            columns = ", ".join(field.name for field in self.fields)
            count = "more than one" if found else "no"
            raise ValueError(f"there is {count} column {name!r}; the columns are {columns}")
        return found[0]

    def find(self, name, default, is_valid, expected):
        """Returns the index of a column; `None` if `name` is `None`, or if there is no column of the default name."""
        if name is None:
            return None
        if name == default and not any(field.name.lower() == name for field in self.fields):
            return None
        index = self.index(name)
        kind = self.fields[index].dataType
        if not is_valid(kind):
            raise TypeError(f"the column {name!r} must be {expected}; it is {kind.simpleString()}")
        return index


def _is_text(kind):
    return isinstance(kind, (BinaryType, StringType, NullType))


def _is_string(kind):
    return isinstance(kind, (StringType, NullType))


def _is_integer(kind):
    return isinstance(kind, (ByteType, ShortType, IntegerType, LongType, NullType))


def _is_fields(kind):
    if isinstance(kind, MapType):
        return _is_string(kind.keyType) and _is_string(kind.valueType)
    if isinstance(kind, ArrayType):
        element = kind.elementType
        return isinstance(element, NullType) or (
            isinstance(element, StructType)
            and {"name", "value"} <= set(element.names)
            and all(_is_string(element[name].dataType) for name in ("name", "value"))
        )
    return _is_string(kind)


def _is_void(kind):
    """Whether a column is null in every row, or has only header fields whose name or value is null."""
    if isinstance(kind, MapType):
        return _is_void(kind.keyType) or _is_void(kind.valueType)
    if isinstance(kind, ArrayType):
        return _is_void(kind.elementType)
    if isinstance(kind, StructType):
        return any(_is_void(kind[name].dataType) for name in ("name", "value"))
    return isinstance(kind, NullType)
