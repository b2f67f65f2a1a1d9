"""Web archives (WARC), which do not split: one task reads one file."""

import errno
import json
import os
import re
import select
import socket
import sys
import threading
import urllib.parse

import pyarrow as pa
from pyspark.sql.types import LongType, StringType, StructField, StructType

from .problems import PROCESS_ENDED, UNREADABLE_INPUT, problem
from .program import Process, ProgramError, command

# The number of times that the program is started for a file.
MAX_STARTS = 2
_READ_BYTES = 256 << 10
# PATH_MAX without NUL. A program cannot even be started with an argument that is much longer.
_MAX_PATH_BYTES = 4095
# A record batch of the output ends after so many rows, or bytes of answers. A single answer may be longer.
_MAX_ROWS, _MAX_OUTPUT_BYTES = 1000, 8 << 20

_SCHEMA = StructType(
    [
        StructField("file", StringType()),
        StructField("byte", LongType()),
        StructField("index", LongType()),
        StructField("id", StringType()),
        StructField("result", StringType()),
        StructField("code", StringType()),
        StructField("problem", StringType()),
    ]
)
_ARROW_SCHEMA = pa.schema(
    [
        pa.field("file", pa.string()),
        pa.field("byte", pa.int64()),
        pa.field("index", pa.int64()),
        *(pa.field(name, pa.string()) for name in ("id", "result", "code", "problem")),
    ]
)
# The scheme of a local path. Spark writes file:/a b in the source binaryFile, file:/a%20b in _metadata.file_path, and
# file:///a%20b in input_file_name(). It does not encode letters outside of ASCII, so that pyarrow rejects the URI.
_FILE_SCHEME = re.compile("file:(?://)?(?=/(?!/))")
_STRING = rb'"(?:[^"\\]|\\.)*"'
_ITEM = re.compile(
    rb'\{"index":(\d+)(?:,"id":(%s|[-+.\deE]+))?(?:,"file":%s)?,"byte":(\d+),"(result|problem)":' % (_STRING, _STRING)
)
_SUMMARY = b'{"summary":'


def read_warc(spark, paths, options=None, *, program="decant", open=None):
    """Normalizes the responses in web archives, plain or as members of gzip.

    Returns a table with the columns `file`, `byte` (the offset of the record, or of its member of gzip), `index` (the
    number of the response in its file), `id` (`WARC-Record-ID`), `result`, `code` and `problem`. A file that cannot be
    read to its end has a last row whose `index` is null, with the problem; the responses before it are rows. A path
    that is null or not text has only this row.

    - paths: paths as the executors open them, in a list or in the first column of a table. A URI such as s3://… or
      hdfs://… is opened with the file systems of pyarrow. file:/… and file:///… are local paths.
    - options: the options of `decant batch`.
    - program: as for `normalize`.
    - open: a function that returns a binary file object for a path. It is called in the task.
    """
    child = command(program, "warc", options)
    if isinstance(paths, (str, bytes, os.PathLike)):
        paths = [paths]
    elif hasattr(paths, "columns"):
        paths = [row[0] for row in paths.collect()]
    paths = [os.fsdecode(path) if isinstance(path, (bytes, os.PathLike)) else path for path in paths]

    def read_files(batches):
        for batch in batches:
            for number in batch.column(0).to_pylist():
                yield from _record_batches(paths[number], child, open)

    if not paths:
        return spark.createDataFrame([], _SCHEMA)
    return spark.range(0, len(paths), 1, len(paths)).mapInArrow(read_files, _SCHEMA)


def _record_batches(path, child, open):
    # Arrow has no text with surrogates, which stand for bytes of a path that are not UTF-8.
    file = None if path is None else str(path).encode("utf-8", "replace").decode()
    rows, size = [], 0
    for byte, index, identifier, is_problem, text in _items(path, child, open):
        answer = (None, json.loads(text)["code"], text) if is_problem else (text, None, None)
        rows.append((file, byte, index, identifier, *answer))
        size += len(text)
        if size >= _MAX_OUTPUT_BYTES or len(rows) >= _MAX_ROWS:
            yield _record_batch(rows)
            rows, size = [], 0
    if rows:
        yield _record_batch(rows)


def _record_batch(rows):
    columns = [pa.array(values, field.type) for values, field in zip(zip(*rows), _ARROW_SCHEMA)]
    return pa.RecordBatch.from_arrays(columns, schema=_ARROW_SCHEMA)


def _items(path, child, open):
    """Yields the items of a file: the offset, the index, the id, whether it is a problem, and the JSON text.

    If the program dies, the file is read again, and the items that were yielded are skipped.
    """
    count = 0
    for start in range(1, MAX_STARTS + 1):
        reading = _Reading(path, child, open)
        try:
            for byte, index, identifier, is_problem, text in reading.items():
                if index == count:
                    count += 1
                    yield byte, index, identifier, is_problem, text
        finally:
            reading.end()
        if reading.problem:
            yield None, None, None, True, reading.problem
        if reading.has_summary or reading.problem:
            return
        description = reading.process.description()
        print(f"decant_spark: {path}: the program {description}", file=sys.stderr, flush=True)
        if not reading.has_output and not reading.process.was_killed:
            # Wrong options, for example.
            raise ProgramError(f"{' '.join(child)} on {socket.gethostname()} {description}")
    detail = f"the program ended {start} times before the end of the file, after {count} responses: it {description}"
    yield None, None, None, True, problem(PROCESS_ENDED, detail)


class _Reading:
    """One child that reads a file."""

    def __init__(self, path, child, open):
        self.has_summary = self.has_output = False
        # The problem of the file, if it cannot be read to its end.
        self.problem = self.process = self.pump = None
        try:
            operand, source = _opened(path, open)
        except Exception as error:
            self.problem = _unreadable(path, error)
            return
        if operand is not None:
            self.process = Process([*child, "--", operand], has_input=False)
            return
        self.process = Process(child)
        self.pump = threading.Thread(target=self._copy, args=(path, source), daemon=True)
        self.pump.start()

    def _copy(self, path, source):
        """Writes a file object to the standard input of the child."""
        try:
            with source:
                while data := source.read(_READ_BYTES):
                    view = memoryview(data)
                    while view:
                        view = view[os.write(self.process.input, view) :]
        except BrokenPipeError:
            pass
        except Exception as error:
            self.problem = _unreadable(path, error)
        finally:
            self.process.close_input()

    def items(self):
        for line in self._lines():
            self.has_output = True
            if line.startswith(_SUMMARY):
                self.has_summary = True
                summary = json.loads(line)["summary"]
                if not summary["complete"] and self.problem is None:
                    text = json.dumps(summary["problem"], ensure_ascii=False, separators=(",", ":"))
                    self.problem = text.encode()
                continue
            item = _ITEM.match(line)
            if not item or not line.endswith(b"}"):
                raise ProgramError(f"the program wrote a line that is not an item: {line[:200]!r}")
            index, identifier, byte, kind = item.groups()
            if identifier is not None:
                identifier = str(json.loads(identifier))
            yield int(byte), int(index), identifier, kind == b"problem", line[item.end() : -1]

    def _lines(self):
        """Yields the complete lines of standard output. What is on standard error is kept by the process."""
        if self.process is None:
            return
        output, errors = self.process.output, self.process.errors
        poll = select.poll()
        poll.register(output, select.POLLIN)
        poll.register(errors, select.POLLIN)
        pieces = []
        while True:
            ready = dict(poll.poll())
            if errors in ready and not self.process.read_errors():
                poll.unregister(errors)
            if output not in ready:
                continue
            data = os.read(output, _READ_BYTES)
            if not data:
                return
            first, *lines = data.split(b"\n")
            pieces.append(first)
            for line in lines:
                yield b"".join(pieces)
                pieces = [line]

    def end(self):
        """Ends the child, if it has not ended: a generator may be closed early."""
        if self.pump:
            # The thread closes the pipe when the child has ended: no other file may have its descriptor before that.
            if not self.has_summary:
                self.process.kill()
            self.pump.join()
        if self.process:
            self.process.end(kill=not self.has_summary)


def _opened(path, open):
    """Returns the path as an operand of the program, or `None` and a file object. Raises an exception if the path can
    be neither."""
    if not isinstance(path, str):
        raise TypeError("the path is null" if path is None else f"a path must be text; it is {type(path).__name__}")
    if open is not None:
        return None, open(path)
    if scheme := _FILE_SCHEME.match(path):
        path = path[scheme.end() :]
        if not os.path.exists(path):
            path = urllib.parse.unquote(path, errors="surrogateescape")
    elif "://" in path:
        return None, _opened_by_arrow(path)
    data = os.fsencode(path)
    if b"\0" in data:
        raise ValueError("the path contains NUL")
    if len(data) > _MAX_PATH_BYTES:
        raise OSError(errno.ENAMETOOLONG, os.strerror(errno.ENAMETOOLONG))
    return path, None


def _opened_by_arrow(path):
    from pyarrow import fs

    system, path = fs.FileSystem.from_uri(path)
    # Members of gzip are read by the program.
    return system.open_input_stream(path, compression=None)


def _unreadable(path, error):
    detail = str(error) or type(error).__name__
    return problem(UNREADABLE_INPUT, detail if path is None else f"{path}: {detail}")
