"""Whether tests rest on what they share with the program, by their text alone.

Values cross as copies. So tests that change what the program gave them, or what
they gave it, and then ask it again; that ask whether two of its values are one;
or that look at a value again after a command that may have changed it, need the
program in their own process.
"""
from _glovebox import trees as ast
from _glovebox.exam import ASSERTING, CONTAINERS, last_name, root_name
from _glovebox.flow import BUILTINS, IDENTITY, PLAIN, constructs, key, keys, named

# Methods that change a container. Those that give what they take are also
# called for that.
TAKING = frozenset("pop popitem popleft setdefault".split())
CHANGING = TAKING | frozenset((
    "append extend insert remove clear sort reverse update add discard appendleft extendleft rotate subtract move_to_end "
    "difference_update intersection_update symmetric_difference_update __setitem__ __delitem__").split())
# Functions of the library that change their first argument.
CHANGERS = {"random": {"shuffle"}, "operator": {"setitem", "delitem", "iadd"}, "bisect": {"insort", "insort_left", "insort_right"},
            "heapq": {"heappush", "heappop", "heapify", "heapreplace", "heappushpop"}, "list": CHANGING, "dict": CHANGING, "set": CHANGING}
# Methods of plain containers that give what is in them, and functions that go through it.
SHARING = frozenset("get setdefault pop popitem popleft values items".split())
TEXTS = frozenset(dir(str)) - frozenset(dir(list) + dir(dict) + dir(set))
THROUGH = frozenset("enumerate zip reversed iter next getattr filter".split())
DATA = frozenset("columns values index iloc loc at iat flat T real imag".split())
SETUP = ("setUpClass", "setUp", "asyncSetUp", "setup_class", "setup_method", "setup")
MOST = 200  # changes that are looked for
# What looks at an object's fields or its class, and sees none of a stand-in's.
FIELDS = {"dataclasses": {"asdict", "astuple", "fields", "replace", "is_dataclass"}, "copy": {"copy"}}
INSIDE = frozenset("__slots__ __annotations__ __dataclass_fields__ __match_args__ __doc__ __dict__ __mro__ __bases__".split())


class Of:
    """Where a value of the tests comes from: a module of the program, a name in
    one, an object that the tests made, the result of a function, or a part of an
    object: what an attribute, an item or a method gave."""

    def __init__(self, kind, word="", roots=frozenset(), call=None):
        self.kind, self.word, self.roots, self.call = kind, word, roots, call


class Change:
    """What the tests changed, and whom they may ask so that it is seen."""

    def __init__(self, why, names, call=None, kept=""):
        self.why, self.names, self.kept = why, names, kept
        self.func, self.call = call and ast.dump(call.func), call and ast.dump(call)
        self.args = bool(call and (call.args or call.keywords))
        self.words = words([call]) if call else set()


class Snapshot:
    """A variable that has what an object gave. stale: the object changed since."""

    def __init__(self, owner, word):
        self.owner, self.word, self.stale = owner, word, False


def words(nodes):
    return {key(n) for node in nodes for n in ast.walk(node) if isinstance(n, (ast.Name, ast.Attribute))} - {""}


def scalar(node):
    """Tells whether an expression is a number, a text or the like, by its text. Of
    a tuple of these a copy is as good."""
    if isinstance(node, ast.Tuple):
        return all(map(scalar, node.elts))
    if isinstance(node, ast.UnaryOp):
        return scalar(node.operand)
    if isinstance(node, ast.BinOp):
        return scalar(node.left) and scalar(node.right)
    if isinstance(node, ast.Call):
        return last_name(node.func) in ("len", "int", "float", "str", "bool", "abs", "round", "sum", "approx", "Decimal", "date", "datetime", "Fraction")
    return isinstance(node, (ast.Constant, ast.JoinedStr))


def name(node):
    """What is asked: the last of names joined by dots, with brackets where it is called."""
    node = node.value if isinstance(node, ast.Await) else node
    word = last_name(node.func if isinstance(node, ast.Call) else node)
    return word + "()" if word and isinstance(node, ast.Call) else word


def text(node):
    found = ast.unparse(node)
    return found if len(found) <= 40 else found[:37] + "..."


class Sharing(Exception):
    """The tests rest on sharing."""


class Sharer:
    """Reads one file of the tests, in the order in which it runs."""

    def __init__(self, reading, fixtures):
        self.reading = reading
        self.modules = reading.modules_used()
        self.functions = [n for n in reading.nodes if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef))]
        self.classes = {n.name: n for n in reading.tree.body if isinstance(n, ast.ClassDef)}
        self.own = {n.name for n in self.functions}
        # Free in the file's view, and yet bound: by a function, a lambda or a comprehension.
        self.local = {n.arg if isinstance(n, ast.arg) else n.id for n in reading.nodes
                      if isinstance(n, ast.arg) or isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)} - reading.own
        self.library, self.whole = {}, set()  # local name: (module, name in it); the names of modules
        for n in reading.nodes:
            if isinstance(n, ast.Import):
                self.whole.update(a.asname or a.name.split(".")[0] for a in n.names)
                self.library.update((a.asname or a.name.split(".")[0], (a.name.split(".")[0], "")) for a in n.names)
            elif isinstance(n, ast.ImportFrom) and n.module and not n.level:
                self.library.update((a.asname or a.name, (n.module, a.name)) for a in n.names)
        self.fixtures = fixtures
        self.known = {}  # fixture: what it gives
        self.reaching = self.reach()
        self.objects, self.scalars = self.evidence()
        self.called_names = {n.func.id for n in reading.nodes if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)}
        self.values, self.containers, self.held, self.snapshots, self.changes = {}, set(), {}, {}, []
        self.plain = set()  # names that have a number or a text of the tests
        self.inside_function = False
        self.handed = {}  # function of the tests: the places of the objects that it is given
        self.gives, self.meant = None, set()
        self.depth = 0

    def reach(self):
        """The tests' own functions that may give something of the program."""
        found, size = set(), -1
        while size != len(found):
            size = len(found)
            found |= {f.name for f in self.functions if any(
                isinstance(n, ast.Name) and (n.id in found or self.of_program(n.id)) or isinstance(n, ast.Attribute) and n.attr in found
                for n in ast.walk(f))}
        return found

    def evidence(self):
        """The names of what the tests use as an object: they ask it for what no
        plain value has. And of what they use as a number or a text."""
        objects, scalars, bound = set(), set(), {}
        for n in self.reading.nodes:
            if isinstance(n, ast.Attribute) and n.attr not in PLAIN and not n.attr.startswith("__"):
                objects.add(name(n.value))
            elif isinstance(n, ast.Attribute) and n.attr in TEXTS:
                scalars.add(name(n.value))
            elif isinstance(n, ast.Assign):
                for t in n.targets:
                    bound.setdefault(last_name(t), set()).add(name(n.value))
            operands = [n.left, *n.comparators] if isinstance(n, ast.Compare) else [n.left, n.right] if isinstance(n, ast.BinOp) else \
                n.args[:2] if isinstance(n, ast.Call) and last_name(n.func).startswith("assert") else []
            if isinstance(n, ast.Call) and last_name(n.func) in ("assertRegex", "assertAlmostEqual"):
                scalars.update(map(name, operands))
            if any(scalar(o) and not (isinstance(o, ast.Constant) and o.value is None) for o in operands):
                scalars.update(map(name, operands))
        for found in objects, scalars:
            for k in list(found):
                found |= bound.get(k, set())
        return objects - {""}, scalars - {""}

    def of_program(self, name):
        return name in self.reading.program_names and name not in self.local and name not in self.modules and name not in ASSERTING and not name.startswith("assert")

    # Where a value comes from.

    def shown(self, of):
        return of.kind == "object" or of.word in self.objects or bool(of.roots & self.objects) and of.kind == "result"

    def origin(self, node):
        if isinstance(node, (ast.Await, ast.Starred, ast.NamedExpr)):
            return self.origin(node.value)
        if isinstance(node, (ast.IfExp, ast.BoolOp)):
            return next(filter(None, map(self.origin, [node.body, node.orelse] if isinstance(node, ast.IfExp) else node.values)), None)
        if isinstance(node, ast.Name):
            if node.id in self.values:
                return self.values[node.id]
            if not self.of_program(node.id):
                return None
            return Of("module" if node.id in self.whole else "name", node.id)
        if isinstance(node, ast.Attribute):
            k = key(node)
            if k in self.values and not any(isinstance(n, ast.Subscript) for n in ast.walk(node)):
                return self.values[k]
            of = self.origin(node.value)
            if of is None:
                return None
            if of.kind == "module":
                return Of("name", node.attr)
            if of.kind == "result" and node.attr in DATA:
                return Of("result", node.attr, of.roots, of.call)
            return Of("part", node.attr, self.roots(node.value, of), of.call if of.kind == "result" else None)
        if isinstance(node, ast.Subscript):
            of = self.origin(node.value)
            if of is None or of.kind == "result":
                return of
            return Of("part", "", self.roots(node.value, of), of.call)
        return self.called(node) if isinstance(node, ast.Call) else None

    def roots(self, node, of):
        """The names by which what a part is of may be asked. "*" is the program's own."""
        if of.kind in ("module", "name"):
            return frozenset(("*",))
        k = key(node)
        return of.roots | {k} if k in self.values and (of.kind == "object" or of.kind == "result") else of.roots

    def called(self, call):
        word, root = last_name(call.func), root_name(call.func)
        if isinstance(call.func, ast.Name):
            if root in THROUGH and root not in self.own:
                return next(filter(None, map(self.origin, call.args)), None)
            of = self.origin(call.func)
            if of is None:
                if self.library.get(root) in (("copy", "copy"), ("copy", "deepcopy")) or root == "deepcopy":
                    return self.copied(call)
                return Of("result", word + "()", frozenset(), call) if word in self.reaching else None
            return Of("object", word) if constructs(word) and of.kind == "name" else Of("result", word + "()", frozenset(), call)
        if not isinstance(call.func, ast.Attribute):
            return Of("result", "", frozenset(), call) if self.origin(call.func) else None
        of = self.origin(call.func.value)
        if of is None:
            if root == "copy" and word in ("copy", "deepcopy"):
                return self.copied(call)
            return Of("result", word + "()", frozenset(), call) if word in self.reaching and root in ("self", "cls") else None
        if of.kind in ("module", "name"):
            return Of("object", word) if constructs(word) else Of("result", word + "()", frozenset(), call)
        if of.kind in ("result", "part") and word in PLAIN and not self.shown(of):
            return Of(of.kind, word + "()", of.roots, of.call) if word in SHARING else None
        return Of("part", word + "()", self.roots(call.func.value, of), call)

    def copied(self, call):
        """A copy of an object shares what the object has, unless it is a deep one."""
        of = self.origin(call.args[0]) if call.args else None
        return Of("object", "") if of is not None and self.shown(of) else None

    # What the tests do, statement by statement.

    def run(self, body):
        for node in body:
            self.statement(node)

    def statement(self, node):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            if self.inside_function and not isinstance(node, ast.ClassDef):
                values, gives = dict(self.values), self.gives
                self.values.update((a.arg, None) for a in ast.walk(node.args) if isinstance(a, ast.arg))
                self.run(node.body)
                self.values, self.gives = values, gives
            return  # see file()
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            for a, module in self.reading.imported(node):
                name = (a.asname or a.name).split(".")[0]
                if module in self.reading.program:
                    self.values.pop(name, None)
                    if name not in self.reading.program_names:
                        self.values[name] = Of("module" if isinstance(node, ast.Import) else "name", name)
                else:
                    self.values[name] = None
            return
        heads = [n for n in ast.iter_child_nodes(node) if not isinstance(n, (ast.stmt, ast.ExceptHandler, ast.match_case))]
        self.ask(heads, node)
        self.look(node, heads)
        self.alter(node, heads)
        self.bind(node)
        bodies = [b for field in ("body", "handlers", "cases", "orelse", "finalbody") for b in (getattr(node, field, None),) if isinstance(b, list)]
        again = isinstance(node, (ast.For, ast.AsyncFor, ast.While)) and self.depth < 2  # the next turn sees what this one did
        self.depth += again
        for _ in range(1 + again):
            for b in bodies:
                for n in b:
                    if isinstance(n, (ast.ExceptHandler, ast.match_case)):
                        self.run(n.body)
                    else:
                        self.statement(n)
            self.bind(node) if again else None
        self.depth -= again

    def ask(self, heads, node):
        for change in self.changes:
            if len(self.changes) > MOST or any(self.asked(h, change) for h in heads):
                raise Sharing(change.why)
        if isinstance(node, (ast.Return, ast.Expr)) and self.gives is None:
            value = node.value.value if isinstance(node.value, ast.Yield) else node.value if isinstance(node, ast.Return) else None
            self.gives = value and self.origin(value)

    def asked(self, node, change):
        """Tells whether an expression asks the program so that a change is seen."""
        if isinstance(node, ast.Call):
            args = node.args + [k.value for k in node.keywords]
            if change.kept and change.kept in map(key, args):
                return False  # it is given anew
            if change.func and ast.dump(node.func) == change.func:
                if ast.dump(node) == change.call:
                    return True
                if change.args:  # it is asked for something else
                    return any(self.asked(a, change) for a in args)
        if isinstance(node, (ast.Name, ast.Attribute)) and isinstance(node.ctx, ast.Load) and key(node) in change.names and \
                not any(isinstance(n, ast.Subscript) for n in ast.walk(node)):
            return True
        return any(self.asked(n, change) for n in ast.iter_child_nodes(node))

    def alter(self, node, heads):
        """Notes what a statement changes in place, gives to the program, or tells an object to do."""
        for h in heads:
            for n in ast.walk(h):
                if isinstance(n, ast.Call):
                    self.give(n)
                    self.change_by(n, isinstance(node, ast.Expr))
                    self.inside(n)
                elif isinstance(n, ast.Attribute) and n.attr in INSIDE and isinstance(n.ctx, ast.Load) and self.origin(n.value):
                    raise Sharing("use %s of the program (line %d)" % (n.attr, n.lineno))
                elif isinstance(n, ast.Subscript) and not isinstance(n.ctx, ast.Load):
                    self.changed(n.value, n)
                elif isinstance(n, ast.Compare):
                    self.identity(n, [n.left, *n.comparators])
        for case in getattr(node, "cases", ()):
            for n in ast.walk(case.pattern):
                if isinstance(n, ast.MatchClass) and n.patterns and self.origin(n.cls):
                    raise Sharing("use patterns with the positions of a class (line %d)" % n.cls.lineno)
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name) and (
                isinstance(node.value, (ast.List, ast.Set, ast.Dict, ast.ListComp)) or key(node.value) in self.containers or node.target.id in self.containers):
            self.changed(node.target, node)
        value = node.value if isinstance(node, ast.Expr) else None
        value = value.value if isinstance(value, ast.Await) else value
        owners = {key(value.func.value)} if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) else set()
        for t in getattr(node, "targets", [getattr(node, "target", None)] if isinstance(node, (ast.AugAssign, ast.AnnAssign)) else []):
            if isinstance(t, ast.Attribute):
                owners.add(key(t.value))
        for s in self.snapshots.values():
            s.stale = s.stale or s.owner in owners

    def change_by(self, call, dropped):
        word, root = last_name(call.func), root_name(call.func)
        module, name = self.library.get(root, (root, ""))
        if call.args and (name or word) in CHANGERS.get(module, ()) and (isinstance(call.func, ast.Name) or isinstance(call.func.value, ast.Name)):
            self.changed(call.args[0], call)
        elif isinstance(call.func, ast.Attribute) and word in CHANGING and (dropped or word in TAKING):
            self.changed(call.func.value, call, dropped)

    def changed(self, node, at, dropped=True):
        """Notes that a container is changed in place."""
        of, k = self.origin(node), key(node)
        why = "(%s, line %d)" % (text(node), at.lineno)
        if of is None:
            for c in self.changes:
                c.call = c.call if k not in c.words else ""  # another argument
            if k in self.held:
                self.changes.append(Change("change what they gave the program " + why, self.held[k], kept=k))
            return
        if of.kind == "module" or self.shown(of) or of.kind == "name" and (constructs(of.word) and not of.word.isupper() or not dropped):
            return
        what = "change what the program gave them " + why
        if of.kind == "name" or "*" in of.roots:
            raise Sharing("change what the program has " + why)
        made = {k for k, v in self.values.items() if v is not None and v.kind == "object"}
        if of.kind == "part":
            self.changes.append(Change(what, of.roots | made, of.call))
            if not isinstance(node, ast.Name):
                self.meant |= of.roots
        elif of.call is not None:
            given = words(of.call.args + [a.value for a in of.call.keywords])
            self.changes.append(Change(what, made & given, of.call))

    def give(self, call):
        """Notes which containers of the tests the program is given, and may keep."""
        word = last_name(call.func)
        if word in self.own and (isinstance(call.func, ast.Name) or root_name(call.func) == "self"):
            given = {i for i, a in enumerate(call.args) for v in [self.origin(a)] if v is not None and self.shown(v)}
            self.handed.setdefault(word, set()).update(given)
        of = self.origin(call.func.value) if isinstance(call.func, ast.Attribute) else None
        if of is not None and of.kind in ("object", "part", "result") and (self.shown(of) or of.kind == "object"):
            for a in call.args + [k.value for k in call.keywords]:
                if key(a) in self.containers:
                    self.held.setdefault(key(a), set()).add(key(call.func.value))

    def inside(self, call):
        """Looks for functions that go through an object's fields."""
        word, root = last_name(call.func), root_name(call.func)
        module, name = self.library.get(root, ("", ""))
        of = self.origin(call.args[0]) if call.args else None
        if (name or word) in FIELDS.get(module, ()):
            plain = of is None or of.kind != "object" and not self.shown(of)
            if not (plain and (module == "copy" or self.dataclasses())):
                raise Sharing("use %s.%s (line %d)" % (module, name or word, call.lineno))
        elif word == "vars" and root not in self.own and of is not None and isinstance(call.func, ast.Name):
            raise Sharing("use vars of an object of the program (line %d)" % call.lineno)
        elif word in ("assertIs", "assertIsNot"):
            self.one(call.args[:2], call)

    def dataclasses(self):
        """Tells whether the tests have dataclasses of their own."""
        return any(last_name(d.func if isinstance(d, ast.Call) else d) == "dataclass" for n in self.reading.nodes
                   if isinstance(n, ast.ClassDef) for d in n.decorator_list)

    # Identity.

    def identity(self, node, operands):
        for a, o, b in zip(operands, node.ops, operands[1:]):
            ids = [n.args[0] for n in (a, b) if isinstance(n, ast.Call) and key(n.func) == "id" and len(n.args) == 1]
            if isinstance(o, IDENTITY):
                self.one([a, b], node)
            elif isinstance(o, (ast.Eq, ast.NotEq)) and len(ids) == 2:
                self.one(ids, node)

    def one(self, operands, at):
        """Looks whether two values are asked to be one that cross as copies."""
        if len(operands) < 2 or any(isinstance(o, ast.Constant) for o in operands):
            return
        of = [self.origin(o) for o in operands]
        for v, o in zip(of, operands):
            if v is not None and (self.shown(v) or v.kind in ("module", "name") or "*" in v.roots and named(o)) or \
                    isinstance(o, ast.Attribute) and o.attr == "__class__":
                return
        held = [key(o) in self.held for o in operands]
        if of[0] is of[1]:
            return  # two names of one value
        if all(of) or of[0] and held[1] or of[1] and held[0]:
            raise Sharing("ask whether two values of the program are one (line %d)" % at.lineno)

    # Snapshots.

    def look(self, node, heads):
        """Looks for assertions on what an object gave before it was told to change."""
        if isinstance(node, ast.Assert):
            self.judged(node.test)
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and last_name(node.value.func).startswith("assert"):
            word, args = last_name(node.value.func), node.value.args
            if word in ("assertIn", "assertNotIn"):
                self.compared(args[1:2], False)
            elif len(args) > 1 and not word.startswith(("assertGreater", "assertLess", "assertRaises", "assertIsInstance")):
                self.compared(args[:2], "Equal" in word and "Not" not in word)
        elif isinstance(node, (ast.For, ast.AsyncFor)):
            self.compared([node.iter], False)

    def judged(self, test):
        if isinstance(test, (ast.BoolOp, ast.UnaryOp)):
            for v in getattr(test, "values", [getattr(test, "operand", None)]):
                self.judged(v)
        elif isinstance(test, ast.Compare):
            operands = [test.left, *test.comparators]
            for a, o, b in zip(operands, test.ops, operands[1:]):
                if isinstance(o, (ast.In, ast.NotIn)):
                    self.compared([b], False)
                elif not isinstance(o, (ast.Lt, ast.LtE, ast.Gt, ast.GtE)):
                    self.compared([a, b], isinstance(o, ast.Eq))
        elif isinstance(test, ast.Call) and last_name(test.func) in ("all", "any"):
            self.compared(test.args, False)

    def compared(self, operands, equal):
        parts = [o.elts for o in operands if isinstance(o, (ast.Tuple, ast.List))]
        if len(parts) == len(operands) == 2 and len(parts[0]) == len(parts[1]):
            for pair in zip(*parts):
                self.compared(list(pair), equal)
            return
        for i, o in enumerate(operands):
            others = operands[:i] + operands[i + 1:]
            for n in self.read(o):
                s = self.snapshots.get(key(n))
                if s is None or not s.stale or n is o and (others and all(scalar(x) or key(x) in self.plain for x in others) or s.word in self.objects):
                    continue
                if others and n is o and not any(isinstance(x, (ast.List, ast.Dict, ast.Set, ast.ListComp)) for x in others):
                    same = [x for x in others if name(x) == s.word]
                    if s.word in self.scalars or equal and same:
                        continue
                raise Sharing("look again at what the program gave them before it changed (%s, line %d)" % (key(n), n.lineno))

    def read(self, node):
        """The names whose value an expression is made of: not what the program is
        given, and not an object that is asked."""
        if isinstance(node, ast.Call):
            if isinstance(node.func, ast.Name) and node.func.id in BUILTINS:
                return [n for a in node.args for n in self.read(a)]
            return self.read(node.func.value) if isinstance(node.func, ast.Attribute) and node.func.attr in PLAIN else []
        if isinstance(node, ast.BinOp):
            return []
        if isinstance(node, (ast.Name, ast.Attribute)) and key(node) in self.snapshots:
            return [node]
        if isinstance(node, ast.Attribute):
            return []
        return [n for c in ast.iter_child_nodes(node) for n in self.read(c)]

    # Bindings.

    def bind(self, node):
        if isinstance(node, ast.Assign):
            for t in node.targets:
                self.assign(t, node.value)
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            self.assign(node.target, node.value)
        elif isinstance(node, (ast.For, ast.AsyncFor)):
            self.forget(keys(node.target))
            of = self.origin(node.iter)
            if of is not None and of.kind == "object":
                of = Of("part", "", self.roots(node.iter, of))
            for k in keys(node.target):
                self.values[k] = of
        elif isinstance(node, (ast.With, ast.AsyncWith)):
            for i in node.items:
                if i.optional_vars is not None:
                    self.assign(i.optional_vars, i.context_expr)
        for h in ast.iter_child_nodes(node):
            if isinstance(h, ast.expr):
                for n in ast.walk(h):
                    if isinstance(n, ast.NamedExpr):
                        self.assign(n.target, n.value)

    def assign(self, target, value):
        if isinstance(target, (ast.Tuple, ast.List)):
            if isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == len(target.elts):
                for t, v in zip(target.elts, value.elts):
                    self.assign(t, v)
            else:
                for t in target.elts:
                    self.assign(t.value if isinstance(t, ast.Starred) else t, value)
            return
        k = key(target)
        if not k or isinstance(target, ast.Subscript):
            return
        of = self.origin(value)
        snapshot = self.snapshots.get(key(value)) if isinstance(value, (ast.Name, ast.Attribute)) else None
        change = [c for c in self.changes if k in c.names and isinstance(value, (ast.Name, ast.Attribute)) and key(value) in c.names]
        self.forget({k})
        for c in change:
            c.names = c.names | {k}
        if of is not None and of.kind == "result" and {of.word, k} & self.objects:
            of = Of("result", of.word, of.roots | {k}, of.call)
        self.values[k] = of
        if scalar(value):
            self.plain.add(k)
        direct = value.value if isinstance(value, ast.Await) else value
        direct = direct.func if isinstance(direct, ast.Call) else direct
        if snapshot is not None:
            self.snapshots[k] = snapshot
        elif of is not None and of.kind == "part" and isinstance(direct, ast.Attribute) and key(direct.value) in self.values and \
                not any(isinstance(n, ast.Subscript) for n in ast.walk(direct)):
            self.snapshots[k] = Snapshot(key(direct.value), name(value))
        if isinstance(value, (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp)) or \
                isinstance(value, ast.Call) and of is None and last_name(value.func) in CONTAINERS or key(value) in self.containers:
            self.containers.add(k)
        call = value.value if isinstance(value, ast.Await) else value
        if of is not None and isinstance(call, ast.Call) and (of.kind == "object" or of.kind == "result" and k in self.objects | self.called_names):
            for a in call.args + [x.value for x in call.keywords]:
                if key(a) in self.containers:
                    self.held.setdefault(key(a), set()).add(k)

    def forget(self, names):
        """What has new values is no longer what it was."""
        gone = lambda k: any(k == n or k.startswith(n + ".") for n in names)
        for known in (self.values, self.held, self.snapshots):
            for k in [k for k in known if gone(k)]:
                del known[k]
        self.containers = {k for k in self.containers if not gone(k)}
        self.plain = {k for k in self.plain if not gone(k)}
        self.held = {k: {x for x in v if not gone(x)} for k, v in self.held.items()}
        for k in [k for k, s in self.snapshots.items() if gone(s.owner)]:
            del self.snapshots[k]
        for c in self.changes:
            c.names = {k for k in c.names if not gone(k)}
            if any(map(gone, c.words)):
                c.call = ""  # another argument

    # A file.

    def file(self):
        """Runs the file's statements, and then each of its functions after them."""
        self.run(self.reading.tree.body)
        for node in self.reading.tree.body:
            if isinstance(node, ast.ClassDef):
                setup = [m for c in self.above(node) for m in c.body if isinstance(m, (ast.FunctionDef, ast.AsyncFunctionDef)) and m.name in SETUP]
                setup.sort(key=lambda m: SETUP.index(m.name))
                for m in node.body:
                    if isinstance(m, (ast.FunctionDef, ast.AsyncFunctionDef)):
                        self.function(m, setup if m not in setup else ())
            elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                self.function(node)
        for f in self.functions:
            if self.handed.get(f.name):
                self.function(f, handed=self.handed[f.name])

    def above(self, node, seen=()):
        """A class after the classes of the file that it comes from."""
        bases = [self.classes[last_name(b)] for b in node.bases if last_name(b) in self.classes and last_name(b) not in seen]
        return [c for b in bases for c in self.above(b, (*seen, node.name))] + [node]

    def function(self, node, before=(), handed=()):
        self.meant = set()  # the objects whose parts a function changes directly
        kept = self.values, self.containers, self.held, self.snapshots, self.changes, self.gives, self.plain, self.inside_function
        self.values, self.containers, self.held = dict(self.values), set(self.containers), {k: set(v) for k, v in self.held.items()}
        self.snapshots, self.changes, self.gives, self.plain, self.inside_function = dict(self.snapshots), list(self.changes), None, set(self.plain), True
        varied = {w.strip() for d in node.decorator_list if isinstance(d, ast.Call) and last_name(d.func) == "parametrize" and len(d.args) > 1 and
                  any(isinstance(n, ast.Name) and self.of_program(n.id) for n in ast.walk(d.args[1])) and isinstance(d.args[0], ast.Constant)
                  for w in str(d.args[0].value).split(",")}
        for a in node.args.posonlyargs + node.args.args + node.args.kwonlyargs:
            self.forget({a.arg})
            self.values[a.arg] = self.fixture(a.arg)
            if node.name == "check" and a.arg == "candidate" or a.arg in varied:
                self.values[a.arg] = Of("name", a.arg)
        args = [a.arg for a in node.args.posonlyargs + node.args.args if a.arg not in ("self", "cls")]
        objects = {args[i] for i in handed if i < len(args)}
        self.values.update((k, Of("object", k)) for k in objects)
        for m in before:
            self.run(m.body)
        self.gives = None
        self.run(node.body)
        if objects & self.meant:
            raise Sharing("change what the program gave them (%s, line %d)" % (node.name, node.lineno))  # who calls this asks afterwards
        gave = self.gives
        self.values, self.containers, self.held, self.snapshots, self.changes, self.gives, self.plain, self.inside_function = kept
        return gave

    def fixture(self, name):
        """What a fixture gives, under its name."""
        if name not in self.known:
            self.known[name] = None
            if name in self.fixtures:
                self.known[name] = self.function(self.fixtures[name])
        of = self.known[name]
        return of and Of(of.kind, of.word, frozenset((name,)) if of.kind == "result" else of.roots, None)


def sharing(reading, fixtures):
    """Says why the tests rest on sharing with the program, or None."""
    try:
        Sharer(reading, fixtures).file()
    except Sharing as e:
        return str(e)
    return None
