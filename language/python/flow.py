"""Where the values of the tests come from, by their text alone.

Two questions are answered for each comparison. May what one side is made of
have been changed by the call whose result is on the other? Then it counts as it
was before. And are both sides results of the program, of a kind that the tests
use as objects? Then the case is candidate_judged.
"""
import ast
import builtins

from _glovebox.exam import last_name, root_name

BUILTINS = frozenset(dir(builtins))
# The attributes that plain values have.
PLAIN = frozenset(n for t in (str, bytes, int, float, complex, list, tuple, dict, set, frozenset) for n in dir(t)).union(
    "year month day hour minute second days seconds total_seconds isoformat quantize most_common popleft elements shape dtype "
    "tolist size ndim columns values iloc loc".split())
IDENTITY = (ast.Is, ast.IsNot)


def key(node):
    """The words of names joined by dots, or "". What is at an index counts as
    the whole."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Subscript):
        return key(node.value)
    if isinstance(node, ast.Attribute):
        of = key(node.value)
        return of and "%s.%s" % (of, node.attr)
    return ""


def keys(target):
    """What an assignment binds."""
    if isinstance(target, (ast.Tuple, ast.List)):
        return {k for t in target.elts for k in keys(t)}
    if isinstance(target, ast.Starred):
        return keys(target.value)
    return {key(target)} - {""}


def inner(node):
    """The parts of an expression that its value is of: not where in a container
    it is."""
    if isinstance(node, ast.Call) and root_name(node.func) == "range":
        return []
    return [n for n in ast.iter_child_nodes(node) if not (isinstance(node, ast.Subscript) and n is node.slice)]


def walk(nodes, functions=True):
    """The nodes of some statements, with those of the functions in them or
    without."""
    todo = list(nodes)
    while todo:
        node = todo.pop()
        yield node
        if functions or not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            todo.extend(ast.iter_child_nodes(node))


def bindings(nodes):
    """What is bound to which expression."""
    for n in nodes:
        if isinstance(n, ast.Assign) and isinstance(n.targets[0], ast.Tuple) and isinstance(n.value, ast.Tuple) and \
                len(n.targets[0].elts) == len(n.value.elts):
            for t, v in zip(n.targets[0].elts, n.value.elts):
                yield keys(t), v, n
        elif isinstance(n, ast.Assign):
            yield {k for t in n.targets for k in keys(t)}, n.value, n
        elif isinstance(n, (ast.AnnAssign, ast.AugAssign, ast.NamedExpr)) and n.value is not None:
            yield keys(n.target), n.value, n
        elif isinstance(n, (ast.For, ast.AsyncFor, ast.comprehension)):
            yield keys(n.target), n.iter, n
        elif isinstance(n, ast.withitem) and n.optional_vars is not None:
            yield keys(n.optional_vars), n.context_expr, None


def sides(node):
    """The operands that a comparison or an assertion of unittest compares."""
    if isinstance(node, ast.Compare) and not any(isinstance(o, IDENTITY) for o in node.ops):
        return [node.left, *node.comparators]
    if isinstance(node, ast.Call) and last_name(node.func).startswith("assert") and len(node.args) > 1 and \
            last_name(node.func) not in ("assertIs", "assertIsNot"):
        return node.args[:2]
    return []


class Flow:
    """What a function of the tests, or the top level of their file, does with
    what the program gives."""

    def __init__(self, body, reading, of_program, functions=True, above=None):
        self.reading, self.of_program = reading, of_program
        nodes = list(walk(body, functions))
        bound = list(bindings(nodes))
        # Of the program: what a call gave, and all that is made of it.
        self.derived = set(above.dotted if above else ())
        self.results = set()
        if above is None:
            everything = list(ast.walk(reading.tree))
            own = [n for n in everything if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef))]
            self.own = {n.name for n in own}
            self.reaching = self.reach(own)
            self.spread(list(bindings(everything)))
            self.dotted = {k for k in self.derived if "." in k} | {
                n.name for n in own if any(last_name(d.func if isinstance(d, ast.Call) else d) == "fixture" for d in n.decorator_list)}
            self.objects = self.uses_objects(everything)
            self.derived, self.results = set(self.dotted), set()
        else:
            self.own, self.reaching, self.dotted, self.objects = above.own, above.reaching, above.dotted, above.objects
        self.spread(bound)
        self.given, size = {}, -1  # name: what was given to the calls that it is of
        while size != sum(map(len, self.given.values())):
            size = sum(map(len, self.given.values()))
            for names, value, _ in bound:
                for k in names:
                    self.given.setdefault(k, set()).update(self.gives(value), (key(value),) if isinstance(value, ast.Name) else ())
        compared = [s for s in map(sides, nodes) if s]
        # What is compared with something of the program, and how it came to be.
        expected = set()
        for operands in compared:
            for i, side in enumerate(operands):
                if any(self.of(o) for o in operands[:i] + operands[i + 1:]):
                    expected |= self.words(side)
        self.computed, grows = set(), True
        while grows:
            size = len(expected)
            for names, value, node in bound:
                if node is not None and names & expected:
                    self.computed.add(id(node))
                    expected |= self.words(value)
            grows = size != len(expected)
        self.fixed = self.checked(nodes, compared)

    def spread(self, bound):
        """Collects the names that have something of the program."""
        size = -1
        while size != len(self.derived) + len(self.results):
            size = len(self.derived) + len(self.results)
            for names, value, _ in bound:
                if self.of(value):
                    self.derived |= names
                if self.result(value):
                    self.results |= names

    def of(self, node):
        """Tells whether an expression has something of what a call gave."""
        if isinstance(node, ast.Name):
            return node.id in self.derived or self.of_program(node.id)
        if isinstance(node, ast.Attribute) and key(node) in self.derived:
            return True
        if isinstance(node, ast.Call) and not self.harmless(node):
            return True
        return any(map(self.of, inner(node)))

    def harmless(self, call):
        """Tells whether a call is one of the language's own, of its library, of a
        plain value of the tests, or of a function of theirs that knows nothing of
        the program."""
        root = root_name(call.func)
        if root in BUILTINS or root in self.reading.standard_roots or not root:
            return True
        word = last_name(call.func)
        if isinstance(call.func, ast.Name):
            return word in self.own and word not in self.reaching and word not in self.derived
        if not isinstance(call.func, ast.Attribute) or self.of(call.func.value):
            return False
        return word in self.own - self.reaching if root in ("self", "cls") else word in PLAIN or word in self.own - self.reaching

    def reach(self, functions):
        """The tests' own functions that may call the program."""
        found, size = set(), -1
        while size != len(found):
            size = len(found)
            for f in functions:
                taken = {a.arg for a in ast.walk(f.args) if isinstance(a, ast.arg)}
                if any(isinstance(n, ast.Name) and (n.id in found or self.of_program(n.id)) or
                       isinstance(n, ast.Attribute) and n.attr in found or
                       isinstance(n, ast.Call) and root_name(n.func) in taken - {"self", "cls"} and last_name(n.func) not in PLAIN for n in ast.walk(f)):
                    found.add(f.name)
        return found

    def gives(self, node):
        """What an expression gives to calls of the program, or is of what was."""
        found = set()
        for n in ast.walk(node):
            if isinstance(n, ast.Call) and not self.harmless(n):
                found = found.union(*map(self.words, [*n.args, *(k.value for k in n.keywords)]))
            elif isinstance(n, (ast.Name, ast.Attribute)):
                found |= self.given.get(key(n), set())
        return found

    def itself(self, operand, others):
        """Tells whether an operand is an argument, and was given to a call whose
        result is on another side."""
        given = set().union(*map(self.gives, others))
        return bool(({key(operand)} | self.given.get(key(operand), set())) & given)

    def result(self, node):
        """Tells whether an expression is a call of the program, or a name of
        what such a call gave."""
        if isinstance(node, ast.Await):
            return self.result(node.value)
        if isinstance(node, ast.Call):
            root = root_name(node.func)
            return self.of_program(root) or root in self.results
        return isinstance(node, ast.Name) and node.id in self.results

    def pair(self, operands):
        """Tells whether both sides of a comparison are results, in tests that use
        objects of the program."""
        return self.objects and len(operands) == 2 and all(map(self.result, operands))

    def uses_objects(self, nodes):
        """Tells whether the file constructs objects of the program, or reads what
        only an object of a class has."""
        for node in nodes:
            if isinstance(node, ast.Call):
                if self.of_program(root_name(node.func)) and any(w.lstrip("_")[:1].isupper() and not w.isupper() for w in key(node.func).split(".")):
                    return True
            elif isinstance(node, ast.Attribute) and node.attr not in PLAIN:
                of = node.value
                while isinstance(of, ast.Subscript):
                    of = of.value
                if self.result(of):
                    return True
        return False

    def words(self, node):
        found = {key(node)} if isinstance(node, (ast.Name, ast.Attribute)) else set()
        return found.union(*map(self.words, inner(node))) - {""}

    def checked(self, nodes, compared):
        """What the tests compare, after its last call, with something that the
        program has no part in: it is as they say."""
        last = {}
        for n in nodes:
            if isinstance(n, ast.Call) and not self.harmless(n):
                for a in [*n.args, *(k.value for k in n.keywords)]:
                    for w in self.words(a):
                        last[w] = max(last.get(w, 0), n.lineno)
        found, size = set(), -1
        while size != len(found):
            size = len(found)
            for operands in compared:
                for one, other in [*zip(operands, operands[1:]), *zip(operands[1:], operands)]:
                    k = key(one) if isinstance(one, (ast.Name, ast.Attribute)) else ""
                    free = not self.of(other) and not any(w in last or w in self.derived for w in self.words(other))
                    if k and one.lineno > last.get(k, 0) and (free or key(other) in found and not isinstance(other, ast.Subscript)):
                        found.add(k)
        return found

    def kept(self, node, word, at):
        """Puts the arguments of calls in an expression as they were before."""
        return Keeper(self, word, at).visit(node)

    def calls(self, node):
        """Tells whether an expression calls the program with something."""
        return any(isinstance(n, ast.Call) and not self.harmless(n) and (n.args or n.keywords) for n in ast.walk(node))


class Keeper(ast.NodeTransformer):
    def __init__(self, flow, word, at):
        self.flow, self.word, self.at = flow, word, at

    def visit_Name(self, node):
        return self.wrap(node, node) if self.theirs(node) else node

    def visit_Attribute(self, node):
        if not isinstance(node.ctx, ast.Load) or not self.theirs(node):
            return node
        value = node.value if isinstance(node.value, ast.Name) else self.visit(node.value)
        node.value = value
        private = node.attr.startswith("__") and not node.attr.endswith("__")  # the compiler knows its name
        of = node if private else self.at(node, ast.Call(ast.Name("@of", ast.Load()), [value, ast.Constant(node.attr)], []))
        return self.wrap(node, of)

    def theirs(self, node):
        """Tells whether what is named may be of the tests, and was changed."""
        k, root = key(node), root_name(node)
        return isinstance(node.ctx, ast.Load) and k not in self.flow.fixed and k not in ("self", "cls") and root not in BUILTINS and \
            root not in self.flow.reading.standard_roots and not self.flow.of_program(root) and root[:1] != "@"

    def wrap(self, node, v):
        return self.at(node, ast.Call(ast.Name(self.word, ast.Load()), [v], []))

    def visit_Call(self, node):
        root = root_name(node.func)
        if root[:1] == "@":
            return node
        if isinstance(node.func, ast.Attribute):
            node.func.value = self.visit(node.func.value)
        if self.flow.harmless(node) or root in self.flow.own or isinstance(node.func, ast.Attribute) and root not in self.flow.results and \
                not self.flow.of_program(root):
            node.args = [self.visit(a) for a in node.args]
            for k in node.keywords:
                k.value = self.visit(k.value)
        return node
