"""One child `decant batch --format=frames`, which is restarted when it dies."""

import fcntl
import json
import os
import select
import socket
import sys

from .frames import OUTPUT_HEAD, PROBLEM, RESULT, frame
from .problems import INVALID_ITEM, PROCESS_ENDED, problem
from .program import Process, ProcessEnded, ProgramError

# The number of times that a child is started without an answer to the probe.
MAX_STARTS = 3
# An item that ends the child so many times, while no other item is in progress, becomes a problem.
MAX_KILLS = 2
_BUFFER_BYTES = 256 << 10
_PIPE_BYTES = 1 << 20
# The module fcntl has a name for it since Python 3.10.
_F_SETPIPE_SZ = 1031
_MAX_FRAME_BYTES = 1 << 31


class Rows:
    """The answers to the rows of a record batch: the result, or the code and the text of the problem."""

    def __init__(self, count, rejected=()):
        self.results, self.codes, self.problems = [None] * count, [None] * count, [None] * count
        # The number of bytes of answers that were stored.
        self.size = 0
        for row, text in dict(rejected).items():
            self.reject(row, INVALID_ITEM, text)

    def reject(self, row, code, text):
        self.codes[row], self.problems[row] = code.encode(), text
        self.size += len(text)


class Normalizer:
    """Normalizes frames with one child, which is kept for the next frames.

    If the child dies, another one is started. The frames that it may have read are then sent one by one, so that the
    frame that ends the child is known.
    """

    def __init__(self, command, stall_seconds):
        self.command, self.stall_seconds = command, stall_seconds
        self.child = None

    def fill(self, frames, rows):
        """Stores the answers to all frames, in their order. Yields the number of answered frames after some of them.

        If the generator is closed before its end, the child is ended, because it may write answers that are not read.
        """
        done = alone_until = kills = 0
        try:
            while done < len(frames):
                last = done + 1 if done < alone_until else len(frames)
                child = self.child or self._start()
                try:
                    for done in child.exchange(frames, done, last, rows):
                        kills = 0
                        yield done
                except ProcessEnded as ended:
                    self.child = None
                    print(f"decant_spark: the child {ended}", file=sys.stderr, flush=True)
                    if last - done > 1:
                        alone_until = max(done + 1, child.sent)
                        continue
                    kills += 1
                    if kills == MAX_KILLS:
                        detail = f"the response ended the program {kills} times: it {ended}"
                        rows.reject(frames.ids[done], PROCESS_ENDED, problem(PROCESS_ENDED, detail))
                        done, alone_until, kills = done + 1, 0, 0
                        yield done
        except BaseException:
            # Also a generator that is closed early.
            self.end(kill=True)
            raise

    def _start(self):
        """Starts a child that has answered a probe, so that a program that does not work is not taken for an item that
        ends it."""
        probe = _Probe()
        for attempt in range(1, MAX_STARTS + 1):
            child = _Child(self.command, self.stall_seconds)
            try:
                rows = Rows(1)
                for _ in child.exchange(probe, 0, 1, rows):
                    pass
                # With the view `value`, a result is any JSON text.
                try:
                    json.loads(rows.results[0] or rows.problems[0])
                except ValueError:
                    raise child.foreign("an answer that is not JSON") from None
                self.child = child
                return child
            except ProcessEnded as ended:
                if attempt == MAX_STARTS:
                    raise ProgramError(
                        f"{' '.join(self.command)} on {socket.gethostname()} {ended}. "
                        f"It did not answer after {attempt} starts"
                    ) from ended
            except BaseException:
                child.end(kill=True)
                raise

    def end(self, kill=False):
        child, self.child = self.child, None
        if child:
            child.end(kill)


class _Probe:
    """One frame that every version of the program answers."""

    ids = [0]

    def chunks(self, first, last):
        yield frame(0, b"{}"), 1


class _Child(Process):
    """A child that reads frames, and writes the answers in the same order."""

    def __init__(self, command, stall_seconds):
        super().__init__(command)
        self.stall_seconds = stall_seconds
        self.poll = select.poll()
        for descriptor in (self.input, self.output, self.errors):
            os.set_blocking(descriptor, False)
        self._enlarge_pipes()
        self.poll.register(self.output, select.POLLIN)
        self.poll.register(self.errors, select.POLLIN)
        self.buffer = bytearray(_BUFFER_BYTES)
        # The bytes of the buffer that were read, and are not answers yet.
        self.length = 0
        # The number of the first frame of which nothing was sent.
        self.sent = 0

    def _enlarge_pipes(self):
        """Larger pipes need fewer system calls. The kernel may not permit them."""
        try:
            for descriptor in (self.input, self.output):
                fcntl.fcntl(descriptor, _F_SETPIPE_SZ, _PIPE_BYTES)
        except OSError:
            pass

    def exchange(self, frames, first, last, rows):
        """Sends the frames first..<last, while it reads the answers, which may be larger than the pipes hold.

        Yields the number of the frame after the last answered one. Raises `ProcessEnded` when the child has ended, or
        has neither read nor written a byte for the permitted time.
        """
        chunks = frames.chunks(first, last)
        chunk, answered, is_writing = memoryview(b""), first, True
        self.sent = first
        self.poll.register(self.input, select.POLLOUT)
        while answered < last:
            ready = dict(self.poll.poll(self.stall_seconds * 1000))
            if not ready:
                self.end(kill=True)
                raise ProcessEnded(f"made no progress for {self.stall_seconds} s, and {self.description()}")
            if is_writing and self.input in ready:
                chunk, is_writing = self._write(chunk, chunks)
            if self.errors in ready and not self.read_errors():
                self.poll.unregister(self.errors)
            if self.output in ready:
                if not self._fill_buffer():
                    self.end()
                    raise ProcessEnded(f"{self.description()}")
                count = self._parse(frames.ids, answered, last, rows)
                if count:
                    answered += count
                    yield answered
        if self.length or is_writing and (chunk or next(chunks, None)):
            raise self.foreign("an answer to a frame that it has not received")
        if is_writing:
            self.poll.unregister(self.input)
        if len(self.buffer) > 16 * _BUFFER_BYTES:
            self.buffer = bytearray(_BUFFER_BYTES)

    def _write(self, chunk, chunks):
        """Writes until the pipe is full. Returns the rest of the chunk, and whether to write again."""
        try:
            while True:
                while chunk:
                    chunk = chunk[os.write(self.input, chunk) :]
                data, self.sent = next(chunks, (None, self.sent))
                if data is None:
                    break
                chunk = memoryview(data)
        except BlockingIOError:
            return chunk, True
        except BrokenPipeError:
            # The answers that the child has written before its end are still read.
            pass
        self.poll.unregister(self.input)
        return memoryview(b""), False

    def _fill_buffer(self):
        """Reads what is on standard output. Returns whether it has not ended."""
        if self.length == len(self.buffer):
            self.buffer.extend(bytes(len(self.buffer)))
        with memoryview(self.buffer) as view, view[self.length :] as space:
            count = os.readv(self.output, [space])
        self.length += count
        return count > 0

    def _parse(self, ids, answered, last, rows):
        """Stores the complete answers in the buffer. Returns their number."""
        unpack, head_length = OUTPUT_HEAD.unpack_from, OUTPUT_HEAD.size
        results, codes, problems = rows.results, rows.codes, rows.problems
        buffer, end, position, first = self.buffer, self.length, 0, answered
        with memoryview(buffer) as view:
            while end - position >= head_length:
                length, row, kind, code_length = unpack(buffer, position)
                stop = position + 4 + length
                text = position + head_length + code_length
                if answered == last or row != ids[answered] or kind > PROBLEM or not text < stop < _MAX_FRAME_BYTES:
                    raise self.foreign(f"bytes that are not the expected answer: {bytes(view[position:end][:64])!r}")
                if stop > end:
                    break
                if kind == RESULT:
                    results[row] = bytes(view[text:stop])
                else:
                    problems[row] = bytes(view[text:stop])
                    codes[row] = bytes(view[position + head_length : text])
                position = stop
                answered += 1
        rows.size += position
        if position:
            rest = end - position
            buffer[:rest] = buffer[position:end]
            self.length = rest
        return answered - first

    def foreign(self, what):
        self.end(kill=True)
        return ProgramError(f"the program wrote {what}; it {self.description()}")
