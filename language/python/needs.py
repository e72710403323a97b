"""What a file of tests needs, from its text alone: the program in its own
process, the real pytest, or what is not here at all."""
import builtins
import sys

from _glovebox import layout, shared, trees as ast
from _glovebox.exam import ALIASES, is_test, last_name, root_name
from _glovebox.flow import key, walk

# Text becomes code: what the program returns must not, in the tests' box.
TEXT = frozenset("eval exec compile __import__ get_type_hints singledispatch singledispatchmethod runsource".split())
# Standard classes whose objects stay where they are, by their module.
STAYS = {"io": None, "threading": None, "queue": None, "asyncio": None, "argparse": None, "configparser": None, "random": None,
         "string": {"Template", "Formatter"}, "types": {"MappingProxyType"}, "collections": {"UserList", "UserString"},
         "numpy": {"default_rng", "RandomState", "Generator"}, "xml": None, "email": None, "http": None, "contextlib": {"ExitStack"}, "concurrent": None, "textwrap": None}
TAKES = frozenset("redirect_stdout redirect_stderr print isinstance len str repr type id".split())

# What the stand-in for pytest has, and what pytest has beside it.
FIXTURES = frozenset("monkeypatch capsys tmp_path tmp_path_factory caplog recwarn request".split())
PYTEST_FIXTURES = FIXTURES | frozenset((
    "cache capfd capfdbinary capsysbinary capteesys doctest_namespace pytestconfig pytester record_property "
    "record_testsuite_property record_xml_attribute subtests testdir tmpdir tmpdir_factory").split())
PLUGINS = {"mocker": "pytest-mock", "benchmark": "pytest-benchmark", "event_loop": "pytest-asyncio", "httpx_mock": "pytest-httpx",
           "requests_mock": "requests-mock", "freezer": "pytest-freezer", "faker": "Faker", "client": "pytest-django or pytest-flask",
           "db": "pytest-django", "datadir": "pytest-datadir", "snapshot": "syrupy", "anyio_backend": "anyio"}
WORDS = frozenset((
    "raises approx mark fixture param fail skip xfail importorskip warns deprecated_call main MonkeyPatch CaptureFixture "
    "FixtureRequest ExceptionInfo __version__").split())
MARKS = frozenset((
    "parametrize skip skipif xfail usefixtures asyncio anyio trio timeout slow fast unit integration filterwarnings order").split())

# Packages that tests use and no program brings, by the name of their module. Those
# that judge are nobody else's even where a file of the program has their name.
KNOWN = layout.JUDGES - {"conftest", "sitecustomize", "usercustomize", "_glovebox", "_pytest", "pytest"} | frozenset((
    "numpy pandas scipy sklearn torch tensorflow jax sympy matplotlib seaborn PIL cv2 networkx requests httpx aiohttp flask "
    "fastapi starlette django sqlalchemy pydantic attr attrs yaml toml tomli jsonschema hypothesis parameterized ddt nose mock "
    "assertpy hamcrest freezegun responses respx faker factory pytest_mock pytest_asyncio anyio trio dateutil pytz bs4 lxml "
    "psutil cryptography redis celery boto3 moto rich click typer tqdm polars pyarrow numba cython statsmodels nltk spacy "
    "transformers datasets gmpy2 sortedcontainers more_itertools toolz simplejson ujson orjson expects sure behave robot "
    "unittest2 testfixtures syrupy deepdiff pexpect selenium playwright grpc google jwt markdown jinja2 werkzeug").split())


OURS = frozenset("solution conftest pytest _pytest _glovebox".split())


def missing(readings, modules, main):
    """The packages that the tests import and that are not here. Where a program has
    a main file, a module that nobody knows is one, too."""
    found = []
    folders = {part for r in readings for part in r.path.split("/")}
    for r in readings:
        guarded = {id(n) for t in r.nodes if isinstance(t, ast.Try) for n in ast.walk(t)}
        for node in r.nodes:
            if isinstance(node, (ast.Import, ast.ImportFrom)) and id(node) not in guarded and not getattr(node, "level", 0):
                for _, name in r.imported(node):
                    top = name.split(".")[0]
                    known = top in KNOWN or not main or top in OURS or top in sys.stdlib_module_names or "modules" in r.identifiers
                    nobodys = top in KNOWN or not known and top not in folders and top not in {m.split(".")[0] for m in [*modules, *r.test_modules]}
                    if nobodys and top not in found and top not in r.test_modules and name not in modules and not layout.found(top):
                        found.append(top)
    return found


def tests(readings):
    """Says of what the files assert whether it runs: "run", "skipped" where all of
    it is skipped by decorators that ask nothing, or "" where there is no test."""
    found = ""
    for r in readings:
        marked = any(isinstance(n, ast.Assign) and last_name(n.targets[0]) == "pytestmark" and skips(r, n.value) for n in r.tree.body)
        if any(n.startswith("test") for n in r.own - {d.name for d in r.tree.body if hasattr(d, "name")} - r.program_names):
            return "run"
        for n in walk(r.tree.body, False):
            if isinstance(n, (ast.Assert, ast.Raise)) or isinstance(n, ast.Call) and (
                    last_name(n.func).startswith(("assert", "setattr", "globals", "exec", "testmod")) or root_name(n.func) in r.own - r.program_names - r.standard_roots):
                return "run"
        for n, skipped in defined(r, r.tree.body, marked):
            if isinstance(n, ast.ClassDef):
                if any(last_name(b) not in ("TestCase", "IsolatedAsyncioTestCase", "object") for b in n.bases):
                    return "run"
            elif n.name.startswith("test") and n.name not in r.helpers or n.name in ("check", "runTest", "load_tests"):
                if not skipped:
                    return "run"
                found = "skipped"
    return found


def defined(r, body, skipped):
    """The functions and classes in a body, and whether they are skipped."""
    for n in body:
        if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            over = skipped or any(skips(r, d) for d in n.decorator_list)
            yield n, over
            if isinstance(n, ast.ClassDef):
                yield from defined(r, n.body, over)
        elif hasattr(n, "body"):
            yield from defined(r, [*n.body, *getattr(n, "orelse", []), *(s for h in getattr(n, "handlers", []) for s in h.body)], skipped)


def skips(r, decorator):
    """Tells whether a decorator skips whatever there is."""
    node = decorator.func if isinstance(decorator, ast.Call) else decorator
    return last_name(node) == "skip" and root_name(node) not in r.program_names


def fixtures(readings):
    """The names of the fixtures that the tests use and do not define, where
    each stands."""
    own, wanted = {"candidate", "self", "cls"}, {}
    for r in readings:
        for node in r.nodes:
            if isinstance(node, ast.Call) and last_name(node.func) == "fixture":
                own.update(k.value.value for k in node.keywords if k.arg == "name" and isinstance(k.value, ast.Constant))
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and decorated(node, "fixture"):
                own.add(node.name)
            if isinstance(node, ast.Call) and last_name(node.func) == "parametrize" and node.args:
                names = node.args[0]
                for n in ast.walk(names):
                    if isinstance(n, ast.Constant) and isinstance(n.value, str):
                        own.update(part.strip() for part in n.value.split(","))
                    elif isinstance(n, ast.Name):
                        return {}  # only running it tells
    for r in readings:
        for scope in [r.tree] + [n for n in r.tree.body if isinstance(n, ast.ClassDef) and not any(map(last_name, n.bases))]:
            if isinstance(scope, ast.ClassDef) and not is_test(scope):
                continue
            for node in scope.body:
                if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and (
                        is_test(node) and node.name not in r.helpers or decorated(node, "fixture")):
                    if any(isinstance(d, ast.Call) and last_name(d.func) not in ("parametrize", "fixture") and "mark" not in ast.dump(d)
                           for d in node.decorator_list):
                        continue  # such a decorator may give the arguments
                    args = node.args.posonlyargs + node.args.args
                    for a in args[:len(args) - len(node.args.defaults)]:
                        if a.arg not in own:
                            wanted.setdefault(a.arg, r.path)
    return wanted


def decorated(node, name):
    return any(last_name(d.func if isinstance(d, ast.Call) else d) == name for d in node.decorator_list)


def pytest_words(r):
    """What a file uses of pytest that the stand-in lacks."""
    for node in r.nodes:
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "pytest" and node.attr not in WORDS:
            return "pytest." + node.attr
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in ("pytest", "_pytest"):
            for a in node.names:
                if node.module != "pytest" or a.name not in WORDS:
                    return "%s.%s" % (node.module, a.name)
    return None


def pass_on(readings):
    """Adds to each file's names of the program those that it has from another
    file of the tests, by however many files."""
    files = {name: r for r in readings for name in (layout.dotted(r.base), r.name)}
    again = True
    while again:
        again = False
        for r in readings:
            for node in r.nodes:
                if not isinstance(node, ast.ImportFrom):
                    continue
                for a, module in r.imported(node):
                    given = files[module].program_names & files[module].own if module in files and files[module] is not r else set()
                    new = {a.asname or a.name} if a.name in given else given if a.name == "*" else set()
                    if not new <= r.program_names:
                        r.program_names |= new
                        again = True


def text_as_code(r):
    """Says what makes code of a text that the tests do not spell."""
    for node in r.nodes:
        if isinstance(node, ast.Call) and last_name(node.func) in TEXT and last_name(node.func) not in r.own:
            root = root_name(node.func)
            if isinstance(node.func, ast.Attribute) and root == "re":
                continue
            if not (node.args and isinstance(node.args[0], ast.Constant)):
                return last_name(node.func)
        elif isinstance(node, ast.Name) and node.id in ("eval", "exec") and isinstance(node.ctx, ast.Load) and node.id not in r.own and \
                not any(isinstance(c, ast.Call) and c.func is node for c in r.nodes):
            return node.id
        elif isinstance(node, (ast.Name, ast.Attribute)) and last_name(node) in ("get_type_hints", "singledispatch", "singledispatchmethod"):
            return last_name(node)
    return None


def staying(r):
    """Says what the tests give the program that cannot cross to its box."""
    of = {}  # local name: (module, name in it)
    for node in r.nodes:
        if isinstance(node, ast.Import):
            of.update((a.asname or a.name.split(".")[0], (a.name.split(".")[0], "")) for a in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            of.update((a.asname or a.name, (node.module.split(".")[0], a.name)) for a in node.names)

    def stays(node):
        if not isinstance(node, ast.Call):
            return None
        module, name = of.get(root_name(node.func), ("", ""))
        last = name or last_name(node.func)
        if module not in STAYS or module in r.program or STAYS[module] is not None and last not in STAYS[module] or \
                not last[:1].isupper() and STAYS[module] is None:
            return None
        return "%s.%s" % (module, last)

    held = {}
    for node in r.nodes:
        if isinstance(node, ast.Assign) and stays(node.value):
            held.update((last_name(t), stays(node.value)) for t in node.targets)
    own = {n.name for n in r.tree.body if isinstance(n, ast.ClassDef) and not is_test(n) and
           not any(last_name(b).endswith(("Error", "Exception", "Warning", "Enum")) for b in n.bases)}
    for node in r.nodes:
        if not isinstance(node, ast.Call) or last_name(node.func) in TAKES or last_name(node.func).startswith("assert"):
            continue
        root = root_name(node.func)
        if root in of and of[root][0] not in r.program and root not in r.program_names or root in vars(builtins):
            continue
        for a in node.args + [k.value for k in node.keywords]:
            why = stays(a) or held.get(last_name(a) if isinstance(a, (ast.Name, ast.Attribute)) else "")
            if why:
                return "a %s that the program is given" % why
            if isinstance(a, ast.Name) and a.id in own and root in r.program_names:
                return "a class of the tests that the program is given"
    return None


def settings(r):
    """Says what the tests set in the interpreter that both would have to share."""
    for node in r.nodes:
        if isinstance(node, ast.Call) and last_name(node.func) in ("getcontext", "setcontext", "localcontext", "setlocale", "tzset"):
            return "settings of the interpreter (%s)" % last_name(node.func)
        if isinstance(node, ast.Call) and last_name(node.func) in ("seed", "seterr", "set_state", "set_option", "setbufsize"):
            of = key(node.func).split(".")
            if ALIASES.get(of[0], of[0]) in layout.LIBRARIES and of[0] not in r.program_names - {"np", "pd"}:
                return "settings of %s (%s)" % (ALIASES.get(of[0], of[0]), ".".join(of[1:]))
    return None


def libraries(readings):
    """The libraries of arrays and tables that the tests use."""
    found = []
    for r in readings:
        names = [name for node in r.nodes if isinstance(node, (ast.Import, ast.ImportFrom)) for _, name in r.imported(node)]
        for top in [n.split(".")[0] for n in names] + [ALIASES.get(n, n) for n in r.modules_used()]:
            if top in layout.LIBRARIES and top not in found and layout.found(top):
                found.append(top)
    return found


def sharing(r, modules, given):
    """Says why a file of tests needs the program in its own process, or None."""
    why = text_as_code(r)
    why = "code that is made of text (%s)" % why if why else r.sharing(modules) or settings(r) or staying(r)
    return "use " + why if why else shared.sharing(r, given)


def real_pytest():
    """Tells whether pytest itself is here."""
    stand_in = sys.modules.get("pytest")
    return layout.found("pytest") if stand_in is None else getattr(stand_in, "__spec__", None) is not None


def plugins():
    """Tells whether pytest has plugins here, which may have fixtures."""
    from importlib.metadata import entry_points
    return bool(list(entry_points(group="pytest11")))


def verdict(readings, modules, main=""):
    """Says how tests are to be run: ("apart", ""), ("together", why), or
    ("not here", why, what is missing)."""
    if all(not r.tree.body or len(r.tree.body) == 1 and isinstance(r.tree.body[0], ast.Expr) and isinstance(r.tree.body[0].value, ast.Constant)
           for r in readings):
        return "not here", "the file of the tests is empty" if len(readings) == 1 else "the files of the tests are empty", []
    lacks = missing(readings, modules, main)
    if lacks:
        why = "the tests need %s, which is not here" % " and ".join(lacks)
        if not KNOWN.issuperset(lacks):
            why += ": the program's file is %s, and tests may call it \"solution\"; to name it otherwise, name the file in the reply" % main
        return "not here", why, lacks
    runs = tests(readings)
    if runs != "run":
        return "not here", "all tests are skipped, by their own text" if runs else "there is no test in %s" % " and ".join(r.path for r in readings), []
    more = []  # what only pytest itself has
    for r in readings:
        hooks = sorted(n for n in r.own if n.startswith("pytest_") and n != "pytest_plugins")
        if hooks:
            more.append("%s in %s" % (hooks[0], r.path))
        word = pytest_words(r)
        if word:
            more.append(word)
    for name in fixtures(readings):
        if name in PYTEST_FIXTURES - FIXTURES:
            more.append("pytest's fixture " + name)
        elif name not in FIXTURES:
            if not (real_pytest() and plugins()):
                return "not here", "the tests need the fixture %s, which is not here" % name, [PLUGINS.get(name, name)]
            more.append("the fixture " + name)
    if more and not real_pytest():
        return "not here", "the tests need %s, and pytest itself is not here" % more[0], ["pytest"]
    if more:
        return "together", "use " + more[0]
    pass_on(readings)
    given = {n.name: n for r in readings for n in r.nodes
             if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef)) and decorated(n, "fixture")}
    for r in readings:
        why = sharing(r, modules, given)
        if why:
            return "together", why
    return "apart", ""
