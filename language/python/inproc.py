"""Tests and program in one interpreter, where the tests need that.

This is the weaker form: the program can reach all that the tests can. A nonce
that it is not given, counted reports, operands reduced to their plain values
and a look at what it replaced resist generic cheating, never an attack on this
file. Whoever needs more asks for proof out of process.
"""
import ast
import builtins
import importlib
import importlib.machinery
import json
import operator
import os
import sys

from _glovebox import exam, harness, layout, needs, pytester, realpytest, trees, wire, worker
from _glovebox.wire import Decoder, Encoder, Unencodable, Violation

PLAIN = (type(None), bool, int, float, complex, str, bytes, bytearray, list, tuple, dict, set, frozenset)


class World:
    """How the tests reach the program: it is here."""

    dead = None

    def __init__(self, main, modules, tests):
        self.main, self.modules = main, modules
        self.tests = {os.path.join(exam.WORKSPACE, t) for t in tests}
        self._uses = 0
        self.loaded = None

    @property
    def uses(self):
        self._uses += 1
        return self._uses

    def load(self):
        if self.loaded is None:
            import importlib.util
            path = os.path.join(exam.WORKSPACE, self.main)
            name = os.path.splitext(os.path.basename(path))[0]
            spec = importlib.util.spec_from_file_location(
                name, path, loader=importlib.machinery.SourceFileLoader(name, path))
            m = importlib.util.module_from_spec(spec)
            sys.modules[name] = m
            sys.modules.setdefault("solution", m)
            try:
                spec.loader.exec_module(m)
            except BaseException:
                for n in (name, "solution"):
                    if sys.modules.get(n) is m:
                        del sys.modules[n]
                raise
            self.loaded = m
        return self.loaded

    def names(self, reading):
        wanted = [n for n in reading.free if n[:2] != "__"]
        if not self.main or not wanted:
            return {}
        m = vars(self.load())
        return {n: m[n] for n in wanted if n in m}

    def entry(self, name):
        if not self.main:
            raise LookupError("the program has no main file to find %s in" % name)
        return eval(name, dict(vars(self.load())))

    def foreign(self, e):
        last, tb = None, e.__traceback__
        while tb is not None:
            last, tb = tb.tb_frame.f_code.co_filename, tb.tb_next
        return last not in self.tests

    # Here nothing has another proof, and every object is itself.

    tools = {}
    same = staticmethod(operator.is_)

    def begin(self):
        pass

    keep = end = spoiled = begin

    def unparsed(self, e):
        """See harness.World."""
        return harness.worker_syntax(e) if not self.main and isinstance(e, SyntaxError) else None

    @staticmethod
    def describe(e):
        text = "%s: %s" % (type(e).__name__, e) if str(e) else type(e).__name__
        at = harness_place(e)
        return "%s (%s)" % (text, at) if at else text

    @staticmethod
    def plain(v, other):
        """Reduces a value to what it is a kind of, where it is to be compared
        with a plain one. An object that is no such kind equals none."""
        near = KIND(other).__name__.lower().startswith("approx")
        if type(v) in PLAIN and type(v) not in (list, tuple, dict, set, frozenset) or type(other) not in PLAIN and not near:
            return v
        try:
            return DECODE()(ENCODE()(v))
        except (Unencodable, Violation):
            pass
        if type(v) in PLAIN or KIND(v).__module__.startswith("unittest.mock"):
            return v
        return object()

    # The finder of "solution" and of the main file's own name.

    def find_spec(self, name, path=None, target=None):
        if self.modules.get(name) == "":
            return importlib.machinery.ModuleSpec(name, self)
        return None

    def create_module(self, spec):
        return self.load()

    def exec_module(self, module):
        pass


class Guard:
    """The first finder: what judges is never a file of the program."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name not in layout.JUDGES:
            return None
        outside = [p for p in sys.path if not p.startswith(exam.WORKSPACE)]
        spec = importlib.machinery.PathFinder.find_spec(name, outside)
        if spec is None:
            raise ModuleNotFoundError("No module named %r" % name, name=name)
        return spec


ENCODE, DECODE, KIND = Encoder, Decoder, type


class Rewriter(exam.Rewriter):
    def compared(self):
        load = ast.Load()
        call = ast.Call(ast.Name("@plain", load), [ast.Name("@left", load), ast.Name("@right", load)], [])
        return [ast.Assign([ast.Name("@left", ast.Store())], call)]


class Runner(exam.Runner):
    rewriter = Rewriter


class Files(Runner):
    """Gives pytest itself the tests' files."""

    def names(self, reading):
        return {**super().names(reading), **self.world.names(reading)}


def harness_place(e):
    found, tb = None, e.__traceback__
    while tb is not None:
        name = tb.tb_frame.f_code.co_filename
        if name.startswith(exam.WORKSPACE + "/"):
            found = "%s, line %d" % (name[len(exam.WORKSPACE) + 1:], tb.tb_lineno)
        tb = tb.tb_next
    return found


def fingerprint():
    """Identifies what the tests rest on, to see what the program replaced."""
    owners = [builtins, operator, os, json, ast, trees, wire, exam, exam.Report, exam.Runner, Runner, World, exam.Rewriter, Rewriter, harness,
              exam.Importer, Guard, Files, realpytest, realpytest.Plugin, pytester, pytester.approx, pytester.Raises, pytester.Test, pytester.Space]
    if "pytest" in sys.modules:
        owners.append(sys.modules["pytest"])
    unittest = sys.modules.get("unittest")
    if unittest is not None:
        owners += [unittest.TestCase, unittest.TestResult, unittest.TestLoader, unittest.TestSuite]
    return {(getattr(o, "__name__", ""), i, k): id(v) for i, o in enumerate(owners) for k, v in vars(o).items()
            if k not in ("_", "__warningregistry__", "_class_setup_failed", "_classSetupFailed", "shared", "main", "environ")}


def load(name, part, tests):
    """Loads a module that is there without the program, and what may be a
    module in it. "pytest" is our stand-in's name."""
    if name in tests or not layout.installed(name) or name.split(".")[0] in ("pytest", "_pytest"):
        return  # realpytest loads it, or the stand-in has its name
    for n in [name] + ["%s.%s" % (name, part)] * bool(part):
        try:
            importlib.import_module(n)
        except BaseException:
            pass


def main():
    nonce = os.read(3, 4096).decode().strip()
    os.close(3)
    os.set_inheritable(exam.REPORT, False)
    config = exam.told()
    report = exam.Report(nonce=nonce)
    del nonce
    main_file = config["main"]
    modules = layout.foreign_modules(main_file, config["files"])
    readings = harness.read_tests(config, modules, report)
    # What the tests import that is not the program's is loaded before it, and
    # before its folders are on the path.
    for r in readings:
        for node in r.nodes:
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                for a, name in r.imported(node):
                    load(name, a.name if isinstance(node, ast.ImportFrom) else "", r.test_modules)
    if needs.libraries(readings):
        from _glovebox import tables
        tables.enable()
    real = realpytest.fits(readings, config["entry"])
    if real:
        realpytest.load()
    sys.path[:0] = worker.search_path(main_file, config["files"])
    for path in config["files"] if main_file else ():
        found = worker.syntax_error(path)
        if found is not None:
            report.event(type="syntax", syntax=found)
            return
    report.event(type="checked")
    world = World(main_file, modules, config["tests"])
    sys.meta_path.insert(0, Guard)
    sys.meta_path.append(world)
    if not real and (any("pytest" in r.standard_roots for r in readings) or any(r.tests for r in readings)):
        sys.modules["pytest"] = pytester.module()
    sys.argv[:] = [main_file]
    runner = (Files if real else Runner)(report, world, config["entry"])
    if "unittest" in sys.modules:
        sys.modules["unittest"].main = lambda *a, **k: None
        runner.watch_equality(sys.modules["unittest"].TestCase)
    before, look, event, done = fingerprint(), fingerprint, report.event, report.done
    try:
        if real:
            framework = realpytest.run(runner, readings, harness.packages(config["files"]), config["tests"], report)
        else:
            framework = runner.run(readings, harness.packages(config["files"])) or ""
    except exam.Unparsed as e:
        event(type="syntax", syntax=e.syntax)
        return
    after = look()
    if after != before or runner.importer.replaced():
        names = sorted({"%s.%s" % (k[0], k[2]) for k in before.keys() | after.keys() if before.get(k) != after.get(k)})
        why = "the program replaced what the tests rest on: %s" % (", ".join(names[:5]) or "a module of the tests")
        event(type="broken", reason=why)
        report.case("end", "error", why)
    sys.stdout.flush()
    done(framework)
    os._exit(0 if not report.failed else 1)

