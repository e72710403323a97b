"""Where the files of a tree stand among the modules."""
import os
import sys
from _frozen_importlib_external import PathFinder

# What judges: never the program's, whatever files it has.
JUDGES = frozenset(("pytest", "_pytest", "_glovebox", "conftest", "sitecustomize", "usercustomize", "hypothesis", "mock", "nose",
                    "parameterized", "ddt", "assertpy", "hamcrest", "numpy", "pandas", "scipy", "sklearn", "torch", "tensorflow", "jax",
                    "sympy", "pytest_check", "pytest_assume", "pytest_mock", "unittest2", "nose2", "testfixtures",
                    "expects", "sure", "deepdiff", "jsondiff", "dictdiffer", "dirty_equals", "precisely", "delayed_assert", "softest",
                    "inline_snapshot", "snapshottest", "syrupy", "approvaltests", "flexmock", "freezegun"))

# Libraries of arrays and tables, whose values cross where the tests use them.
LIBRARIES = ("numpy", "pandas", "scipy")


def roots(files):
    """The folders that imports start at: the tree's own, and src/ where that
    holds modules and is none itself."""
    src = any(f.startswith("src/") and f.endswith(".py") for f in files) and "src/__init__.py" not in files
    return ["", "src/"] if src else [""]


def dotted(path):
    """Names the module of a file, from the folder that path starts at."""
    parts = os.path.splitext(path)[0].split("/")
    if parts[-1] == "__init__" and len(parts) > 1:
        parts.pop()
    return ".".join(parts)


def package(path):
    """Names the package that a file's relative imports start at."""
    return os.path.dirname(path).replace("/", ".")


def program_modules(main, files):
    """Maps the names under which tests may import the program's modules to
    what the program's side calls them; "" is the main file."""
    modules = {}
    for root in roots(files):
        for path in files:
            name = dotted(path[len(root):]) if path.startswith(root) else ""
            parts = name.split(".")
            if name and all(p.isidentifier() for p in parts):
                for i in range(1, len(parts)):
                    modules.setdefault(".".join(parts[:i]), ".".join(parts[:i]))
                modules[name] = "" if path == main else name
    if main:
        stem = os.path.splitext(os.path.basename(main))[0]
        if stem.isidentifier():
            modules[stem] = ""
        modules.setdefault("solution", "")
    return modules


def installed(name):
    """Tells whether a module is there without the program. It has to be asked
    before the program's folders are on the path."""
    top = name.split(".")[0]
    if top in sys.stdlib_module_names or top in JUDGES:
        return True
    try:
        return any(finder.find_spec(top, None) for finder in sys.meta_path)
    except (ImportError, ValueError):
        return False


def found(name):
    """Tells whether a module outside of the standard library is installed."""
    try:
        return any(PathFinder.find_spec(name, [p]) for p in sys.path if p and not p.startswith("/workspace"))
    except (ImportError, ValueError):
        return False


def foreign_modules(main, files):
    """program_modules without those whose name means something else: the
    standard library, what is installed, what judges."""
    modules = program_modules(main, files)
    ours = {top for top in {n.split(".")[0] for n in modules} if installed(top)}
    return {n: v for n, v in modules.items() if n.split(".")[0] not in ours}
