"""A small stand-in for pytest: what tests of model code use, and no plugins.

It collects functions and classes, resolves fixtures, and is the module that
"import pytest" gives.
"""
import ast
import itertools
import sys
import types

from _glovebox.exam import Skip, bounded_repr, last_name


class Failed(AssertionError):
    """pytest.fail was called, or something that had to raise did not."""


class Mark:
    """A mark, as a decorator and as what it left on a function."""

    def __init__(self, name, args=(), kwargs=None):
        self.name, self.args, self.kwargs = name, args, kwargs or {}

    def __call__(self, *args, **kwargs):
        if len(args) == 1 and not kwargs and isinstance(args[0], (types.FunctionType, type)):
            target = args[0]
            target.pytestmark = [self] + [m for m in vars(target).get("pytestmark", [])]
            return target
        return Mark(self.name, args, kwargs)


class Marks:
    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return Mark(name)


class Param:
    """One set of values of a parametrized test."""

    def __init__(self, values, marks, id):
        self.values, self.id = values, id
        self.marks = [marks] if isinstance(marks, Mark) else list(marks)


class Fixture:
    def __init__(self, f, scope="function", autouse=False, params=None, name=None):
        self.f, self.scope, self.autouse = f, scope, autouse
        self.params, self.name = params, name or f.__name__


class Request:
    """What a fixture learns of its test."""

    def __init__(self, space, test, param=None):
        self.param, self.node, self.function, self._space = param, test, test.f, space
        self.config = None

    def getfixturevalue(self, name):
        return self._space.value(name)

    def addfinalizer(self, f):
        self._space.undo.append(f)


class Raises:
    """The context of pytest.raises."""

    def __init__(self, expected, match=None):
        self.expected, self.match, self.info = expected, match, None

    def __enter__(self):
        self.info = ExceptionInfo()
        return self.info

    def __exit__(self, kind, value, tb):
        names = " or ".join(c.__name__ for c in (self.expected if isinstance(self.expected, tuple) else (self.expected,)))
        if kind is None:
            raise Failed("DID NOT RAISE %s" % names)
        if not issubclass(kind, self.expected):
            return False
        self.info.type, self.info.value, self.info.tb = kind, value, tb
        if self.match is not None:
            self.info.match(self.match)
        return True


class ExceptionInfo:
    type = value = tb = None

    @property
    def typename(self):
        return self.type.__name__

    def match(self, pattern):
        import re
        if not re.search(pattern, str(self.value)):
            raise Failed("the error's text %s does not match %r" % (bounded_repr(str(self.value)), pattern))
        return True

    def errisinstance(self, c):
        return isinstance(self.value, c)


def raises(expected, *args, match=None, **kwargs):
    context = Raises(expected, match)
    if not args:
        return context
    with context as info:
        args[0](*args[1:], **kwargs)
    return info


class approx:
    """Equal within a tolerance; numbers, and sequences and mappings of them."""

    __array_ufunc__ = None
    __hash__ = None

    def __init__(self, expected, rel=None, abs=None, nan_ok=False):
        self.expected, self.rel, self.abs, self.nan_ok = expected, rel, abs, nan_ok

    def _near(self, actual, expected):
        if isinstance(expected, dict):
            return type(actual) is type(expected) and actual.keys() == expected.keys() and all(
                self._near(actual[k], expected[k]) for k in expected)
        if isinstance(expected, (list, tuple)):
            return isinstance(actual, (list, tuple)) and len(actual) == len(expected) and all(
                map(self._near, actual, expected))
        if isinstance(expected, bool) or expected is None or isinstance(expected, str):
            return actual == expected
        # Exactly numbers: what overrides arithmetic is no number.
        kind = type(actual)
        if kind not in (int, float, bool, complex) and kind.__module__ not in ("decimal", "fractions", "numpy"):
            return False
        if actual == expected:
            return True
        if actual != actual or expected != expected:
            return bool(self.nan_ok and actual != actual and expected != expected)
        infinite = float("inf")
        if abs(actual) == infinite or abs(expected) == infinite:
            return False
        relative = 1e-6 if self.rel is None and self.abs is None else self.rel or 0
        absolute = 1e-12 if self.abs is None else self.abs
        if kind.__module__ == "decimal" or type(expected).__module__ == "decimal":
            actual, expected = float(actual), float(expected)
        return bool(abs(actual - expected) <= max(relative * abs(expected), absolute))

    def __eq__(self, actual):
        return self._near(actual, self.expected)

    def __ne__(self, actual):
        return not self == actual

    def __repr__(self):
        return "approx(%s)" % bounded_repr(self.expected)


class MonkeyPatch:
    """The fixture monkeypatch."""

    def __init__(self):
        self._undo = []

    def setattr(self, target, name, value=None, raising=True):
        if isinstance(target, str):
            module, _, attr = target.rpartition(".")
            __import__(module)
            target, name, value = sys.modules[module], attr, name
        had, old = hasattr(target, name), getattr(target, name, None)
        if raising and not had:
            raise AttributeError(name)
        self._undo.append(lambda: setattr(target, name, old) if had else delattr(target, name))
        setattr(target, name, value)

    def delattr(self, target, name, raising=True):
        if raising or hasattr(target, name):
            old = getattr(target, name)
            self._undo.append(lambda: setattr(target, name, old))
            delattr(target, name)

    def setitem(self, target, key, value):
        had, old = key in target, target.get(key)
        self._undo.append(lambda: target.__setitem__(key, old) if had else target.pop(key, None))
        target[key] = value

    def delitem(self, target, key, raising=True):
        if raising or key in target:
            old = target.pop(key)
            self._undo.append(lambda: target.__setitem__(key, old))

    def setenv(self, name, value, prepend=None):
        import os
        self.setitem(os.environ, name, str(value))

    def delenv(self, name, raising=True):
        import os
        self.delitem(os.environ, name, raising)

    def chdir(self, path):
        import os
        old = os.getcwd()
        self._undo.append(lambda: os.chdir(old))
        os.chdir(path)

    def syspath_prepend(self, path):
        sys.path.insert(0, str(path))
        self._undo.append(lambda: sys.path.remove(str(path)))

    def undo(self):
        while self._undo:
            self._undo.pop()()


class Capture:
    """The fixture capsys."""

    def __init__(self):
        import io
        self.old = sys.stdout, sys.stderr
        sys.stdout, sys.stderr = io.StringIO(), io.StringIO()

    def readouterr(self):
        import collections
        out = collections.namedtuple("CaptureResult", "out err")(sys.stdout.getvalue(), sys.stderr.getvalue())
        for s in (sys.stdout, sys.stderr):
            s.seek(0)
            s.truncate()
        return out

    def close(self):
        sys.stdout, sys.stderr = self.old


def fixture_monkeypatch(request):
    patch = MonkeyPatch()
    yield patch
    patch.undo()


def fixture_capsys(request):
    capture = Capture()
    yield capture
    capture.close()


def fixture_tmp_path(request):
    import pathlib
    import tempfile
    with tempfile.TemporaryDirectory() as d:
        yield pathlib.Path(d)


BUILTIN = {"monkeypatch": Fixture(fixture_monkeypatch), "capsys": Fixture(fixture_capsys), "tmp_path": Fixture(fixture_tmp_path)}


def fixture(f=None, scope="function", autouse=False, params=None, name=None, ids=None):
    make = lambda f: Fixture(f, scope, autouse, params, name)
    return make(f) if f is not None else make


def fail(reason="", pytrace=True, msg=None):
    raise Failed(reason or msg or "pytest.fail")


def skip(reason="", allow_module_level=False, msg=None):
    raise Skip(reason or msg or "")


def xfail(reason=""):
    raise Skip("it is expected to fail: " + reason)


def importorskip(name, minversion=None, reason=None):
    try:
        __import__(name)
    except ImportError:
        raise Skip("no module %s" % name)
    return sys.modules[name]


def param(*values, marks=(), id=None):
    return Param(values, marks, id)


def module():
    """Makes the module pytest."""
    m = types.ModuleType("pytest")
    m.__dict__.update(
        raises=raises, approx=approx, mark=Marks(), fixture=fixture, param=param, fail=fail, skip=skip, xfail=xfail,
        importorskip=importorskip, main=lambda *a, **k: 0, MonkeyPatch=MonkeyPatch, CaptureFixture=Capture,
        FixtureRequest=Request, ExceptionInfo=ExceptionInfo, __version__="8.0.0")
    fail.Exception, skip.Exception = Failed, Skip
    return m


# Collection.

class Test:
    """One test with one set of parameters."""

    def __init__(self, name, function, f, cls, values, fixtures, runner):
        self.function = function
        self.name, self.f, self.cls, self.values = name, f, cls, values
        self.fixtures, self.runner = fixtures, runner
        self.skip, self.static, self.xfail = None, False, False

    def run(self):
        space = Space(self)
        try:
            space.prepare()
            target = space.instance
            result = self.f(*([target] if target is not None else []), **{n: space.value(n) for n in space.wanted(self.f, target is not None)})
            if hasattr(result, "send") and hasattr(result, "cr_frame"):
                import asyncio
                asyncio.run(result)
        finally:
            space.finish()


class Space:
    """The fixtures of one test."""

    shared = {}

    def __init__(self, test):
        self.test, self.made, self.undo = test, {}, []
        self.instance = None

    def prepare(self):
        t = self.test
        if t.cls is not None:
            self.instance = t.cls()
            self.hook("setup_class", t.cls, once=True)
        module = sys.modules.get(t.f.__module__)
        if module is not None:
            self.module_hook("setup_module", module)
            self.module_hook("setup_function", module, once=False)
        for name, f in t.fixtures.items():
            if f.autouse:
                self.value(name)
        if self.instance is not None:
            for n in ("setup_method", "setup"):
                f = getattr(self.instance, n, None)
                if f is not None:
                    f(*([t.f] if f.__code__.co_argcount > 1 else []))
            for n in ("teardown_method", "teardown"):
                f = getattr(self.instance, n, None)
                if f is not None:
                    self.undo.append(lambda f=f: f(*([t.f] if f.__code__.co_argcount > 1 else [])))

    def hook(self, name, owner, once):
        key = (name, owner)
        f = getattr(owner, name, None)
        if f is not None and key not in Space.shared:
            Space.shared[key] = True
            f()

    def module_hook(self, name, module, once=True):
        f = vars(module).get(name)
        if type(f) is types.FunctionType and not (once and (name, module) in Space.shared):
            Space.shared[name, module] = True
            f(*([module] if f.__code__.co_argcount else []))

    @staticmethod
    def wanted(f, bound):
        code = f.__code__
        return code.co_varnames[1 if bound else 0:code.co_argcount - len(f.__defaults__ or ())] + \
            code.co_varnames[code.co_argcount:code.co_argcount + code.co_kwonlyargcount]

    def value(self, name):
        t = self.test
        if name in t.values:
            return t.values[name]
        if name == "request":
            return Request(self, t)
        f = t.fixtures.get(name) or BUILTIN.get(name)
        if f is None:
            if name in ("candidate", t.runner.entry) and t.runner.entry:
                return t.runner.world.entry(t.runner.entry)
            raise LookupError("fixture %r not found" % name)
        key = (id(f), t.values.get("@" + name))
        store = self.made if f.scope == "function" else Space.shared
        if key not in store:
            store[key] = self.make(f, t.values.get("@" + name))
        return store[key]

    def make(self, f, param):
        bound = self.wanted(f.f, False)[:1] == ("self",)
        kwargs = {}
        for n in self.wanted(f.f, bound):
            kwargs[n] = Request(self, self.test, param) if n == "request" else self.value(n)
        v = f.f(*([self.instance] if bound else []), **kwargs)
        if isinstance(v, types.GeneratorType):
            g, v = v, next(v)
            if f.scope == "function":
                self.undo.append(lambda: next(g, None))
            else:
                self.test.runner.at_end.append(lambda: next(g, None))
        return v

    def finish(self):
        error = None
        while self.undo:
            try:
                self.undo.pop()()
            except BaseException as e:
                error = error or e
        if error is not None:
            raise error


def collect(runner, mod, reading):
    """Yields the tests that a module defines, in the order of its lines."""
    fixtures = dict(runner.conftest)
    fixtures.update({f.name if f.name != f.f.__name__ else n: f for n, f in vars(mod).items() if isinstance(f, Fixture)})
    if reading.path.rsplit("/", 1)[-1] == "conftest.py":
        runner.conftest = fixtures
        return
    runner.at_end = []
    module_marks = marks_of(mod)
    for name, v in list(vars(mod).items()):
        if name.startswith("test") and runner.mine(v, reading) and name not in reading.helpers:
            yield from expand(runner, reading, name, v, None, module_marks, fixtures)
        elif isinstance(v, type) and name.startswith("Test") and v.__module__ == mod.__name__ and not is_unittest(v):
            if v.__init__ is not object.__init__:
                continue
            local = dict(fixtures)
            members = {}
            for base in reversed(v.__mro__[:-1]):
                members.update(vars(base))
            local.update({n: f for n, f in members.items() if isinstance(f, Fixture)})
            for n, f in members.items():
                f = f.__func__ if isinstance(f, (staticmethod, classmethod)) else f
                if n.startswith("test") and runner.mine(f, reading):
                    yield from expand(runner, reading, "%s::%s" % (name, n), f, v, module_marks + marks_of(v), local)
    for f in reversed(runner.at_end):
        f()


def written(mod, reading):
    """Names the tests that the text defines and that collecting must find."""
    names = set()
    for node in reading.tree.body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name.startswith("test") and \
                node.name not in reading.helpers:
            names.add(node.name)
        elif isinstance(node, ast.ClassDef) and node.name.startswith("Test") and not is_unittest(vars(mod).get(node.name)):
            names.update("%s::%s" % (node.name, n.name) for n in node.body
                         if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef)) and n.name.startswith("test"))
    return names


def is_unittest(c):
    u = sys.modules.get("unittest")
    return u is not None and hasattr(u, "TestCase") and isinstance(c, type) and issubclass(c, u.TestCase)


def marks_of(owner):
    marks = vars(owner).get("pytestmark", [])
    return [m for m in (marks if isinstance(marks, list) else [marks]) if isinstance(m, Mark)]


def expand(runner, reading, name, f, cls, marks, fixtures):
    """Yields a test for each combination of its parameters."""
    marks = marks + marks_of(f)
    axes = []
    for m in marks:
        if m.name == "parametrize":
            names = m.args[0] if m.args else m.kwargs["argnames"]
            rows = m.args[1] if len(m.args) > 1 else m.kwargs["argvalues"]
            names = [n.strip() for n in names.split(",")] if isinstance(names, str) else list(names)
            indirect = m.kwargs.get("indirect")
            axis = []
            for row in rows:
                p = row if isinstance(row, Param) else Param((row,) if len(names) == 1 else tuple(row), (), None)
                keys = ["@" + n if indirect is True or indirect and n in indirect else n for n in names]
                axis.append((dict(zip(keys, p.values)), p))
            axes.append(axis)
    code = f.__code__
    for n in code.co_varnames[:code.co_argcount]:
        if n in fixtures and fixtures[n].params is not None:
            axes.append([({"@" + n: v}, Param((v,), (), None)) for v in fixtures[n].params])
    for combination in itertools.product(*axes):
        values = {}
        for given, _ in combination:
            values.update(given)
        label = "-".join(p.id or ",".join(bounded_repr(v, 40) for v in p.values) for _, p in combination)
        test = Test(name + ("[%s]" % label if label else ""), name, f, cls, values, fixtures, runner)
        for m in marks + [m for _, p in combination for m in p.marks]:
            if m.name == "skip":
                test.skip, test.static = str(m.kwargs.get("reason") or (m.args or [""])[0]), True
            elif m.name == "skipif" and (m.args or [m.kwargs.get("condition")])[0]:
                test.skip, test.static = str(m.kwargs.get("reason", "")), static(reading, f, cls)
            elif m.name == "xfail":
                test.skip, test.static = "it is expected to fail", True
        yield test


def static(reading, f, cls):
    """Tells whether the conditions of skips look at no program."""
    names = (f.__name__, cls.__name__ if cls else "")
    for node in ast.walk(reading.tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) and node.name in names:
            for d in node.decorator_list:
                if isinstance(d, ast.Call) and last_name(d.func) == "skipif" and any(map(reading.dubious, d.args)):
                    return False
    return "pytestmark" not in reading.own
