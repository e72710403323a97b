"""Checks a program before the interpreter runs it.

The interpreter loads this as sitecustomize, so that one start compiles every
file, reports what the parser says, and goes on to run the main file exactly as
`python3 main.py` does. `-X glovebox=` names the files, one a line; without it this does
nothing.
"""
import sys

REPORT = 5


def check(files, read, report=REPORT, last=REPORT, compiled=compile):
    """Compiles the files and reports. read gives the content of one; report to
    last are the descriptors that are ours; compiled compiles one."""
    import os
    import _warnings

    here = os.getcwd()
    # The run itself warns; this must not warn too.
    quiet = ("ignore", None, Warning, None, 0)
    _warnings.filters.insert(0, quiet)
    renew = getattr(_warnings, "_filters_mutated", None) or getattr(_warnings, "_filters_mutated_lock_held")
    renew()
    found = None
    for path in files:
        full = os.path.join(here, path)
        try:
            compiled(read(full), full, "exec", dont_inherit=True)
        except SyntaxError as e:
            found = path, e.lineno, e.offset, e.msg, e
        except (ValueError, RecursionError, MemoryError, OverflowError) as e:
            found = path, 0, 0, str(e) or type(e).__name__, e
        if found:
            break
    _warnings.filters.remove(quiet)
    renew()
    if found is None:
        # Not before: a file may name an encoding, which loads modules.
        sys.path.insert(0, os.path.dirname(os.path.join(here, files[0])))
        os.write(report, b'{"type":"checked"}\n')
        os.closerange(report, last + 1)
        return
    import json
    path, line, column, message, error = found
    os.write(report, (json.dumps({"type": "syntax", "syntax": {
        "file": path, "line": line or 0, "column": max(column or 0, 0), "message": str(message)}}) + "\n").encode())
    sys.excepthook(type(error), error.with_traceback(None), None)
    sys.stderr.flush()
    os._exit(1)


def once(source, *how, **more):
    """Is compile, for who does not want the code. At its first call compile makes
    the types of all syntax trees, which takes as long as many a program. exec does
    not, and a trace ends it before the code's first instruction."""
    names = {}

    def begun(frame, event, arg):
        if frame.f_globals is names:  # and no codec's
            raise Begun

    sys.settrace(begun)
    try:
        exec(source, names)
    except Begun:
        return
    except Exception:
        pass  # compile tells it with the file's name
    finally:
        sys.settrace(None)
    compile(source, *how, **more)


class Begun(Exception):
    pass


def whole(path):
    with open(path, "rb") as f:
        return f.read()


BURST, RATE = 2000, 1000  # lines that are sent on at once, and each second


def by_lines(stdout):
    """Returns a stdout that sends each line on when it is printed. Python keeps 8 KiB
    back from a pipe, and a program that is stopped at a limit loses all of it.

    To send a line on is a system call, which costs more than many a print. So a
    program that prints more than RATE lines a second sends several on together. An
    explicit flush is always done."""
    import io
    from itertools import chain, repeat, starmap
    from time import monotonic
    buffer = getattr(stdout, "buffer", None)
    if type(stdout) is not io.TextIOWrapper or type(buffer) is not io.BufferedWriter or stdout.line_buffering:
        return stdout  # there is none, or it keeps nothing back
    # Names of this function, not of the module: they outlive the modules at exit.
    send = io.BufferedWriter.flush
    burst, rate, left, last = BURST, RATE, 0, 0.0

    class BufferedWriter(io.BufferedWriter):
        pass

    class TextIOWrapper(io.TextIOWrapper):
        @property
        def buffer(self):  # whoever takes it flushes it where no line ends
            if "flush" in vars(BufferedWriter):
                del BufferedWriter.flush
            return lines

        def detach(self):
            self.flush()
            self.buffer
            return super().detach()

    def whole(self):
        io.TextIOWrapper.flush(self)
        send(lines)

    def begin(_):
        nonlocal last
        TextIOWrapper.flush = whole
        last = monotonic()
        send(lines)

    def limited(_):
        nonlocal left, last
        if left <= 0:
            now = monotonic()
            left = min(int((now - last) * rate), burst)
            if left <= 0:
                return
            last = now
        left -= 1
        send(lines)

    encoding, errors = stdout.encoding, stdout.errors
    stdout.detach()
    lines = BufferedWriter(buffer.detach())
    text = TextIOWrapper(lines, encoding, errors, newline="\n", line_buffering=True)
    text.mode = "w"
    # Called after each line. The first are sent without a frame of ours, which a
    # trace, a profile or the limit of recursion would show.
    first = BufferedWriter.first = starmap(send, repeat((lines,), BURST))  # kept: a thread may be in it at its end
    BufferedWriter.flush = chain(first, map(begin, (None,)), map(limited, repeat(None))).__next__
    return text


sys.stdout = sys.__stdout__ = by_lines(sys.stdout)
if "glovebox" in sys._xoptions:
    check(sys._xoptions.pop("glovebox").split("\n"), whole, compiled=once)
