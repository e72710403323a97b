"""Forks for each program read from stdin, and writes what came of it.

A program is its length in four bytes, and its text; an answer is its wait
status and the length of its output in four bytes each, and its output.
"""
import os
import sys


def read(n):
    data = b""
    while len(data) < n:
        part = os.read(0, n - len(data))
        if not part:
            os._exit(0)
        data += part
    return data


def number(n):
    return n.to_bytes(4, "big")


while True:
    program = read(int.from_bytes(read(4), "big"))
    r, w = os.pipe()
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            os.dup2(w, 1)
            exec(compile(program, "main.py", "exec"), {"__name__": "__main__"})
            sys.stdout.flush()
            status = 0
        finally:
            os._exit(status)
    os.close(w)
    output = b""
    while part := os.read(r, 1 << 16):
        output += part
    os.close(r)
    status = os.waitpid(pid, 0)[1]
    os.write(1, number(status) + number(len(output)) + output)
