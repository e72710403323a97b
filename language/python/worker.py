"""The candidate's side of an exam: loads the program and serves calls to it.

It shares its process with the program, so nothing here is trusted: the
harness, in another box, checks every byte that comes over the link.
"""
import _thread
import builtins
import importlib
import io
import os
import sys
from _frozen_importlib import module_from_spec
from _frozen_importlib_external import SourceFileLoader, spec_from_file_location

from _glovebox import layout, wire
from _glovebox.wire import OPERATORS, PURE, Decoder, Encoder, Unencodable, Violation, read_frame, write_frame

WORKSPACE = "/workspace"
LINK_IN, LINK_OUT = 3, 4
FUNCTIONS = tuple(type(f) for f in (lambda: 0, len, [].append, Encoder.many, str.join, "".__add__, int.__add__))
PLAIN = (int, float, str, bytes, tuple, list, dict, set, frozenset, bytearray)
METHODS = (type(io.StringIO().write), type(Encoder().many))
_module = type(sys)


class Worker:
    def __init__(self):
        self.handles, self.ids = [], {}
        self.named = set()  # ids of classes that the tests got by name
        self.numbers = []  # of the requests that are being served
        self.mirrors = {}  # (kind, number): what stands for a test's object
        self.exceptions = {}
        self.capture = False
        self.loop = None
        self.lock = _thread.RLock()

    # Requests.

    def run(self):
        while True:
            request = read_frame(LINK_IN)
            if request is None:
                end()
            self.serve(request)

    def serve(self, request):
        reply = {"n": request["n"]}
        self.numbers.append(request["n"])
        out, tap = sys.stdout, None
        if self.capture:
            tap = sys.stdout = io.StringIO()
        try:
            reply.update(getattr(self, "do_" + request["op"])(request))
        except Unencodable as e:
            reply["opaque"] = str(e)
        except BaseException as e:
            reply["x"] = self.exception(e)
        finally:
            self.numbers.pop()
            if tap is not None:
                sys.stdout = out
                try:
                    reply["out"] = Encoder()(tap.getvalue())
                    out.write(tap.getvalue())
                except Exception:
                    pass
        with self.lock:
            write_frame(LINK_OUT, reply)

    def do_open(self, m):
        """Compiles every file, before any of them runs. A tree without a main
        file may have some that nobody imports and that do not compile."""
        self.capture, self.main = m["capture"], m["main"]
        if m["tables"]:
            from _glovebox import tables
            tables.enable()
            LIBRARIES.update(layout.LIBRARIES)
        for path in m["files"] if self.main else ():
            found = syntax_error(path)
            if found is not None:
                return {"syntax": found}
        sys.path[:0] = search_path(self.main, m["files"])
        sys.argv[0] = self.main
        return {"v": None}

    def do_end(self, m):
        end()

    def do_import(self, m):
        """Imports a module of the program; "" is its main file."""
        name = m["name"]
        try:
            mod = self.load_main() if name == "" else importlib.import_module(name)
        except BaseException as e:
            print_exception(e)
            raise
        names = getattr(mod, "__all__", None)
        if not isinstance(names, (list, tuple)):
            names = [k for k in vars(mod) if not k.startswith("_")]
        return {"v": self.handle(mod), "names": [str(n) for n in names]}

    def load_main(self):
        path = os.path.join(WORKSPACE, self.main)
        name = os.path.splitext(os.path.basename(path))[0]
        if name in sys.modules and getattr(sys.modules[name], "__file__", None) == path:
            mod = sys.modules[name]
        else:
            spec = spec_from_file_location(name, path, loader=SourceFileLoader(name, path))
            mod = sys.modules[name] = module_from_spec(spec)
            try:
                spec.loader.exec_module(mod)
            except BaseException:
                sys.modules.pop(name, None)
                raise
        sys.modules.setdefault("solution", mod)
        return mod

    def do_attr(self, m):
        owner, name = self.handles[m["h"]], m["name"]
        v = getattr(owner, name)
        if isinstance(owner, _module) and isinstance(v, type):
            self.named.add(id(v))
        if isinstance(v, METHODS) and getattr(v, "__self__", None) is owner and not isinstance(owner, _module):
            return {"v": {"bound": name}}
        return {"v": self.encoder()(v)}

    def do_names(self, m):
        """Gives those of some names that a module has."""
        owner = self.handles[m["h"]]
        return {"v": [[n, self.do_attr({"h": m["h"], "name": n})["v"]] for n in m["names"] if hasattr(owner, n)]}

    def do_set(self, m):
        setattr(self.handles[m["h"]], m["name"], self.decoder()(m["v"]))
        return {"v": None}

    def do_delete(self, m):
        delattr(self.handles[m["h"]], m["name"])
        return {"v": None}

    def do_call(self, m):
        return self.apply(self.handles[m["h"]], m)

    def do_method(self, m):
        owner, name = self.handles[m["h"]], m["name"]
        if name in OPERATORS:
            f = getattr(type(owner), name)
            return self.apply(lambda *a: f(owner, *a), m)
        return self.apply(getattr(owner, name), m)

    def apply(self, f, m):
        """Calls f and gives back the result and the arguments it changed."""
        dec = self.decoder()
        forms = [m["a"], m.get("k", {})]
        args = [dec(x) for x in forms[0]]
        kwargs = {k: dec(x) for k, x in forms[1].items()}
        reply = {}
        try:
            result = f(*args, **kwargs)
            reply["v"] = self.encoder({id(o): i for i, o in enumerate(dec.table)})(result)
        except Unencodable as e:
            reply["opaque"] = str(e)
        except BaseException as e:
            reply["x"] = self.exception(e)
        if dec.table:
            again = self.encoder()
            try:
                if [[again(a) for a in args], {k: again(a) for k, a in kwargs.items()}] != forms:
                    reply["changed"] = [
                        [i, self.encoder({id(x): j for j, x in enumerate(dec.table) if x is not o})(o)]
                        for i, o in enumerate(dec.table)]
            except Unencodable:
                pass
        return reply

    def do_describe(self, m):
        """Describes a class: its name, bases and special methods."""
        c = self.handles[m["h"]]
        bases = [[0, b.__name__] if b.__module__ == "builtins" else [1, self.keep(b)] for b in c.__bases__]
        special = [n for n in OPERATORS if getattr(c, n, None) not in (None, getattr(object, n, None))]
        members = []
        if "enum" in sys.modules and isinstance(c, sys.modules["enum"].EnumMeta):
            members = [self.keep(v) for v in c.__members__.values()]
        return {"v": [c.__name__, bases, special, issubclass(c, BaseException), members]}

    def do_copy(self, m):
        import copy
        return {"v": self.handle((copy.deepcopy if m["deep"] else copy.copy)(self.handles[m["h"]]))}

    def do_wait(self, m):
        """Runs what can be awaited to its end. There is one loop, as asynchronous
        generators live longer than one wait."""
        import asyncio

        async def wait():
            return await self.handles[m["h"]]
        if self.loop is None:
            self.loop = asyncio.new_event_loop()
        return {"v": self.encoder()(self.loop.run_until_complete(wait()))}

    def do_seed(self, m):
        import random
        random.seed(*[self.decoder()(v) for v in m["v"]])
        return {"v": None}

    # Values to the harness.

    def keep(self, v):
        i = self.ids.get(id(v))
        if i is None:
            i = self.ids[id(v)] = len(self.handles)
            self.handles.append(v)
        return i

    def encoder(self, refs=None):
        return Encoder(self.special, refs)

    def handle(self, v):
        if isinstance(v, _module):
            return {"h": [self.keep(v), "m"]}
        if isinstance(v, type):
            return {"h": [self.keep(v), "c"]}
        if hasattr(type(v), "__await__"):
            return {"h": [self.keep(v), "a"]}
        if isinstance(v, FUNCTIONS):
            return {"h": [self.keep(v), "f", str(getattr(v, "__name__", "?"))]}
        form = [self.keep(v), "o", self.keep(type(v))]
        if issubclass(type(v), PLAIN):
            try:
                form.append(Encoder()(v))
            except Exception:
                pass
        return {"h": form}

    def special(self, v):
        t = type(v)
        if issubclass(t, (Mirror, MirrorFunction)):
            return {"back": v.__dict__["_mirror"][1]}
        if t.__module__ == "numpy" and getattr(v, "ndim", 1) == 0 and hasattr(v, "item"):
            return Encoder()(v.item())
        if isinstance(v, _module):
            return {"mod": v.__name__} if standard(v.__name__) else self.handle(v)
        if isinstance(v, FUNCTIONS) or isinstance(v, type):
            if isinstance(v, type) and "_mirror" in vars(v):
                return {"back": v._mirror[1]}
            return by_name(v) or self.handle(v)
        if issubclass(t, BaseException):
            return {"xv": self.exception(v)}
        if issubclass(t, PLAIN):
            methods = issubclass(t, tuple) and hasattr(t, "_fields") and any(map(callable, tuple.__iter__(v)))
            return self.handle(v) if methods or id(t) in self.named else None
        return self.handle(v)

    def exception(self, e, depth=0):
        """Describes an exception: class, arguments, attributes, text, place."""
        back = getattr(e, "_mirror", None)
        if back is not None:
            return {"back": back[1]}
        t = type(e)
        out = {"m": str(t.__module__), "q": str(t.__qualname__),
               "mro": [c.__name__ for c in t.__mro__ if c.__module__ == "builtins"], "at": place(e)}
        if not standard(t.__module__):
            out["c"] = self.keep(t)
        enc = self.encoder()
        try:
            out["text"] = enc(str(e)[:4000])
        except BaseException:
            pass
        out["a"] = []
        for a in e.args[:20]:
            try:
                out["a"].append(enc(a))
            except BaseException:
                out["a"].append(out.get("text"))
        d = []
        for k in [*vars(e), *(k for k in dir(t) if k[:1] != "_" and isinstance(getattr(t, k, None), property))][:20]:
            try:
                d.append([str(k), self.encoder()(getattr(e, k))])
            except BaseException:
                pass
        if d:
            out["d"] = d
        if isinstance(e.__cause__, BaseException) and depth < 3:
            out["cause"] = self.exception(e.__cause__, depth + 1)
        return out

    # Values from the harness.

    def decoder(self):
        return Decoder({
            "h": lambda s, form, d: self.handles[form],
            "m": lambda s, form, d: getattr(self.handles[form[0]], form[1]),
            "sl": lambda s, form, d: slice(*[s.value(x, d) for x in form]),
            "g": lambda s, form, d: resolve(form),
            "mod": lambda s, form, d: importlib.import_module(form),
            "test": lambda s, form, d: self.mirror(*form),
            "xv": lambda s, form, d: self.raised(form),
        })

    def mirror(self, kind, number, name, special):
        """Makes what stands here for a function, an object or a class of the tests."""
        found = self.mirrors.get(number)
        if found is None:
            if kind == "f":
                found = MirrorFunction()
                found.__dict__.update(_mirror=(self, number), __name__=name)
            elif kind == "x":
                base = getattr(builtins, special[0], Exception)
                found = type(name, (base,), {"_mirror": (self, number), "__module__": "tests"})
            else:
                ns = {n: reach(n) for n in special if n in OPERATORS}
                found = type(name, (Mirror,), ns)() if ns else Mirror()
                found.__dict__["_mirror"] = (self, number)
            self.mirrors[number] = found
        return found

    def raised(self, form):
        """Makes the exception that a test's function raised."""
        c = getattr(builtins, form["q"], None)
        if "class" in form:
            c = self.mirror("x", *form["class"])
        if not (isinstance(c, type) and issubclass(c, BaseException)):
            c = Exception
        try:
            e = c(*[self.decoder()(a) for a in form["a"]])
        except Exception:
            e = Exception(form["q"])
        e._mirror = (self, form["number"])
        return e

    def ask(self, kind, number, name, args=(), kwargs=None):
        """Asks the harness to use an object of the tests, during a request."""
        if not self.numbers:
            raise RuntimeError("a test's function was called after the call that it was given to had ended")
        with self.lock:
            enc = self.encoder()
            write_frame(LINK_OUT, {"n": self.numbers[-1], "back": [
                kind, number, name, [enc(a) for a in args], {k: enc(v) for k, v in (kwargs or {}).items()}]})
            while True:
                m = read_frame(LINK_IN)
                if m is None:
                    end()
                if m["op"] != "back":
                    self.serve(m)
                    continue
                if "x" in m:
                    raise self.raised(m["x"])
                return self.decoder()(m["v"])


def search_path(main, files):
    """sys.path as `python3 main.py` has it, and the roots of the tree."""
    found = [os.path.dirname(os.path.join(WORKSPACE, main))] if main else []
    for root in layout.roots(files):
        folder = os.path.join(WORKSPACE, root).rstrip("/")
        if folder not in found:
            found.append(folder)
    return found


def end():
    """The harness is done: what was printed is all that is left to do."""
    for s in (sys.stdout, sys.stderr):
        try:
            s.flush()
        except Exception:
            pass
    os._exit(0)


class MirrorFunction:
    """A function of the tests."""

    def __call__(self, *args, **kwargs):
        worker, number = self._mirror
        return worker.ask("call", number, "", args, kwargs)


class Mirror:
    """An object of a class that the tests define."""

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        worker, number = self.__dict__["_mirror"]
        return worker.ask("get", number, name)

    def __setattr__(self, name, value):
        worker, number = self.__dict__["_mirror"]
        worker.ask("set", number, name, (value,))


def reach(name):
    def method(self, *args):
        worker, number = self.__dict__["_mirror"]
        return worker.ask("special", number, name, args)
    return method


# A namespace that holds functions is an object like those of classes.
namespace = "types", "SimpleNamespace"
wire.LATE[namespace] = (*wire.LATE[namespace], lambda v: not any(map(callable, vars(v).values())))

LIBRARIES = set()  # that both sides have


def standard(name):
    top = str(name).split(".")[0]
    return top in sys.stdlib_module_names or top in LIBRARIES


def by_name(v):
    module, name = getattr(v, "__module__", None), getattr(v, "__qualname__", None)
    if isinstance(module, str) and module in PURE and isinstance(name, str) and "<" not in name:
        try:
            if resolve([module, name]) is v:
                return {"g": [module, name]}
        except (ImportError, AttributeError):
            pass
    return None


def resolve(form):
    o = importlib.import_module(form[0])
    for part in form[1].split("."):
        o = getattr(o, part)
    return o


def syntax_error(path):
    """Compiles one file and returns where the parser stopped, or None."""
    full = os.path.join(WORKSPACE, path)
    try:
        with open(full, "rb") as f:
            compile(f.read(), full, "exec", dont_inherit=True)
    except SyntaxError as e:
        sys.excepthook(type(e), e.with_traceback(None), None)
        return {"file": path, "line": e.lineno or 0, "column": e.offset or 0, "message": str(e.msg)}
    except (ValueError, RecursionError, MemoryError, OverflowError) as e:
        return {"file": path, "line": 0, "column": 0, "message": str(e) or type(e).__name__}
    return None


def place(e):
    """Says in which file and line of the program an exception was raised."""
    found, tb, n = None, e.__traceback__, 0
    while tb is not None and n < 5000:
        name = tb.tb_frame.f_code.co_filename
        if isinstance(name, str) and name.startswith(WORKSPACE + "/"):
            found = [name[len(WORKSPACE) + 1:], tb.tb_lineno]
        tb, n = tb.tb_next, n + 1
    return found


def print_exception(e):
    """Prints a traceback that begins in the program's own files."""
    tb = e.__traceback__
    while tb is not None and not tb.tb_frame.f_code.co_filename.startswith(WORKSPACE + "/"):
        tb = tb.tb_next
    try:
        sys.excepthook(type(e), e.with_traceback(tb), tb)
    except Exception:
        pass


def main():
    for fd in (LINK_IN, LINK_OUT):
        os.set_inheritable(fd, False)
    Worker().run()

