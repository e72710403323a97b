"""A Python that is started before there is a program, and waits for it.

It loads what programs mostly use, does once what every program does, says that
it is ready, and then becomes what its orders say. What it is until then is the
same for everybody, and it may be one of many copies of one process: a seed is
made only after the orders came.
"""
import atexit
import os
import sys

from _glovebox import parent, wire

_exit = os._exit
check = sys.modules["sitecustomize"].check
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
    parent.kept.extend((before, common))
    ours.update(vars(sys))
    practise()
    gc.collect()
    gc.freeze()
    if parent.wanted():
        parent.copies()
        practise("print(1)")  # each copy: it gets its own pages before its orders
    while True:
        os.write(READY, b"\n")
        said = os.read(ORDERS, 1 << 16)
        if said != b"\n":
            break
        practise()
        gc.collect()
        gc.freeze()
    if not said:
        os._exit(0)
    # Their length in bytes, a line end, and the orders. To wait for their end
    # would be to wait for who wrote them.
    size, _, said = said.partition(b"\n")
    while len(said) < int(size):
        said += os.read(ORDERS, 1 << 20) or os._exit(0)
    return heed(said, common)


def heed(said, common):
    """Reads orders."""
    orders = wire.loads(said.decode())  # of the host: without a bound
    sys.modules["random"].seed(int(orders["seed"], 16))
    fresh(orders["staged"], common)
    return orders


ours = set()  # what sys holds before the program puts something there


def fresh(files, common):
    """Forgets what was loaded where the program has a module of such a name."""
    names = {part.partition(".")[0] for path in files for part in path.split("/")}
    if not names.isdisjoint(common):
        for name in common:
            sys.modules.pop(name, None)


def practise(*programs):
    """Does what comes between the orders and the end, with a small program, and
    leaves no trace of it: what is done for the first time takes its time."""
    kept = sys.stdout, sys.stderr, sys.modules["__main__"]
    try:
        for program in programs or (EXERCISE, "1/0"):
            heed(b'{"seed": "%s", "staged": ["standby.py"], "size": 1}' % (b"5a" * 32), ())
            r, w = os.pipe()
            sys.stdout = sys.stderr = open(w, "w", encoding="utf-8")
            report = os.dup(w)
            check(["standby.py"], lambda path: program, report, report)
            run(compile(program, "standby.py", "exec", dont_inherit=True), "standby.py")
            wind_up([vars(m) for n, m in added() if own(n, m)])
            sys.stdout.close()
            os.close(r)
            del sys.path[0]
    finally:
        sys.stdout, sys.stderr, sys.modules["__main__"] = kept
        for name in ("last_type", "last_value", "last_traceback", "last_exc"):
            vars(sys).pop(name, None)


def worker():
    """Becomes the candidate of an exam."""
    from _glovebox import worker
    sys.argv[1:] = ready()["args"]
    os.closerange(ORDERS, READY + 1)
    worker.main()


def harness():
    """Becomes the harness of an exam."""
    from _glovebox import harness, pytester
    told = ready()["told"]
    os.closerange(ORDERS, READY + 1)
    sys.argv[1:] = ["1", told]
    harness.main()
    try:
        wire.write_frame(harness.LINK_OUT, {"n": 0, "op": "end"})
    except OSError:
        pass  # it has ended before
    end(0)


def program():
    """Becomes `python3 main.py`."""
    deeper = depth()
    sys.path.remove(HOME)
    for name in [n for n in sys.modules if n.partition(".")[0] == "_glovebox"]:
        parent.kept.append(sys.modules.pop(name))
    orders = ready()
    sys.setrecursionlimit(sys.getrecursionlimit() + deeper)
    sys.argv[:] = [orders["main"], *orders["args"]]
    read = sys.modules["sitecustomize"].whole
    if "sources" in orders:
        read = {os.path.join(WORKSPACE, name): text.encode() for name, text in orders["sources"].items()}.__getitem__
    path = os.path.join(WORKSPACE, orders["main"])
    check(orders["files"], read, last=READY)
    code = compile(read(path), path, "exec", dont_inherit=True)  # with its warnings
    del orders, read
    end(run(code, path))


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
    result = 0 if raised is None else uncaught(raised)
    # The exception knows the frames, and one of them this: a file in another
    # would be closed as part of a cycle, which loses what it holds.
    raised = None
    return result


def uncaught(raised):
    """Does what the interpreter does with an exception that nobody caught."""
    if isinstance(raised, SystemExit):
        return status(raised)
    failed = None
    raised.__traceback__ = raised.__traceback__.tb_next  # without the frame of run
    sys.last_type, sys.last_value, sys.last_traceback = type(raised), raised, raised.__traceback__
    if sys.version_info >= (3, 12):
        sys.last_exc = raised
    try:
        sys.excepthook(type(raised), raised, raised.__traceback__)
    except BaseException as e:
        failed = e
    result = INTERRUPTED if isinstance(raised, KeyboardInterrupt) else 1
    if isinstance(failed, SystemExit):
        result = status(failed)
    elif failed is not None:
        failed.__traceback__ = failed.__traceback__.tb_next
        print("Error in sys.excepthook:", file=sys.stderr)
        sys.__excepthook__(type(failed), failed, failed.__traceback__)
        print("\nOriginal exception was:", file=sys.stderr)
        sys.__excepthook__(type(raised), raised, raised.__traceback__)
    failed = None  # as in run
    return result


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
    for name in "stdout", "stderr":
        try:
            s = getattr(sys, name, None)
            if s is not None and not getattr(s, "closed", False):
                s.flush()
        except BaseException:
            failed = True
    return failed


def end(code):
    """Ends as the interpreter does, but for taking down its own modules, which
    nobody sees and which takes longer than most programs: the threads, what is
    to be done at exit, the program's modules with their destructors, and the
    streams."""
    threading = sys.modules.get("threading")
    if threading is not None:
        try:
            threading._shutdown()
        except BaseException as e:
            sys.excepthook(type(e), e, e.__traceback__)
    atexit._run_exitfuncs()
    failed = flush()
    for name in "stdin", "stdout", "stderr":
        setattr(sys, name, getattr(sys, "__%s__" % name, None))
    for name in ("last_type", "last_value", "last_traceback", "last_exc", *(set(vars(sys)) - ours)):
        vars(sys)[name] = None
    failed = wind_up([vars(m) for n, m in added() if own(n, m)]) or failed
    if code == INTERRUPTED:
        import signal
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGINT)
    _exit(120 if failed else code)


def added():
    """The main module and those that were loaded or made since there are orders, as
    sys.modules has them. To look at another is to copy its page."""
    import gc
    main = sys.modules.get("__main__")
    left = {id(o) for o in gc.get_objects() if type(o) is type(sys)} - {id(main)}  # the others are frozen
    found = []
    try:
        for name in reversed(sys.modules):  # the youngest first
            if not left:
                break
            module = sys.modules[name]
            if id(module) in left:
                left.remove(id(module))
                found.append((name, module))
    except Exception:  # a thread loads more
        return list(sys.modules.items())
    return [("__main__", main), *reversed(found)]


def own(name, module):
    """Tells whether a module is the program's: its main one, one of its files, or
    one that it made by hand."""
    if name == "__main__" or type(module) is not type(sys):
        return name == "__main__" and type(module) is type(sys)
    names = vars(module)
    return names.get("__spec__") is None or str(names.get("__file__", "")).startswith(WORKSPACE + "/")


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
