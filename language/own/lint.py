"""Checks Python files without running them: `lint.py FILE…`.

A finding is a line `path:line:col: message`. The exit code is 0 for none, 1
for some, 3 where nothing can check this here. What is installed of pyflakes
and mypy is used; without pyflakes names are looked up here, and what is not
certainly undefined is left alone.
"""
import ast
import builtins
import os
import re
import subprocess
import sys
import symtable
import warnings

KNOWN = set(dir(builtins)) | {
    "__file__", "__name__", "__doc__", "__package__", "__spec__", "__loader__", "__path__", "__builtins__", "__annotations__",
    "__module__", "__qualname__", "__class__", "__debug__", "WindowsError", "reveal_type", "reveal_locals", "_"}
DYNAMIC = {"globals", "locals", "vars", "exec", "eval", "setattr", "install", "_convert_", "_convert"}
found = []


def say(path, line, column, message):
    found.append((path, line or 1, column or 1, " ".join(str(message).split())))


def compiled(path, source):
    """Parses, and says what the compiler warns of. None where it refuses."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        try:
            compile(source, path, "exec", dont_inherit=True)
            tree = ast.parse(source, path)
        except SyntaxError as e:
            say(path, e.lineno, e.offset, "%s: %s" % (type(e).__name__, e.msg))
            return None
        except (ValueError, RecursionError, MemoryError, OverflowError) as e:
            say(path, 1, 1, e)
            return None
    for w in {(w.lineno, str(w.message)) for w in seen if issubclass(w.category, SyntaxWarning)}:
        say(path, w[0], 1, "SyntaxWarning: %s" % w[1])
    return tree


def undefined(path, source, tree):
    """Names that no run of the file can find."""
    if any(isinstance(n, ast.ImportFrom) and n.names[0].name == "*" for n in ast.walk(tree)):
        return
    if any(isinstance(n, ast.Call) and (getattr(n.func, "id", "") in DYNAMIC or getattr(n.func, "attr", "") in DYNAMIC) for n in ast.walk(tree)):
        return
    guarded = set()
    for n in ast.walk(tree):
        if isinstance(n, ast.Try) or type(n).__name__ == "TryStar":
            names = {getattr(x, "id", "") for h in n.handlers for x in (ast.walk(h.type) if h.type else [ast.Name("Exception")])}
            if names & {"NameError", "Exception", "BaseException"}:
                guarded |= {x.id for b in n.body for x in ast.walk(b) if isinstance(x, ast.Name)}
    top = symtable.symtable(source, path, "exec")
    defined = {s.get_name() for s in top.get_symbols() if s.is_assigned() or s.is_imported() or s.is_namespace()}
    tables = [top]
    for t in tables:
        tables.extend(t.get_children())
        # A function may define a name of the module.
        defined |= {s.get_name() for s in t.get_symbols() if s.is_declared_global() and (s.is_assigned() or s.is_imported())}
    postponed = any(isinstance(n, ast.ImportFrom) and n.module == "__future__" and n.names[0].name == "annotations" for n in tree.body)
    missing = set()
    for t in tables:
        if t.get_type() not in ("module", "function", "class"):
            continue
        for s in t.get_symbols():
            name = s.get_name()
            # A function called "top" passes for the module: its names are local too.
            loose = s.is_global() and not s.is_local() if t is not top else not (s.is_assigned() or s.is_imported() or s.is_namespace())
            if s.is_referenced() and loose and name not in defined and name not in KNOWN and name not in guarded:
                missing.add(name)
    skip = set()
    if postponed or missing:
        # Annotations need not be evaluated.
        for n in ast.walk(tree):
            for a in (getattr(n, "annotation", None), getattr(n, "returns", None)):
                if a is not None:
                    skip |= {id(x) for x in ast.walk(a)}
    for n in ast.walk(tree):
        if isinstance(n, ast.Name) and n.id in missing and isinstance(n.ctx, ast.Load) and id(n) not in skip:
            missing.discard(n.id)
            say(path, n.lineno, n.col_offset + 1, "undefined name %r" % n.id)


def flakes(paths):
    """Runs pyflakes; False where it is not here."""
    try:
        from pyflakes import api, reporter
    except ImportError:
        return False

    class Said(reporter.Reporter):
        def __init__(self):
            pass

        def flake(self, m):
            say(m.filename, m.lineno, m.col + 1, m.message % m.message_args)

        def unexpectedError(self, filename, msg):
            pass

        def syntaxError(self, filename, msg, lineno, offset, text):
            pass

    for p in paths:
        with open(p, encoding="utf-8", errors="replace") as f:
            api.check(f.read(), p, Said())
    return True


def types(paths):
    """Runs mypy where it is here, in a process of its own."""
    import importlib.util
    if importlib.util.find_spec("mypy") is None:
        return
    done = subprocess.run(
        [sys.executable, "-I", "-m", "mypy", "--no-error-summary", "--show-column-numbers", "--no-incremental", "--cache-dir=/dev/null",
         "--ignore-missing-imports", "--follow-imports=silent", "--", *paths], capture_output=True, text=True, errors="replace")
    for line in done.stdout.splitlines():
        m = re.match(r"(.+?):(\d+):(\d+): error: (.*)", line)
        if m:
            say(m[1], int(m[2]), int(m[3]), m[4])


def main(paths):
    paths = [p for p in paths if p.endswith((".py", ".pyi", ".pyw")) and os.path.isfile(p)]
    if not paths:
        print("no file of Python is among those to check", file=sys.stderr)
        return 3
    parsed = []
    for p in paths:
        with open(p, "rb") as f:
            source = f.read()
        tree = compiled(p, source)
        if tree is not None:
            parsed.append((p, source, tree))
    if not flakes([p for p, _, _ in parsed]):
        for p, source, tree in parsed:
            try:
                undefined(p, source, tree)
            except (SyntaxError, RecursionError, ValueError):
                pass
    if parsed:
        types([p for p, _, _ in parsed])
    for f in sorted(set(found)):
        print("%s:%d:%d: %s" % f)
    return 1 if found else 0


sys.exit(main(sys.argv[1:]))
