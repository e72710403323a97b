"""Runs the tests of an exam and reports each of them.

The tests are scripts of bare asserts, functions and classes in the manner of
pytest, or unittest cases; one file may mix them. How the program is reached is
the caller's affair: see harness.py (from another box) and inproc.py.
"""
import builtins
import importlib
import os
import sys
import types
from _frozen_importlib import ModuleSpec

from _glovebox import layout, trees as ast, wire

WORKSPACE = "/workspace"
TEST_MODULES = set()  # the names of the modules that the tests are
REPORT = 5
MAX_TEXT = 2000


class Skip(Exception):
    """A test skips itself."""


class Gone(BaseException):
    """The program can no longer be asked. No test can swallow it for good."""


class Refused(BaseException):
    """A result of the program is asked to judge, or a value of the tests cannot
    cross. The case fails, whoever catches this."""


class Unparsed(BaseException):
    """A file of the program that the tests import does not parse."""

    def __init__(self, syntax):
        super().__init__()
        self.syntax = syntax


class Report:
    """Writes events, and knows what a pass needs."""

    def __init__(self, fd=REPORT, nonce=""):
        self.fd, self.nonce = fd, nonce
        self.passed = self.failed = self.skipped = 0
        self.hint = ""  # why there may be no tests
        self.prefix, self.names = "", None  # of cases, where there is more than one file of tests
        self._write, self._dumps = os.write, wire.dumps

    def event(self, **fields):
        if self.nonce:
            fields["nonce"] = self.nonce
        data = (self._dumps(fields) + "\n").encode()
        while data:
            data = data[self._write(self.fd, data):]

    def case(self, name, status, message="", expected=None, actual=None, line=0, proof=""):
        if status == "passed":
            self.passed += 1
        elif status == "skipped":
            self.skipped += 1
        else:
            self.failed += 1
        case = {"name": self.unique(clip(self.prefix + name, 300)), "status": status}
        for key, value in (("message", message), ("expected", expected), ("actual", actual)):
            if value:
                case[key] = clip(value)
        if line:
            case["line"] = line
        if proof and status == "passed":
            case["proof"] = proof
        self.event(type="case", case=case)

    def unique(self, name):
        if self.names is None:
            return name
        n = self.names[name] = self.names.get(name, 0) + 1
        return name if n == 1 else "%s #%d" % (name, n)

    def done(self, framework=""):
        self.prefix = ""
        if self.passed + self.failed == 0:
            self.case("tests", "failed", "no test ran" + (": all were skipped" if self.skipped else self.hint))
        self.event(type="done", total=self.passed + self.failed + self.skipped, passed=self.passed, failed=self.failed,
                   **{"framework": framework} if framework else {})


def told():
    """Takes what the driver is told from its arguments: their number, then its
    pieces. The rest is the program's."""
    n = int(sys.argv.pop(1))
    pieces, sys.argv[1:] = sys.argv[1:n + 1], sys.argv[n + 1:]
    return wire.loads("".join(pieces))


def clip(text, limit=MAX_TEXT):
    text = text if len(text) <= limit else text[:limit // 2] + " … " + text[-limit // 2:]
    return text.encode("utf-8", "backslashreplace").decode()


def bounded_repr(v, limit=MAX_TEXT):
    """A repr that is short also for what is huge."""
    t = type(v)
    try:
        if t in (str, bytes, bytearray) and len(v) > limit:
            return clip(repr(v[:limit // 2]) + " … " + repr(v[-limit // 2:]), limit + 10)
        if t is int and v.bit_length() > 8000:
            return "<an integer of %d bits>" % v.bit_length()
        if t in (list, tuple, set, frozenset, dict) and len(v) > 200:
            import itertools
            head = list(itertools.islice(v.items() if t is dict else v, 50))
            return clip("<%s of %d: %r …>" % (t.__name__, len(v), head), limit)
        return clip(repr(v), limit)
    except Exception as e:
        return "<%s: no repr: %s>" % (t.__name__, type(e).__name__)


# Reading the tests.

def root_name(node):
    while isinstance(node, (ast.Attribute, ast.Call, ast.Subscript)):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""


def last_name(node):
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


NEEDS_SHARING = {  # a module that the tests import: why one process is needed
    "mock": "mocks", "unittest.mock": "mocks", "pytest_mock": "mocks", "inspect": "inspect", "pickle": "pickle",
    "subprocess": "subprocesses", "multiprocessing": "multiprocessing", "runpy": "runpy", "importlib": "importlib",
    "tempfile": "files", "shutil": "files", "gc": "gc", "weakref": "weakref", "tracemalloc": "tracemalloc",
    "torch": "tensors", "warnings": "warnings",
    "logging": "logging", "ctypes": "ctypes", "doctest": "doctest", "socket": "sockets", "sqlite3": "sqlite3",
}
SHARING_FIXTURES = {"monkeypatch": "monkeypatch", "mocker": "mocks", "tmp_path": "files", "tmpdir": "files",
                    "capfd": "descriptors", "caplog": "logging", "recwarn": "warnings", "tmp_path_factory": "files"}
SHARING_CALLS = {"open": "files", "assertLogs": "logging", "assertWarns": "warnings", "warns": "warnings",
                 "deprecated_call": "warnings", "chdir": "files", "patch": "mocks", "MagicMock": "mocks",
                 "write_text": "files", "read_text": "files", "write_bytes": "files", "read_bytes": "files",
                 "setrecursionlimit": "the interpreter's limits"}

ALIASES = {"np": "numpy", "pd": "pandas"}
# Words that judge: a program's never stand for them.
ASSERTING = frozenset("pytest unittest approx raises TestCase fixture parametrize mark mock MagicMock patch assert_that expect".split())

CONTAINERS = frozenset("list dict set bytearray deque defaultdict Counter OrderedDict".split())


class Reading:
    """What the text of one test file says."""

    def __init__(self, path, source, program, root="", tests=()):
        self.path, self.source = path, source
        self.name, self.package = layout.dotted(path[len(root):]), layout.package(path[len(root):])
        self.test_modules = tests  # the names of all modules of the tests
        self.folder, self.base = os.path.dirname(path), os.path.basename(path)
        self.imports = set()
        self.program = program  # the names of the program's modules
        self.tree = ast.parse(source, path)
        self.nodes = list(ast.walk(self.tree))
        self.lines = source.decode("utf-8", "replace").splitlines()
        self.used, self.bound, self.program_names = set(), set(dir(builtins)), set()
        self.own = set()
        self.objects = False  # see flow.Flow
        self.standard_roots = set()
        self.identifiers = set()
        called = {n.func.id for n in self.nodes if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)}
        # A function with parameters of its own that the file calls is no test.
        self.helpers = {n.name for n in self.tree.body if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef))
                        and n.name in called and not n.decorator_list and len(n.args.args) > len(n.args.defaults)}
        self.tests = any(is_test(n) and n.name not in self.helpers for n in self.tree.body)
        # Whether the file calls its check function by itself.
        self.checks = any(isinstance(n, ast.Expr) and isinstance(n.value, ast.Call) and last_name(n.value.func) == "check"
                          for n in self.tree.body)
        for node in self.tree.body:
            self.bind(node, program)
        self.captures = b"sys.stdout" in source or b"redirect_stdout" in source or b"capsys" in source
        for node in self.nodes:
            if isinstance(node, ast.Name):
                self.identifiers.add(node.id)
                if isinstance(node.ctx, ast.Load):
                    self.used.add(node.id)
            elif isinstance(node, ast.Attribute):
                self.identifiers.add(node.attr)
            elif isinstance(node, ast.alias):
                self.identifiers.add(node.name)
        self.texts = {n.value for n in self.nodes if isinstance(n, ast.Constant) and isinstance(n.value, str) and len(n.value) < 12}
        self.free = self.used - self.bound
        imported = {a.asname or a.name for n in self.nodes if isinstance(n, ast.ImportFrom) for a in n.names}
        self.free_words = self.free - imported  # nobody names where they come from
        self.program_names |= self.free
        # What no other statement of the file may have changed.
        self.spelled = self.program_names - self.bindings(self.tree.body)[0]

    def bind(self, node, program):
        """Collects what the module binds at its top level."""
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            self.own.add(node.name)
        else:
            for n in ast.walk(node):
                if isinstance(n, ast.Name) and isinstance(n.ctx, (ast.Store, ast.Del)):
                    self.own.add(n.id)
                elif isinstance(n, (ast.Import, ast.ImportFrom)):
                    for a, module in self.imported(n):
                        self.imports.add(module)
                        name = (a.asname or a.name).split(".")[0]
                        if name == "*":
                            continue
                        self.own.add(name)
                        if module in program:
                            self.program_names.add(name)
                        elif module not in self.test_modules:
                            self.standard_roots.add(name)
                elif isinstance(n, ast.ExceptHandler) and n.name:
                    self.own.add(n.name)
        self.bound |= self.own

    def bindings(self, body):
        """The names that some statements bind: by an import from the program,
        and otherwise."""
        others, program = set(), set()
        todo = list(body)
        while todo:
            n = todo.pop()
            if isinstance(n, ast.Name) and isinstance(n.ctx, (ast.Store, ast.Del)):
                others.add(n.id)
            elif isinstance(n, ast.Global):
                others.update(n.names)
            elif isinstance(n, ast.arg):
                others.add(n.arg)
            elif isinstance(n, ast.ExceptHandler) and n.name:
                others.add(n.name)
            elif isinstance(n, (ast.Import, ast.ImportFrom)):
                for a, module in self.imported(n):
                    (program if module in self.program else others).add((a.asname or a.name).split(".")[0])
            elif isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                others.add(n.name)
                todo.extend(g for g in ast.walk(n) if isinstance(g, ast.Global))
                continue
            elif isinstance(n, ast.Lambda):
                continue
            todo.extend(ast.iter_child_nodes(n))
        return others, program

    def imported(self, node):
        """Pairs the names of an import with the modules that they are of."""
        if isinstance(node, ast.Import):
            return [(a, a.name) for a in node.names]
        module = node.module or ""
        if node.level:
            base = self.package.split(".")
            module = ".".join(base[:len(base) - node.level + 1] + [module] * bool(module))
        found = []
        for a in node.names:
            whole = "%s.%s" % (module, a.name)
            found.append((a, whole if whole in self.test_modules else module))
        return found

    def supports(self, others):
        """Tells whether this file is there for other files of the tests."""
        return self.base == "__init__.py" or not self.tests and not named_like_test(self.base) and self.base != "conftest.py" and any(
            {self.name, layout.dotted(self.base)} & o.imports for o in others if o is not self)

    def sharing(self, program):
        """Says why these tests need the program in their own process, or None."""
        for node in self.nodes:
            if isinstance(node, ast.Import):
                for a in node.names:
                    why = NEEDS_SHARING.get(a.name) or NEEDS_SHARING.get(a.name.split(".")[0])
                    if why:
                        return why
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                why = NEEDS_SHARING.get(node.module) or NEEDS_SHARING.get(node.module.split(".")[0])
                if node.module == "unittest" and any(a.name == "mock" for a in node.names):
                    why = "mocks"
                if why:
                    return why
            elif isinstance(node, ast.ClassDef):
                for b in node.bases:
                    if root_name(b) in self.program_names:
                        return "a subclass of the program's class"
                for m in node.body:
                    if isinstance(m, ast.FunctionDef) and m.name == "load_tests":
                        return "load_tests"
            elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                for a in node.args.args:
                    if a.arg in SHARING_FIXTURES and (is_test(node) or node.decorator_list):
                        return SHARING_FIXTURES[a.arg]
            elif isinstance(node, ast.Call):
                why = SHARING_CALLS.get(last_name(node.func))
                if why and last_name(node.func) not in self.own:
                    return why
            elif isinstance(node, ast.Attribute):
                name = root_name(node)
                if name == "sys" and node.attr in ("stdin", "__stdin__", "modules", "argv", "settrace", "setprofile"):
                    return "sys." + node.attr
                if name == "os" and node.attr in ("environ", "putenv", "getcwd", "fork", "kill", "system", "popen"):
                    return "os." + node.attr
                if name == "builtins" and isinstance(node.ctx, ast.Store):
                    return "a replaced builtin"
                if node.attr in ("__dict__", "__code__", "__globals__", "__closure__") and name in self.program_names:
                    return node.attr
                if isinstance(node.ctx, ast.Store) and isinstance(node.value, ast.Attribute) and name in self.program_names and name in self.own:
                    return "a replaced attribute of a module"
        return self.kept()

    def kept(self):
        """Says whether the program may change a container of the tests after
        the call that it was given to: in the enter or exit of a context, or,
        where the container was empty, in later calls of what it was given to.
        Only what changes during a call comes back over the link."""
        containers, holders = {}, {}  # name: whether it begins empty; whether it got one that did
        def given(call):
            if isinstance(call, ast.Call) and root_name(call.func) in self.program_names:
                return [containers[a.id] for a in call.args + [k.value for k in call.keywords]
                        if isinstance(a, ast.Name) and a.id in containers]
            return []
        assigns = [n for n in self.nodes if isinstance(n, ast.Assign) and isinstance(n.targets[0], ast.Name)]
        for n in assigns:
            v = n.value
            if isinstance(v, (ast.List, ast.Dict, ast.Set)):
                containers[n.targets[0].id] = not (v.keys if isinstance(v, ast.Dict) else v.elts)
            elif isinstance(v, ast.Call) and last_name(v.func) in CONTAINERS:
                containers[n.targets[0].id] = not v.args or last_name(v.func) == "defaultdict"
        for n in assigns:
            if given(n.value):
                holders[n.targets[0].id] = any(given(n.value))
        for node in self.nodes:
            if isinstance(node, (ast.With, ast.AsyncWith)):
                if any(given(i.context_expr) or root_name(i.context_expr) in holders for i in node.items):
                    return "a container that the program keeps"
            elif isinstance(node, ast.Call) and holders.get(root_name(node.func)):
                return "a container that the program keeps"
        return None

    def static_skip(self, *names):
        """Tells whether what skips the functions and classes of some names, by
        their decorators, looks at nothing of the program."""
        return not any(self.dubious(d) for n in ast.walk(self.tree)
                       if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) and n.name in names
                       for d in n.decorator_list)

    def dubious(self, decorator):
        """Tells whether a decorator, with all that it is made of, may skip by
        what the program says."""
        simple = {}  # name: what the only statement gives it that binds it
        for n in self.tree.body:
            if isinstance(n, ast.Assign) and len(n.targets) == 1 and isinstance(n.targets[0], ast.Name):
                simple[n.targets[0].id] = n.value
            elif isinstance(n, (ast.FunctionDef, ast.ClassDef)):
                simple[n.name] = n
        bound = [n.id for n in ast.walk(self.tree) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)]
        known = self.standard_roots | set(dir(builtins)) - {"hasattr", "getattr", "globals", "eval", "__import__"}
        todo, seen, unknown, skips = [decorator], set(), False, False
        if isinstance(decorator, ast.Call) and last_name(decorator.func) == "parametrize":
            todo = [k.value for n in ast.walk(decorator) if isinstance(n, ast.Call) and last_name(n.func) == "param"
                    for k in n.keywords if k.arg == "marks"]
        while todo:
            node = todo.pop()
            local = {n.arg for n in ast.walk(node) if isinstance(n, ast.arg)} | {
                n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
            raises = {id(n) for k in ast.walk(node) if isinstance(k, ast.keyword) and k.arg == "raises" for n in ast.walk(k)}
            for n in ast.walk(node):
                word = last_name(n)
                skips = skips or "skip" in word.lower() or word == "xfail"
                if not isinstance(n, ast.Name) or n.id in known or n.id in local or n.id in seen or id(n) in raises:
                    continue
                seen.add(n.id)
                if n.id in simple and n.id not in self.program_names and bound.count(n.id) <= 1:
                    todo.append(simple[n.id])
                else:
                    unknown = True
        return skips and unknown

    def modules_used(self):
        """The names of standard modules that the file uses as such, and neither
        imports nor defines."""
        of_attributes = {id(n.value) for n in self.nodes if isinstance(n, ast.Attribute)}
        other = {n.id for n in self.nodes if isinstance(n, ast.Name) and id(n) not in of_attributes}
        return {n for n in self.free if (n in sys.stdlib_module_names or n in ALIASES) and n not in other}

    def names_number(self, name):
        """Tells whether the text names NaN, or infinity."""
        words = {part for w in self.identifiers | self.texts for part in w.lower().strip("+-").split("_")}
        return bool(words & {name, "is" + name, "isfinite", {"inf": "infinity"}.get(name, name)})

    def line(self, n):
        return self.lines[n - 1].strip() if 0 < n <= len(self.lines) else ""


def named_like_test(base):
    """Tells whether a file has a name that tests have."""
    stem = os.path.splitext(base)[0]
    return stem.startswith("test_") or stem.endswith("_test") or stem in ("test", "tests")


def is_test(node):
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return node.name.startswith("test")
    return isinstance(node, ast.ClassDef) and (node.name.startswith("Test") or any(
        last_name(b).endswith("TestCase") for b in node.bases))


# Rewriting asserts. The names begin with @: no program can bind them.

COMPARE = {ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Is: "is",
           ast.IsNot: "is not", ast.In: "in", ast.NotIn: "not in"}


class Rewriter(ast.NodeTransformer):
    """Makes asserts count themselves and say what they compared."""

    def __init__(self, reading):
        self.reading = reading

    def visit_Assert(self, node):
        test, before = node.test, []
        if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
            # Each side for itself, so that a failure says which it was.
            sides = [self.at(node, ast.copy_location(ast.Assert(v, ast.copied(node.msg)), node)) for v in test.values]
            return [n for side in sides for n in self.visit_Assert(side)]
        left = right = ast.Constant(None)
        op = ""
        if isinstance(test, ast.Compare) and len(test.ops) == 1:
            self.generic_visit(test)
            op = COMPARE[type(test.ops[0])]
            before = [ast.Assign([ast.Name("@left", ast.Store())], test.left),
                      ast.Assign([ast.Name("@right", ast.Store())], test.comparators[0])]
            if op not in ("is", "is not"):  # what a thing is, it cannot lie about
                before += self.compared()
            left, right = ast.Name("@left", ast.Load()), ast.Name("@right", ast.Load())
            test = self.identity(ast.Compare(left, test.ops, [right]))
        else:
            before = [ast.Assign([ast.Name("@left", ast.Store())], self.visit(test))]
            left = test = ast.Name("@left", ast.Load())
        message = self.visit(node.msg) if node.msg else ast.Constant(None)
        fail = ast.Raise(ast.Call(ast.Name("@failure", ast.Load()),
                                  [ast.Constant(node.lineno), ast.Constant(node.end_lineno), left, ast.Constant(op), right,
                                   message], []), None)
        count = ast.Expr(ast.Call(ast.Name("@count", ast.Load()), [], []))
        return [self.at(node, n) for n in before + [ast.If(test, [count], [fail])]]

    def visit_Compare(self, node):
        self.generic_visit(node)
        return self.at(node, self.identity(node))

    @staticmethod
    def identity(node):
        """`a is b` as the world has it."""
        if len(node.ops) != 1 or not isinstance(node.ops[0], (ast.Is, ast.IsNot)) or \
                any(isinstance(n, ast.Constant) for n in (node.left, node.comparators[0])):
            return node
        call = ast.Call(ast.Name("@same", ast.Load()), [node.left, node.comparators[0]], [])
        return call if isinstance(node.ops[0], ast.Is) else ast.UnaryOp(ast.Not(), call)

    def compared(self):
        """Statements between the operands and their comparison."""
        return []

    def visit_Expr(self, node):
        self.generic_visit(node)
        if isinstance(node.value, ast.Call) and last_name(node.value.func).startswith("assert"):
            return [node, self.at(node, ast.Expr(ast.Call(ast.Name("@count", ast.Load()), [], [])))]
        return node

    @staticmethod
    def at(node, new):
        for n in ast.walk(new):
            if "lineno" in n._attributes and not hasattr(n, "lineno"):
                ast.copy_location(n, node)
        return new


class Runner:
    """Runs test files and reports their cases.

    world reaches the program: see Remote in harness.py.
    """

    rewriter = Rewriter

    def __init__(self, report, world, entry):
        self.report, self.world, self.entry = report, world, entry
        self.asserts = 0
        self.nodes = False  # cases have the names of pytest's nodes
        self.conftest = {}  # folder: the fixtures of its conftest.py
        self.shared = {"class": {}, "module": {}, "session": {}}  # what lives longer than a test
        self.at_end = {scope: [] for scope in self.shared}
        self.details = {}  # id of an AssertionError: (the error, expected, actual)

    def count(self):
        self.asserts += 1

    def failure(self, reading):
        def make(first, last, left, op, right, message):
            text = " ".join(s.strip() for s in reading.lines[first - 1:last])
            e = AssertionError(clip(text) + ("" if message is None else "\n%s" % (message,)))
            actual, expected = bounded_repr(left), bounded_repr(right) if op else "a true value"
            if op and op != "==":
                expected = "%s %s" % (op, expected)
            self.details[id(e)] = (e, expected, actual)
            return e
        return make

    def run(self, readings, packages=()):
        """Runs the files. packages are the program's."""
        self.prepare(readings, packages)
        for reading in readings:
            if not (self.nodes and reading.supports(readings)):
                self.report.prefix = reading.path + "::" if self.nodes else ""
                self.file(reading)
        self.end("session", readings[-1] if readings else None)
        self.report.prefix = ""

    def prepare(self, readings, packages):
        self.importer = Importer(self, readings, packages)
        sys.meta_path.insert(0, self.importer)
        self.nodes = len(readings) > 1 or any(r.folder for r in readings)
        if self.nodes:
            self.report.names = {}

    def end(self, scope, reading):
        """Ends what lives as long as a class, a file or the run."""
        self.shared[scope].clear()
        while self.at_end[scope]:
            try:
                self.at_end[scope].pop()()
            except BaseException as e:
                self.fails("teardown", e, reading)

    def names(self, reading):
        """What a test file's code finds beside its own names."""
        return {"__file__": os.path.join(WORKSPACE, reading.path), "@count": self.count,
                "@failure": self.failure(reading), "@plain": self.world.plain, "@same": self.world.same,
                **self.world.tools}

    def file(self, reading):
        """Runs one test file: its statements, then the tests it defines."""
        name = reading.name if reading.tests or reading.base == "conftest.py" else "__main__"
        module = types.ModuleType(name)
        space = module.__dict__
        space.update(self.names(reading), __package__=reading.package)
        self.importer.made[name] = sys.modules[name] = module
        self.quiet_mains(reading)
        try:
            space.update(self.world.names(reading))
        except BaseException as e:
            self.fails("import", e, reading)
            return
        tree = self.rewriter(reading).visit(reading.tree)
        for node in tree.body[:1]:
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
                space["__doc__"] = node.value.value
        if not self.statements(tree, reading, space):
            return
        before = self.report.passed + self.report.failed + self.report.skipped
        self.unittests(module, reading)
        self.functions(module, reading)
        check = space.get("check")
        if before != self.ran or reading.checks or not self.mine(check, reading) or check.__code__.co_argcount != 1:
            return
        if not self.entry:
            self.report.hint = ": check(%s) needs the name of the function: --entry" % check.__code__.co_varnames[0]
        else:
            self.case("check(%s)" % self.entry, lambda: check(self.world.entry(self.entry)), reading)

    @property
    def ran(self):
        return self.report.passed + self.report.failed + self.report.skipped

    def statements(self, tree, reading, space):
        """Runs the top level, statement by statement. False where it broke."""
        future = 0
        body, i = tree.body, 0
        while i < len(body):
            # What one statement became by rewriting stands on the same lines.
            j = i + 1
            while j < len(body) and body[j].lineno == body[i].lineno and body[j].end_lineno == body[i].end_lineno:
                j += 1
            group = body[i:j]
            i = j
            if isinstance(group[0], ast.ImportFrom) and group[0].module == "__future__":
                import __future__
                for a in group[0].names:
                    future |= getattr(__future__, a.name).compiler_flag
            line = group[0].lineno
            asserts, used = self.asserts, self.world.uses
            self.world.begin()
            raises = any(isinstance(n, ast.Raise) for g in group for n in ast.walk(g)) and not isinstance(
                group[0], (ast.FunctionDef, ast.ClassDef, ast.AsyncFunctionDef))
            code = compile(ast.Module(group, []), os.path.join(WORKSPACE, reading.path), "exec", dont_inherit=True, flags=future)
            error = None
            try:
                exec(code, space)
            except SystemExit as e:
                if not self.world.foreign(e) and e.code in (None, 0):
                    return True
                error = e
            except BaseException as e:
                error = e
            if error is not None:
                go_on = isinstance(error, AssertionError) and id(error) in self.details
                self.fails("line %d" % line, error, reading)
                if not go_on or self.world.dead:
                    return False
            elif self.asserts > asserts or raises and self.world.uses > used:
                self.passed("line %d" % line, line)
            else:
                self.world.keep()
        return True

    def case(self, name, f, reading):
        """Runs one test and reports it."""
        self.world.begin()
        try:
            f()
        except BaseException as e:
            self.fails(name, e, reading)
        else:
            self.passed(name)

    def expected(self, test, reading):
        """Runs a test that is marked as one that fails."""
        self.world.begin()
        try:
            test.run()
        except BaseException as e:
            if self.world.dead or not isinstance(e, Exception):
                return self.fails(test.name, e, reading)
            spoiled = self.world.spoiled()
            self.report.case(test.name, "failed" if spoiled else "skipped", spoiled or "it fails as its author expected")
        else:
            self.report.case(test.name, "failed" if test.strict else "skipped", "it passed though it was expected to fail")
        self.world.end()

    def passed(self, name, line=0):
        """Reports a test that ran to its end."""
        spoiled, proof = self.world.spoiled(), self.world.end()
        if self.world.dead or spoiled:
            self.report.case(name, "error", self.world.dead or spoiled, line=line)
        else:
            self.report.case(name, "passed", line=line, proof=proof)

    def fails(self, name, e, reading):
        spoiled = self.world.spoiled()
        self.world.end()
        if isinstance(e, Refused) or spoiled:
            self.report.case(name, "failed", spoiled or str(e), line=self.where(e, reading))
            return
        syntax = self.world.unparsed(e)
        if syntax and not self.ran:
            raise Unparsed(syntax)
        line = self.where(e, reading)
        found = self.details.get(id(e))
        if found is not None and found[0] is e:
            self.report.case(name, "failed", str(e), found[1], found[2], line)
        elif isinstance(e, AssertionError) and not self.world.foreign(e):
            self.report.case(name, "failed", str(e) or reading.line(line), line=line)
        elif isinstance(e, Skip):
            self.report.case(name, "failed", "the test skipped itself: %s" % e, line=line)
        else:
            self.report.case(name, "error", self.world.describe(e), line=line)

    @staticmethod
    def where(e, reading):
        line, tb, path = 0, e.__traceback__, os.path.join(WORKSPACE, reading.path)
        while tb is not None:
            if tb.tb_frame.f_code.co_filename == path:
                line = tb.tb_lineno
            tb = tb.tb_next
        return line

    def mine(self, f, reading):
        """Tells whether f is a function that this test file defines."""
        return type(f) is types.FunctionType and f.__code__.co_filename == os.path.join(WORKSPACE, reading.path)

    def ours(self, f):
        """Tells whether f is a function that a file of the tests defines."""
        return any(self.mine(f, r) for r in self.importer.readings.values())

    @staticmethod
    def quiet_mains(reading):
        """Discovery replaces what a file calls to run its own tests."""
        if "unittest" in reading.standard_roots or "unittest" in sys.modules:
            import unittest
            unittest.main = lambda *a, **k: None

    # unittest

    def unittests(self, module, reading):
        unittest = sys.modules.get("unittest")
        if unittest is None or not hasattr(unittest, "TestCase"):
            return
        defined = {n.name for n in ast.walk(reading.tree) if isinstance(n, ast.ClassDef)}
        loader, suite = unittest.TestLoader(), unittest.TestSuite()
        for c in list(vars(module).values()):
            if isinstance(c, type) and issubclass(c, unittest.TestCase) and c.__module__ == module.__name__ and c.__name__ in defined:
                suite.addTest(loader.loadTestsFromTestCase(c))
        expected = [t.id() for t in flatten(suite)]
        if not expected:
            return
        result = self.result(unittest, reading)
        try:
            suite.run(result)
        except Unparsed:
            raise
        except BaseException as e:
            self.fails("unittest", e, reading)
        for test_id in expected:
            if test_id not in result.seen:
                self.report.case(self.short(test_id, reading), "error", "the test did not run")

    def result(self, unittest, reading):
        runner = self

        class Result(unittest.TestResult):
            def __init__(self):
                super().__init__()
                self.seen = set()
                self.bad = set()

            def once(self, test):
                self.seen.add(test.id())
                return runner.short(test.id(), reading)

            def startTest(self, test):
                super().startTest(test)
                runner.world.begin()

            def addSuccess(self, test):
                if test.id() not in self.bad or runner.world.dead:
                    runner.passed(self.once(test))

            def addError(self, test, err):
                runner.fails(self.once(test), err[1], reading)

            addFailure = addError

            def addSubTest(self, test, subtest, err):
                if err is not None:
                    self.bad.add(test.id())
                    self.seen.add(test.id())
                    runner.fails(runner.short(subtest.id(), reading), err[1], reading)

            def addSkip(self, test, reason):
                runner.skip(self.once(test), reason, skip_is_static(test, reading))

            def addExpectedFailure(self, test, err):
                runner.report.case(self.once(test), "skipped", "it fails as its author expected")

            def addUnexpectedSuccess(self, test):
                runner.report.case(self.once(test), "failed", "it passed though it was expected to fail")

        self.watch_equality(unittest.TestCase)
        return Result()

    def short(self, test_id, reading):
        """What a case is called that unittest gives an id."""
        for module in ("__main__.", reading.name + "."):
            if test_id.startswith(module) and (self.nodes or module == "__main__."):
                test_id = test_id[len(module):]
                return test_id.replace(".", "::", 1) if self.nodes else test_id
        return test_id

    def skip(self, name, reason, static):
        if static:
            self.report.case(name, "skipped", reason)
        else:
            self.report.case(name, "failed", "the test skipped itself: %s" % reason)

    def watch_equality(self, case):
        """Makes assertEqual and its like keep what they compared."""
        if getattr(case, "_glovebox", None):
            return
        case._glovebox = True
        for name in ("assertEqual", "assertAlmostEqual", "assertIs", "assertIsNot", "assertIn", "assertGreater", "assertLess",
                     "assertListEqual", "assertDictEqual", "assertTupleEqual", "assertSetEqual", "assertCountEqual",
                     "assertTrue", "assertFalse"):
            setattr(case, name, self.watched(getattr(case, name), name))

    def watched(self, method, name):
        def checked(case, first, *args, **kwargs):
            try:
                plain = bool(args)
                if name in ("assertIs", "assertIsNot") and args:
                    if self.world.same(first, args[0]) != (name == "assertIs"):
                        case.fail("%s: %s and %s" % (name, bounded_repr(first, 200), bounded_repr(args[0], 200)))
                    return None
                return method(case, self.world.plain(first, args[0]) if plain else first, *args, **kwargs)
            except case.failureException as e:
                expected = {"assertTrue": "a true value", "assertFalse": "a false value"}.get(name)
                if expected is None and args:
                    expected = bounded_repr(args[0])
                self.details[id(e)] = (e, expected, bounded_repr(first))
                raise
        checked.__name__ = name
        return checked

    # Functions and classes in the manner of pytest.

    def functions(self, module, reading):
        from _glovebox import pytester
        missing = pytester.written(module, reading)
        for test in pytester.collect(self, module, reading):
            missing.discard(test.function)
            if test.skip is not None:
                self.skip(test.name, test.skip, test.static)
            elif test.strict is not None:
                self.expected(test, reading)
            else:
                self.case(test.name, test.run, reading)
        for name in sorted(missing):
            self.report.case(name, "error", "the test was not collected")


class Importer:
    """Imports a test file for another one, so that its asserts count too, and
    so that no file of the program stands in its place."""

    def __init__(self, runner, readings, packages):
        self.runner = runner
        self.made = {}  # the modules that are the tests', by name
        self.readings = {r.name: r for r in readings}
        # A folder that is no package is on pytest's path.
        bases = {r.folder for r in readings if r.base == "__init__.py"}
        for r in readings:
            if r.folder and r.folder not in bases and r.package not in packages:
                self.readings.setdefault(layout.dotted(r.base), r)
        self.folders = {}
        for r in readings:
            name, folder = r.package, r.folder
            while name:
                if name not in self.readings and name not in packages:
                    self.folders[name] = folder
                name, folder = name.rpartition(".")[0], os.path.dirname(folder)

    def find_spec(self, name, path=None, target=None):
        if name in self.readings:
            reading = self.readings[name]
            spec = ModuleSpec(name, self, is_package=reading.base == "__init__.py")
            if spec.submodule_search_locations is not None:
                spec.submodule_search_locations.append(os.path.join(WORKSPACE, reading.folder))
            return spec
        if name in self.folders:
            spec = ModuleSpec(name, None, is_package=True)
            spec.submodule_search_locations.append(os.path.join(WORKSPACE, self.folders[name]))
            return spec
        return None

    def create_module(self, spec):
        reading = self.readings[spec.name]
        if reading.name == spec.name:
            return None
        return importlib.import_module(reading.name)

    def exec_module(self, module):
        reading = self.readings[module.__name__]
        if module.__name__ in self.made:
            return
        self.made[module.__name__] = module
        module.__dict__.update(self.runner.names(reading))
        tree = self.runner.rewriter(reading).visit(ast.parse(reading.source))
        exec(compile(tree, module.__file__, "exec", dont_inherit=True), module.__dict__)

    def replaced(self):
        """Tells whether a module of the tests is no longer what they made."""
        return any(n in sys.modules and sys.modules[n] is not self.made.get(r.name) for n, r in self.readings.items())


def flatten(suite):
    for t in suite:
        if hasattr(t, "_tests"):
            yield from flatten(t)
        else:
            yield t


def skip_is_static(test, reading):
    """Tells whether a decorator that looks at no program skips the test."""
    kind, method = type(test), getattr(test, "_testMethodName", "")
    fired = getattr(kind, "__unittest_skip__", False) or getattr(getattr(kind, method, None), "__unittest_skip__", False)
    return bool(fired) and reading.static_skip(kind.__name__, method)
