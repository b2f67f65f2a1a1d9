"""The program `decant` as a child process of a Python worker."""

import os
import re
import signal
import socket
import time

# The maximum number of bytes of standard error that are kept: the last ones.
MAX_ERROR_BYTES = 4096
# The time in which a child must end after its standard input was closed.
END_SECONDS = 2

_SIGNALS = [number for number in signal.valid_signals() if number not in (signal.SIGKILL, signal.SIGSTOP)]
_OWN_OPTIONS = {"format", "jobs", "output", "resume", "unordered"}


class ProgramError(RuntimeError):
    """The program cannot be started, rejects its options, or is not `decant batch`. No row could be processed."""


class ProcessEnded(Exception):
    """The process has ended before it answered. The description includes its last lines on standard error."""


def command(program, input_format, options):
    """Returns the arguments of `decant batch`.

    The options have the names of the command line (`nulls`, `xml-arrays`). A value is a string, a number, or a Boolean
    value; a list is several values of an option that takes a list, or several options `thumbnail`.
    """
    arguments = [program, "batch", f"--format={input_format}", "--jobs=1"]
    for name, value in (options or {}).items():
        if not re.fullmatch("[a-z][a-z0-9-]*", name) or name in _OWN_OPTIONS:
            raise ValueError(f"the option {name!r} is not an option of normalization")
        values = value if isinstance(value, (list, tuple)) else [value]
        texts = [str(item).lower() if isinstance(item, bool) else str(item) for item in values]
        if any("\0" in text for text in texts):
            raise ValueError(f"the value of the option {name!r} contains NUL")
        if name != "thumbnail":
            texts = [",".join(texts)]
        arguments += [f"--{name}={text}" for text in texts]
    return arguments


def located(program):
    """Returns the path of a program that was shipped with the job (`--archives`), or `program`, which is searched for
    in `PATH` if it contains no slash."""
    if "/" in program and not program.startswith("/"):
        from pyspark import SparkFiles

        shipped = SparkFiles.get(program)
        if os.path.exists(shipped):
            return shipped
    return program


def _inheritable():
    """Returns the descriptors that a child would inherit. Those that Python has opened are not inheritable."""
    found = []
    for descriptor in map(int, os.listdir("/proc/self/fd")):
        try:
            if descriptor > 2 and os.get_inheritable(descriptor):
                found.append(descriptor)
        except OSError:
            # The descriptor of the listing.
            pass
    return found


class Process:
    """A running child. Its signals have their default actions, and it is not in the process group of its parent, so
    that an interrupt on a terminal does not reach it. It ends when the parent has ended, because its input ends.
    """

    def __init__(self, command, has_input=True):
        """Starts the child. Without `has_input`, its standard input is empty."""
        self.error_text, self.status, self.was_killed = b"", None, False
        pipes = [os.pipe() for _ in range(3 if has_input else 2)]
        (self.output, output_end), (self.errors, errors_end) = pipes[:2]
        input_end, self.input = pipes[2] if has_input else (None, None)
        actions = [(os.POSIX_SPAWN_DUP2, output_end, 1), (os.POSIX_SPAWN_DUP2, errors_end, 2)]
        if has_input:
            actions.append((os.POSIX_SPAWN_DUP2, input_end, 0))
        else:
            actions.append((os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0))
        actions += [(os.POSIX_SPAWN_CLOSE, descriptor) for descriptor in _inheritable()]
        try:
            self.pid = os.posix_spawnp(
                located(command[0]),
                command,
                os.environ,
                file_actions=actions,
                setpgroup=0,
                setsigmask=[],
                setsigdef=_SIGNALS,
            )
        except BaseException as error:
            for end in (self.output, self.errors, self.input):
                if end is not None:
                    os.close(end)
            if not isinstance(error, OSError):
                raise
            raise ProgramError(
                f"the program {command[0]!r} cannot be started on {socket.gethostname()}: {error.strerror}. "
                f"Install it in a directory of PATH, which is {os.environ.get('PATH', '')!r}, or ship it with "
                "--archives, and specify its path with program="
            ) from error
        finally:
            for end in (output_end, errors_end, input_end):
                if end is not None:
                    os.close(end)

    def read_errors(self):
        """Reads what is on standard error. Returns whether more can follow."""
        data = os.read(self.errors, 65536)
        self.error_text = (self.error_text + data)[-MAX_ERROR_BYTES:]
        return bool(data)

    def close_input(self):
        if self.input is not None:
            os.close(self.input)
            self.input = None

    def kill(self):
        """Kills the child with its process group: a descendant that has inherited a pipe would keep it open."""
        try:
            os.killpg(self.pid, signal.SIGKILL)
        except ProcessLookupError:
            # The kernel has reaped the child, because SIGCHLD is ignored in this process.
            pass

    def end(self, kill=False):
        """Ends the child, if it has not ended, and waits for it, so that there is no zombie."""
        if self.status is not None:
            return
        self.close_input()
        os.close(self.output)
        self.status = self._ended(time.monotonic() + (0 if kill else END_SECONDS))
        os.set_blocking(self.errors, False)
        try:
            while self.read_errors():
                pass
        except BlockingIOError:
            # A descendant has inherited standard error.
            pass
        os.close(self.errors)

    def _ended(self, deadline):
        """Waits for the child, which is killed at the deadline. Returns how it has ended."""
        try:
            while not (ended := os.waitpid(self.pid, os.WNOHANG))[0]:
                if time.monotonic() >= deadline:
                    self.kill()
                    ended = os.waitpid(self.pid, 0)
                    break
                time.sleep(0.001)
        except ChildProcessError:
            return "ended with an unknown status"
        code = os.waitstatus_to_exitcode(ended[1])
        if code >= 0:
            return f"exited with status {code}"
        self.was_killed = True
        return f"was ended by signal {-code} ({signal.strsignal(-code)})"

    def forget(self):
        """Closes the pipes in a process that was forked, to which the child does not belong."""
        for descriptor in (self.input, self.output, self.errors):
            if descriptor is not None and self.status is None:
                os.close(descriptor)
        self.status = "belongs to another process"

    def description(self):
        """How the child has ended, and what it has written on standard error."""
        text = self.error_text.decode("utf-8", "replace").strip()
        return f"{self.status}; its standard error: {text}" if text else f"{self.status}, without an error message"
