"""Checks a program before the interpreter runs it.

The interpreter loads this as sitecustomize, so that one start compiles every
file, reports what the parser says, and goes on to run the main file exactly as
`python3 main.py` does. `-X glovebox=` names the files, one a line; without it this does
nothing.
"""
import sys

REPORT = 5


def check(files):
    import os
    import _warnings

    here = os.getcwd()
    sys.path.insert(0, os.path.dirname(os.path.join(here, files[0])))
    # The run itself warns; this must not warn too.
    quiet = ("ignore", None, Warning, None, 0)
    _warnings.filters.insert(0, quiet)
    renew = getattr(_warnings, "_filters_mutated", None) or getattr(_warnings, "_filters_mutated_lock_held")
    renew()
    found = None
    for path in files:
        full = os.path.join(here, path)
        try:
            with open(full, "rb") as f:
                compile(f.read(), full, "exec", dont_inherit=True)
        except SyntaxError as e:
            found = path, e.lineno, e.offset, e.msg, e
        except (ValueError, RecursionError, MemoryError, OverflowError) as e:
            found = path, 0, 0, str(e) or type(e).__name__, e
        if found:
            break
    _warnings.filters.remove(quiet)
    renew()
    if found is None:
        os.write(REPORT, b'{"type":"checked"}\n')
        os.close(REPORT)
        return
    import json
    path, line, column, message, error = found
    os.write(REPORT, (json.dumps({"type": "syntax", "syntax": {
        "file": path, "line": line or 0, "column": max(column or 0, 0), "message": str(message)}}) + "\n").encode())
    sys.excepthook(type(error), error.with_traceback(None), None)
    sys.stderr.flush()
    os._exit(1)


if "glovebox" in sys._xoptions:
    check(sys._xoptions.pop("glovebox").split("\n"))
