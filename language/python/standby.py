"""A Python that is started before there is a program, and waits for it.

It loads what programs mostly use, does once what every program does, says that
it is ready, and then becomes what its orders say. What it is until then is the
same for everybody, and it may be one of many copies of one process: a seed is
made only after the orders came.
"""
import os
import sys

from _glovebox import wire

HOME = os.path.dirname(os.path.dirname(__file__))
WORKSPACE = "/workspace"
ORDERS, READY = 6, 7
INTERRUPTED = -2  # in place of an exit status: SIGINT ended the program

# What programs mostly use. A program's own modules come first: see fresh.
COMMON = ("bisect", "collections", "copy", "dataclasses", "datetime", "functools", "heapq", "itertools", "json", "math",
          "operator", "random", "re", "string", "time", "typing")

EXERCISE = """
import json, re
class A:
    def __init__(self, n): self.n = n
    def __repr__(self): return "A(%d)" % self.n
def f(n): return n if n < 2 else f(n - 1) + f(n - 2)
d = {str(k): [k, A(k)] for k in range(50)}
print(d, sorted(d)[:3], f"{f(8):>10}", re.sub("a+", "b", "caat"), json.dumps({"a": [1, 2.5, None]}))
try: [][1]
except IndexError as e: repr(e)
"""


def ready():
    """Waits for the orders, and returns them. It gets ready again when asked."""
    import gc
    before = set(sys.modules)
    for name in COMMON:
        __import__(name)
    common = set(sys.modules) - before
    while True:
        practise()
        gc.collect()
        gc.freeze()
        os.write(READY, b"\n")
        said = os.read(ORDERS, 1 << 16)
        if said != b"\n":
            break
    if not said:
        os._exit(0)
    while chunk := os.read(ORDERS, 1 << 20):
        said += chunk
    os.close(ORDERS)
    os.close(READY)
    orders = wire.parse(said)
    sys.modules["random"].seed()
    fresh(orders["files"], common)
    return orders


def fresh(files, common):
    """Forgets what was loaded where the program has a module of such a name."""
    names = {part.partition(".")[0] for path in files for part in path.split("/")}
    names.update(name.partition(".")[0] for name in os.listdir(WORKSPACE))
    if not names.isdisjoint(common):
        for name in common:
            sys.modules.pop(name, None)


def practise():
    """Does what comes between the orders and the end, with a small program, and
    leaves no trace of it: what is done for the first time takes its time."""
    import io
    kept = sys.stdout, sys.stderr, sys.modules["__main__"]
    try:
        os.listdir(WORKSPACE)
        with open(__file__, "rb") as f:
            f.read()
        for program in EXERCISE, "1/0":
            sys.stdout = sys.stderr = io.StringIO()
            run(compile(program, "<standby>", "exec", dont_inherit=True), "<standby>")
            wind_up([vars(sys.modules["__main__"])])
    finally:
        sys.stdout, sys.stderr, sys.modules["__main__"] = kept
        for name in ("last_type", "last_value", "last_traceback", "last_exc"):
            vars(sys).pop(name, None)


def worker():
    """Becomes the candidate of an exam."""
    from _glovebox import worker
    sys.argv[1:] = ready()["args"]
    worker.main()


def harness():
    """Becomes the harness of an exam."""
    from _glovebox import harness, pytester
    told = ready()["told"]
    sys.argv[1:] = ["1", told]
    harness.main()
    try:
        wire.write_frame(harness.LINK_OUT, {"n": 0, "op": "end"})
    except OSError:
        pass  # it has ended before


def program():
    """Becomes `python3 main.py`."""
    deeper = depth()
    orders = ready()
    sys.setrecursionlimit(sys.getrecursionlimit() + deeper)
    check = sys.modules["sitecustomize"].check
    sys.path.remove(HOME)
    for name in [n for n in sys.modules if n.partition(".")[0] == "_glovebox"]:
        del sys.modules[name]
    sys.argv[:] = [orders["main"], *orders["args"]]
    check(orders["files"])
    path = os.path.join(WORKSPACE, orders["main"])
    with open(path, "rb") as f:
        source = f.read()
    end(run(compile(source, path, "exec", dont_inherit=True), path))


def run(code, path):
    """Runs a main file and returns its exit status as the interpreter has it."""
    from _frozen_importlib_external import SourceFileLoader
    import builtins
    raised = None
    main = type(sys)("__main__")
    vars(main).update(__doc__=None, __package__=None, __loader__=SourceFileLoader("__main__", path), __spec__=None,
                      __builtins__=builtins, __file__=path, __cached__=None)
    if sys.version_info < (3, 14):
        main.__annotations__ = {}
    sys.modules["__main__"] = main
    try:
        exec(code, vars(main))
    except BaseException as e:
        raised = e
    if raised is None:
        return 0
    if isinstance(raised, SystemExit):
        return status(raised)
    tb = raised.__traceback__ = raised.__traceback__.tb_next  # without this frame
    sys.last_type, sys.last_value, sys.last_traceback = type(raised), raised, tb
    if sys.version_info >= (3, 12):
        sys.last_exc = raised
    failed = None
    try:
        sys.excepthook(type(raised), raised, tb)
    except BaseException as e:
        failed = e
    if isinstance(failed, SystemExit):
        return status(failed)
    if failed is not None:
        failed.__traceback__ = failed.__traceback__.tb_next
        print("Error in sys.excepthook:", file=sys.stderr)
        sys.__excepthook__(type(failed), failed, failed.__traceback__)
        print("\nOriginal exception was:", file=sys.stderr)
        sys.__excepthook__(type(raised), raised, tb)
    return INTERRUPTED if isinstance(raised, KeyboardInterrupt) else 1


def depth():
    """How many calls deeper than a main file's own code is that which run runs:
    it is called from where run is."""
    def f():
        nonlocal n
        n += 1
        f()
    n = 0
    try:
        exec("f()", {"f": f})
    except RecursionError:
        pass
    return max(0, sys.getrecursionlimit() - 1 - n)


def status(e):
    """The exit status of a SystemExit."""
    code = e.code
    if code is None:
        return 0
    if isinstance(code, int):
        return code & 0xFF if -1 << 63 <= code < 1 << 63 else 255
    flush()
    print(code, file=sys.stderr)
    return 1


def flush():
    """Flushes the streams, and tells whether one of them cannot be."""
    failed = False
    for s in (sys.stdout, sys.stderr):
        try:
            if s is not None and not s.closed:
                s.flush()
        except BaseException:
            failed = True
    return failed


def end(code):
    """Ends as the interpreter does, but for taking down its own modules, which
    nobody sees and which takes longer than most programs: the threads, what is
    to be done at exit, the program's modules with their destructors, and the
    streams."""
    import atexit
    threading = sys.modules.get("threading")
    if threading is not None:
        try:
            threading._shutdown()
        except BaseException as e:
            sys.excepthook(type(e), e, e.__traceback__)
    atexit._run_exitfuncs()
    failed = flush()
    own = [vars(m) for n, m in list(sys.modules.items())
           if n == "__main__" or str(getattr(m, "__file__", "")).startswith(WORKSPACE + "/")]
    failed = wind_up(own) or failed
    if code == INTERRUPTED:
        import signal
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGINT)
    os._exit(120 if failed else code)


def wind_up(modules):
    """Takes down the program's own modules, and flushes the streams."""
    import gc
    for private in (True, False):
        for names in modules:
            for n in list(names):
                if n != "__builtins__" and (n[:1] == "_" and n[1:2] != "_") == private:
                    names[n] = None
    gc.collect()
    return flush()


def main():
    {"program": program, "worker": worker, "harness": harness}[sys.argv[1]]()
