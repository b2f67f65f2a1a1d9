#!/usr/bin/env python3
"""A child that follows commands in the content of its frames, and otherwise answers like `decant batch`.

    scripted_child.py batch --format=frames …

If the variable SCRIPTED_PROGRAM is set, that program answers. Otherwise the answer repeats the frame, or only its
content with the option --view=value. A command is a line of the content; FILE makes it effective only once:

    die [FILE]              ends this process with SIGKILL
    die-after-answers       ends it after it has answered
    end-executor FILE       ends the executor that has started the Python worker of this process
    hang FILE               waits until the Python worker ends
"""

import json
import os
import re
import signal
import struct
import subprocess
import sys
import time

COMMAND = re.compile(rb"^#(die-after-answers|die|end-executor|hang)(?: (\S+))?$", re.MULTILINE)


def is_first(file):
    """Whether this is the first process that reads the command."""
    if not file:
        return True
    try:
        os.close(os.open(file, os.O_CREAT | os.O_EXCL))
        return True
    except FileExistsError:
        return False


def parent(process):
    with open(f"/proc/{process}/stat") as file:
        return int(file.read().rpartition(")")[2].split()[1])


def end_executor():
    """The parents of this process are the Python worker, the daemon that has forked it, and the executor."""
    executor = parent(parent(os.getppid()))
    with open(f"/proc/{executor}/cmdline") as file:
        if "CoarseGrainedExecutorBackend" not in file.read():
            sys.exit(f"{executor} is not an executor")
    os.kill(executor, signal.SIGKILL)
    hang()


def hang():
    worker = os.getppid()
    while os.getppid() == worker:
        time.sleep(0.02)
    sys.exit(0)


def answer(frame):
    identifier, status, flags, _, url_length, fields_length = struct.unpack_from("<QHBBII", frame)
    content = frame[20 + url_length + fields_length :]
    is_problem = content.startswith(b"bad")
    text = json.dumps({"status": status, "flags": flags, "content": content.decode(), "code": "json.bad"})
    if "--view=value" in sys.argv and not is_problem:
        text = json.dumps(content.decode())
    code, text = (b"json.bad" if is_problem else b""), text.encode()
    head = struct.pack("<IQBB", 10 + len(code) + len(text), identifier, is_problem, len(code))
    return head + code + text


def main():
    program = os.environ.get("SCRIPTED_PROGRAM")
    child = None
    if program:
        child = subprocess.Popen([program, *sys.argv[1:]], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    source, output = sys.stdin.buffer, sys.stdout.buffer
    while len(head := source.read(4)) == 4:
        frame = source.read(int.from_bytes(head, "little"))
        command, file = None, None
        url_length, fields_length = struct.unpack_from("<II", frame, 12)
        if found := COMMAND.search(frame[20 + url_length + fields_length :]):
            command, file = found[1].decode(), found[2]
            if not is_first(file):
                command = None
        if command == "die":
            os.kill(os.getpid(), signal.SIGKILL)
        elif command == "end-executor":
            end_executor()
        elif command == "hang":
            hang()
        if child:
            child.stdin.write(head + frame)
            child.stdin.flush()
            head = child.stdout.read(4)
            output.write(head + child.stdout.read(int.from_bytes(head, "little")))
        else:
            output.write(answer(frame))
        output.flush()
        if command == "die-after-answers":
            os.kill(os.getpid(), signal.SIGKILL)


main()
