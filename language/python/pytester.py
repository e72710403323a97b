"""A small stand-in for pytest: what tests of model code use, and no plugins.

It collects functions and classes, resolves fixtures, and is the module that
"import pytest" gives.
"""
import importlib
import itertools
import sys
import types

from _glovebox import trees as ast
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
    def __init__(self, f, scope="function", autouse=False, params=None, name=None, ids=None):
        self.f, self.scope, self.autouse = f, scope if scope in ("function", "class", "module") else "session", autouse
        self.params, self.name, self.ids = params, name or f.__name__, ids
        self.above = None  # the fixture of the same name that this one stands before


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


def is_array(v):
    return any(c.__module__ == "numpy" and c.__name__ == "ndarray" for c in type(v).__mro__) and v.ndim > 0


class approx:
    """Equal within a tolerance; numbers, and sequences and mappings of them."""

    __array_ufunc__ = None
    __hash__ = None

    def __init__(self, expected, rel=None, abs=None, nan_ok=False):
        self.expected, self.rel, self.abs, self.nan_ok = expected, rel, abs, nan_ok

    def _near(self, actual, expected):
        if is_array(expected):
            if is_array(actual) and actual.shape != expected.shape:
                return False
            expected = expected.tolist()
        if is_array(actual) and isinstance(expected, (list, tuple)):
            actual = actual.tolist()
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


class Folders:
    """The fixture tmp_path_factory."""

    def __init__(self):
        import tempfile
        self.made = tempfile.TemporaryDirectory()

    def mktemp(self, basename, numbered=True):
        import pathlib
        import tempfile
        return pathlib.Path(tempfile.mkdtemp(prefix=basename, dir=self.made.name))


def fixture_tmp_path_factory(request):
    folders = Folders()
    yield folders
    folders.made.cleanup()


def fixture_tmp_path(request):
    folders = Folders()
    yield folders.mktemp("test")
    folders.made.cleanup()


class LogCapture:
    """The fixture caplog."""

    def __init__(self):
        import logging
        self.records, self.text, self.messages, self.record_tuples = [], "", [], []
        self.handler = logging.Handler()
        self.handler.emit = self.emit
        self.root, self.levels = logging.getLogger(), []
        self.root.addHandler(self.handler)

    def emit(self, record):
        message = record.getMessage()
        self.records.append(record)
        self.messages.append(message)
        self.record_tuples.append((record.name, record.levelno, message))
        self.text += "%-8s %s:%s:%d %s\n" % (record.levelname, record.name, record.filename, record.lineno, message)

    def set_level(self, level, logger=None):
        import logging
        target = logging.getLogger(logger)
        self.levels.append((target, target.level))
        target.setLevel(level)

    def at_level(self, level, logger=None):
        import contextlib
        self.set_level(level, logger)
        target, old = self.levels.pop()
        context = contextlib.ExitStack()
        context.callback(target.setLevel, old)
        return context

    def clear(self):
        self.text = ""
        for kept in (self.records, self.messages, self.record_tuples):
            kept.clear()

    def close(self):
        self.root.removeHandler(self.handler)
        while self.levels:
            target, old = self.levels.pop()
            target.setLevel(old)


def fixture_caplog(request):
    capture = LogCapture()
    yield capture
    capture.close()


def fixture_recwarn(request):
    import warnings
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("default")
        yield seen


BUILTIN = {f.__name__[len("fixture_"):]: Fixture(f, scope) for f, scope in (
    (fixture_monkeypatch, "function"), (fixture_capsys, "function"), (fixture_tmp_path, "function"),
    (fixture_tmp_path_factory, "session"), (fixture_caplog, "function"), (fixture_recwarn, "function"))}


class Warned:
    """The context of pytest.warns."""

    def __init__(self, expected, match=None):
        import warnings
        self.expected, self.match, self.caught = expected, match, warnings.catch_warnings(record=True)

    def __enter__(self):
        import warnings
        self.list = self.caught.__enter__()
        warnings.simplefilter("always")
        return self.list

    def __exit__(self, kind, value, tb):
        import re
        self.caught.__exit__(kind, value, tb)
        if kind is None and not any(issubclass(w.category, self.expected) and (
                self.match is None or re.search(self.match, str(w.message))) for w in self.list):
            raise Failed("DID NOT WARN")


def warns(expected=Warning, *args, match=None, **kwargs):
    context = Warned(expected, match)
    if not args:
        return context
    with context:
        return args[0](*args[1:], **kwargs)


def deprecated_call(*args, **kwargs):
    return warns((DeprecationWarning, PendingDeprecationWarning), *args, **kwargs)


def fixture(f=None, scope="function", autouse=False, params=None, name=None, ids=None):
    make = lambda f: Fixture(f, scope, autouse, params, name, ids)
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
        importorskip=importorskip, warns=warns, deprecated_call=deprecated_call, main=lambda *a, **k: 0, MonkeyPatch=MonkeyPatch, CaptureFixture=Capture,
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
        self.skip, self.static, self.uses = None, False, ()
        self.strict = None  # of a test that is expected to fail: whether it must

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

    def __init__(self, test):
        self.test, self.made, self.undo = test, {}, []
        self.instance = None

    def prepare(self):
        t = self.test
        if t.cls is not None:
            self.instance = t.cls()
            self.hook("class", t.cls, t.cls)
        module = sys.modules.get(t.f.__module__)
        if module is not None:
            self.hook("module", module, module)
            self.module_hook("setup_function", module)
            self.undo.append(lambda: self.module_hook("teardown_function", module))
        for name, f in t.fixtures.items():
            if f.autouse:
                self.value(name)
        for name in t.uses:
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

    def hook(self, scope, key, owner):
        """Calls what a class or a module has to set up itself, once."""
        shared = self.test.runner.shared[scope]
        if key not in shared:
            shared[key] = True
            for name, when in (("setup_", None), ("teardown_", self.test.runner.at_end[scope])):
                f = getattr(owner, name + scope, None) if scope == "class" else vars(owner).get(name + scope)
                if isinstance(f, (types.FunctionType, types.MethodType)):
                    args = [owner] if scope == "module" and f.__code__.co_argcount else []
                    f(*args) if when is None else when.append(lambda f=f, args=args: f(*args))

    def module_hook(self, name, module):
        f = vars(module).get(name)
        if type(f) is types.FunctionType:
            f(*([self.test.f] if f.__code__.co_argcount else []))

    @staticmethod
    def wanted(f, bound):
        code = f.__code__
        return code.co_varnames[1 if bound else 0:code.co_argcount - len(f.__defaults__ or ())] + \
            code.co_varnames[code.co_argcount:code.co_argcount + code.co_kwonlyargcount]

    def value(self, name, f=None):
        t = self.test
        if f is None and name in t.values:
            return t.values[name]
        if name == "request":
            return Request(self, t)
        f = f or t.fixtures.get(name) or BUILTIN.get(name)
        if f is None:
            if name in ("candidate", t.runner.entry) and t.runner.entry:
                return t.runner.world.entry(t.runner.entry)
            raise LookupError("fixture %r not found" % name)
        param = t.values.get("@" + name)
        key = (id(f), id(param))
        store = self.made if f.scope == "function" else t.runner.shared[f.scope]
        if key not in store:
            store[key] = self.make(f, param), param  # param is kept, for its id
        return store[key][0]

    def make(self, f, param):
        bound = self.wanted(f.f, False)[:1] == ("self",)
        kwargs = {}
        for n in self.wanted(f.f, bound):
            above = f.above or BUILTIN.get(n) if n == f.name else None
            kwargs[n] = Request(self, self.test, param) if n == "request" else self.value(n, above)
        v = f.f(*([self.instance] if bound else []), **kwargs)
        if isinstance(v, types.GeneratorType):
            g, v = v, next(v)
            if f.scope == "function":
                self.undo.append(lambda: next(g, None))
            else:
                self.test.runner.at_end[f.scope].append(lambda: next(g, None))
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
    fixtures = {}
    for folder in above(reading.folder):
        fixtures.update(runner.conftest.get(folder, {}))
    stack(fixtures, vars(mod))
    if reading.base == "conftest.py":
        plugins = vars(mod).get("pytest_plugins", ())
        for name in [plugins] if isinstance(plugins, str) else plugins:
            stack(fixtures, vars(importlib.import_module(name)))
        runner.conftest[reading.folder] = fixtures
        return
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
            stack(local, members)
            marks = [m for base in v.__mro__[:-1] for m in marks_of(base)]
            for n, f in members.items():
                f = f.__func__ if isinstance(f, (staticmethod, classmethod)) else f
                if n.startswith("test") and runner.ours(f):
                    yield from expand(runner, reading, "%s::%s" % (name, n), f, v, module_marks + marks, local)
        else:
            continue
        runner.end("class", reading)
    runner.end("module", reading)


def above(folder):
    """The folders from the tree's own to this one."""
    parts = folder.split("/") if folder else []
    return ["/".join(parts[:i]) for i in range(len(parts) + 1)]


def stack(fixtures, names):
    """Adds the fixtures of a module or a class to those it stands below."""
    for n, f in names.items():
        if isinstance(f, Fixture):
            n = f.name if f.name != f.f.__name__ else n
            f.above = fixtures.get(n) if fixtures.get(n) is not f else f.above
            fixtures[n] = f


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
    uses = [n for m in marks if m.name == "usefixtures" for n in m.args]
    of_marks = [axis(runner, *parametrize(*m.args, **m.kwargs)) for m in marks if m.name == "parametrize"]
    of_fixtures = []
    for n in needed(f, cls, uses, fixtures):
        if fixtures[n].params is not None:
            of_fixtures.append(axis(runner, [n], fixtures[n].params, True, fixtures[n].ids))
    # The order of pytest's ids where cases have them.
    axes = of_fixtures + of_marks[::-1] if runner.nodes else of_marks + of_fixtures
    for combination in itertools.product(*axes):
        values = {}
        for given, _, _ in combination:
            values.update(given)
        label = "-".join(label for _, _, label in combination)
        test = Test(name + ("[%s]" % label if combination and (label or runner.nodes) else ""), name, f, cls, values, fixtures, runner)
        test.uses = uses
        plain = static(reading, f, cls)
        for m in marks + [m for _, p, _ in combination for m in p.marks]:
            if m.name == "skip":
                test.skip, test.static = str(m.kwargs.get("reason") or (m.args or [""])[0]), plain
            elif m.name == "skipif" and (m.args or [m.kwargs.get("condition")])[0]:
                test.skip, test.static = str(m.kwargs.get("reason", "")), plain
            elif m.name == "xfail" and plain and (not m.args or isinstance(m.args[0], str) or m.args[0]) and m.kwargs.get("condition", True):
                if m.kwargs.get("run", True):
                    test.strict = bool(m.kwargs.get("strict"))
                else:
                    test.skip, test.static = "it is expected to fail, and not run", True
        yield test


def parametrize(argnames, argvalues, indirect=False, ids=None, scope=None):
    names = [n.strip() for n in argnames.split(",") if n.strip()] if isinstance(argnames, str) else list(argnames)
    return names, argvalues, indirect, ids


def axis(runner, names, rows, indirect, ids):
    """One parameter, or several that go together: for each row the values by
    name ("@" before what goes to a fixture), the Param, and the label."""
    params = [r if isinstance(r, Param) else Param((r,) if len(names) == 1 else tuple(r), (), None) for r in rows]
    keys = ["@" + n if indirect is True or indirect and n in indirect else n for n in names]
    labels = label_all(names, params, ids) if runner.nodes else [
        p.id or ",".join(bounded_repr(v, 40) for v in p.values) for p in params]
    return [(dict(zip(keys, p.values)), p, label) for p, label in zip(params, labels)]


def label_all(names, params, ids):
    """The labels that pytest gives to rows of parameters."""
    chosen = list(ids) if ids is not None and not callable(ids) else [None] * len(params)
    labels = []
    for i, p in enumerate(params):
        given = p.id if p.id is not None else chosen[i] if i < len(chosen) else None
        labels.append(label_of(given, "", i) if given is not None else "-".join(
            label_of(v, n, i, ids if callable(ids) else None) for v, n in zip(p.values, names)))
    counts, used = {label: labels.count(label) for label in labels}, {}
    for i, label in enumerate(labels):
        if counts[label] > 1:
            mark = label + ("_" if label[-1:].isdigit() else "")
            n = used.get(label, 0)
            while "%s%d" % (mark, n) in labels:
                n += 1
            used[label], labels[i] = n + 1, "%s%d" % (mark, n)
    return labels


def label_of(v, name, i, ids=None):
    """The label that pytest gives to one parameter."""
    if ids is not None:
        chosen = ids(v)
        if chosen is not None:
            return label_of(chosen, name, i)
    if isinstance(v, str):
        return v.encode("unicode_escape").decode("ascii")
    if isinstance(v, bytes):
        return v.decode("ascii", "backslashreplace")
    if v is None or isinstance(v, (bool, int, float, complex)) or any(c.__name__ == "Enum" for c in type(v).__mro__):
        return str(v)
    if type(v).__name__ == "Pattern":
        return str(v.pattern)
    own = getattr(v, "__name__", None) if isinstance(v, type) or callable(v) else None
    return own if isinstance(own, str) else name + str(i)


SCOPES = ("session", "module", "class", "function")


def needed(f, cls, uses, fixtures):
    """The fixtures that a test needs by itself or by another, wide scopes first."""
    names = [n for n, x in fixtures.items() if x.autouse] + uses + list(Space.wanted(f, cls is not None))
    found = []
    for n in names:
        if n in fixtures and n not in found:
            found.append(n)
            names.extend(Space.wanted(fixtures[n].f, False))
    return sorted(found, key=lambda n: SCOPES.index(fixtures[n].scope))


def static(reading, f, cls):
    """Tells whether the conditions of skips look at no program."""
    return "pytestmark" not in reading.own and reading.static_skip(f.__name__, cls.__name__ if cls else "")
