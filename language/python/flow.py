"""Where the values of the tests come from, by their text alone.

Two questions are answered for each comparison. May what one side is made of
have been changed by the call whose result is on the other? Then it counts as it
was before. And are both sides results of the program, of a kind that the tests
use as objects? Then the case is candidate_judged.
"""
import builtins
import importlib

from _glovebox import trees as ast
from _glovebox.exam import ASSERTING, last_name, root_name

BUILTINS = frozenset(dir(builtins))
# The attributes that plain values have.
PLAIN = frozenset(n for t in (str, bytes, int, float, complex, list, tuple, dict, set, frozenset) for n in dir(t)).union(
    "year month day hour minute second days seconds total_seconds isoformat quantize most_common popleft elements shape dtype "
    "tolist size ndim columns values iloc loc".split())
IDENTITY = (ast.Is, ast.IsNot)
# Words of the library that a program may have, too: with these tests compute. Those of
# whole modules, and single ones.
COMPUTING = ("math", "functools", "operator", "itertools")
COMPUTES = frozenset("mean fmean median mode multimode stdev pstdev variance pvariance quantiles deepcopy isclose allclose array_equal".split())
# How the names of functions begin that are there to judge.
JUDGES = tuple("check verify expect ensure compare validate is are must should equal eq near close almost approx same match deepequal deep_equal".split())
UNJUDGED = frozenset("assertIsInstance assertNotIsInstance assertIsNone assertIsNotNone assertRaises assertRaisesRegex assertHasAttr".split())
GATHERING = frozenset("sorted max min sum set frozenset".split())  # they compare or hash


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


def computes(word):
    """Tells whether a word is of the library, and no underscore begins it."""
    return word in COMPUTES or word[:1] not in ("", "_") and any(hasattr(importlib.import_module(m), word) for m in COMPUTING)


def judges(word):
    """Tells whether a function is there to judge, by what it is called."""
    return word.lstrip("_").lower().startswith(JUDGES)


def named(node):
    """Tells whether an expression is a name, or names joined by dots."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name)


def constructs(name):
    """Tells whether a name is one of a class, by how it is written."""
    return name.lstrip("_")[:1].isupper()


def origin(node):
    """What an attribute is read of: a name, or a call of one."""
    return key(node.func) + "()" if isinstance(node, ast.Call) else key(node)


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


def certain(node):
    """The operands of each comparison that a statement asserts to be equal."""
    call = node.value if isinstance(node, ast.Expr) else None
    if isinstance(call, ast.Call) and last_name(call.func) in ("assertEqual", "assertListEqual", "assertDictEqual", "assertCountEqual") and len(call.args) > 1:
        return [call.args[:2]]
    todo, found = [node.test] if isinstance(node, ast.Assert) else [], []
    while todo:
        test = todo.pop()
        if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
            todo.extend(test.values)
        elif isinstance(test, ast.Compare) and all(isinstance(o, ast.Eq) for o in test.ops):
            found.append([test.left, *test.comparators])
    return found


class Flow:
    """What a function of the tests, or the top level of their file, does with
    what the program gives."""

    def __init__(self, body, reading, of_program, functions=True, above=None):
        self.reading, self.of_program = reading, of_program
        nodes = list(walk(body, functions))
        bound = list(bindings(nodes))
        self.attributes = {}  # of what the tests read which
        for n in nodes:
            if isinstance(n, ast.Attribute) and origin(n.value):
                self.attributes.setdefault(origin(n.value), set()).add(n.attr)
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
        self.fixed = self.checked(nodes, bound, [s for n in nodes for s in certain(n)])
        self.made = set(above.made_dotted) if above is not None else set()
        if above is None:
            self.makers(list(bindings(everything)))
            self.made_dotted = {k for k in self.made if "." in k} | {
                n.name for n in own if n.name in self.dotted and any(
                    isinstance(r, (ast.Return, ast.Yield)) and r.value is not None and self.makes(r.value) for r in ast.walk(n))}
            self.made = set(self.made_dotted)
        self.makers(bound)
        self.judging = self.judges(nodes, bound)
        self.statements = {id(b) for b in body if above is None and self.judges(list(walk([b], False)), bound)}
        self.shown = {}  # id of a name's node: by what the tests see its value
        self.assertions(nodes, everything if above is None else nodes)

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

    def plainly(self, node):
        """Tells whether the tests read of a value, which has a name or comes from a
        call, only what plain values have."""
        return isinstance(node.func if isinstance(node, ast.Call) else node, ast.Name) and self.attributes.get(origin(node), set()) <= PLAIN

    def words(self, node):
        found = {key(node)} if isinstance(node, (ast.Name, ast.Attribute)) else set()
        return found.union(*map(self.words, inner(node))) - {""}

    def checked(self, nodes, bound, compared):
        """What the tests compare, after its last call, with something that the
        program has no part in: it is as they say."""
        last = {}
        for n in nodes:
            if isinstance(n, ast.Call) and not self.harmless(n):
                for a in [*n.args, *(k.value for k in n.keywords)]:
                    for w in self.words(a):
                        last[w] = max(last.get(w, 0), n.lineno)
        tainted, size = set(last) | self.derived, -1  # may be other than the tests made it
        while size != len(tainted):
            size = len(tainted)
            tainted = tainted.union(*(names for names, value, _ in bound if self.words(value) & tainted))
        found, size = set(), -1
        while size != len(found):
            size = len(found)
            for operands in compared:
                for one, other in [*zip(operands, operands[1:]), *zip(operands[1:], operands)]:
                    k = key(one) if isinstance(one, (ast.Name, ast.Attribute)) else ""
                    free = not self.of(other) and not self.words(other) & tainted
                    if k and one.lineno > last.get(k, 0) and (free or key(other) in found and not isinstance(other, ast.Subscript)):
                        found.add(k)
        return found

    def kept(self, node, at):
        """Puts the attributes in an expression as they were before calls."""
        return Keeper(self, at).visit(node)

    # Where the program judges by what the text says, whatever it gives.

    def got(self, node):
        """Tells whether an expression has something that a call of the program gave."""
        if isinstance(node, ast.Call) and not self.harmless(node):
            return True
        if isinstance(node, (ast.Name, ast.Attribute)) and key(node) in self.derived:
            return True
        return any(map(self.got, inner(node)))

    def asks(self, node, helpers=False):
        """Tells whether an expression is a call of a function of the program, by
        its name, or of one of the tests' own that calls the program."""
        if not isinstance(node, ast.Call) or not named(node.func):
            return False
        word, root = last_name(node.func), root_name(node.func)
        if constructs(word) or word in ASSERTING or word.startswith("assert"):
            return False
        return self.of_program(root) or helpers and isinstance(node.func, ast.Name) and word in self.reaching

    def told(self, call):
        """Tells whether a call is given a result, to say something of it."""
        args = [*call.args, *(k.value for k in call.keywords)]
        if self.asks(call, True):
            return any(map(self.got, args))
        return isinstance(call.func, ast.Attribute) and self.got(call.func.value) and any(map(self.got, args)) and not all(map(self.got, args))

    def makes(self, node):
        """Tells whether an expression is, or holds, an object that the tests construct."""
        if isinstance(node, ast.Call):
            if constructs(last_name(node.func)) and self.of_program(root_name(node.func)) and named(node.func):
                return True
            return isinstance(node.func, ast.Name) and node.func.id in GATHERING | {"list", "tuple", "copy", "deepcopy", "reversed"} and any(map(self.makes, node.args))
        if isinstance(node, (ast.Name, ast.Attribute)):
            return key(node) in self.made
        if isinstance(node, (ast.BinOp, ast.UnaryOp, ast.List, ast.Tuple, ast.Set, ast.Dict, ast.Starred, ast.IfExp)):
            return any(map(self.makes, ast.iter_child_nodes(node)))
        return False

    def makers(self, bound):
        """Collects the names of objects that the tests construct."""
        size = -1
        while size != len(self.made):
            size = len(self.made)
            for names, value, node in bound:
                if isinstance(node, (ast.Assign, ast.AnnAssign, ast.NamedExpr)) and self.makes(value):
                    self.made |= names

    def truths(self, test):
        """The expressions whose truth a test asks for."""
        if isinstance(test, ast.BoolOp):
            return [t for v in test.values for t in self.truths(v)]
        if isinstance(test, ast.UnaryOp):
            return self.truths(test.operand)
        if isinstance(test, ast.Compare):
            sided = [test.left, *test.comparators]
            plain = [o for o in sided if isinstance(o, ast.Constant) and (o.value is True or o.value is False)]
            zero = [o for o in sided if isinstance(o, ast.Constant) and o.value == 0 and len(sided) == 2]
            return [o for o in sided if isinstance(o, ast.Call) and (plain or zero and len(o.args) > 1)]
        if isinstance(test, ast.Call) and last_name(test.func) in ("all", "any", "bool", "abs") and test.args:
            a = test.args[0]
            return self.truths(a.elt if isinstance(a, (ast.GeneratorExp, ast.ListComp, ast.SetComp)) else a)
        return [test]

    def judges(self, nodes, bound):
        """Tells whether the text lets the program judge: an object that the tests
        construct is compared, two results by identity, or what the program gave
        goes back to it and the truth of the answer is asserted."""
        tests = []
        for n in nodes:
            if isinstance(n, ast.Assert) or isinstance(n, ast.If) and any(isinstance(b, ast.Raise) for b in n.body):
                tests.extend(self.truths(n.test))
            elif isinstance(n, ast.Call):
                word, args = last_name(n.func), [*n.args, *(k.value for k in n.keywords)]
                if word.startswith("assert"):
                    if word in ("assertTrue", "assertFalse"):
                        tests.extend(t for a in args[:1] for t in self.truths(a))
                    elif self.twins(args[:2]) if word in ("assertIs", "assertIsNot") else any(map(self.makes, args[:2])) and word not in UNJUDGED:
                        return True
                elif word in GATHERING and isinstance(n.func, ast.Name) and any(map(self.makes, args)):
                    return True
                if self.asks(n):
                    if any(isinstance(a, ast.BinOp) and self.got(a) and not (self.got(a.left) and self.got(a.right)) for a in args):
                        return True
                    if word in self.reading.free_words and any(map(self.got, args)) and computes(word):
                        return True
            elif isinstance(n, ast.Compare):
                operands = [n.left, *n.comparators]
                if isinstance(n.ops[0], IDENTITY):
                    if self.twins(operands):
                        return True
                elif any(map(self.makes, operands)):
                    return True
                words = [last_name(c.func) for o in operands for c in ast.walk(o) if isinstance(c, ast.Call) and self.asks(c)]
                if len(set(words)) > 1 and any(w in self.reading.free_words and computes(w) for w in words):
                    return True
            if isinstance(n, ast.Expr) and isinstance(n.value, ast.Call) and self.asks(n.value):
                args = [*n.value.args, *(k.value for k in n.value.keywords)]
                direct = any(isinstance(a, ast.Call) and self.got(a) for a in args) and not all(map(self.got, args))
                if direct or judges(last_name(n.value.func)) and any(map(self.got, args)):
                    return True
        known = {k: v for names, v, node in bound if isinstance(node, (ast.Assign, ast.NamedExpr)) for k in names}
        tests = [known.get(t.id, t) if isinstance(t, ast.Name) else t for t in tests]
        return any(isinstance(t, ast.Call) and self.told(t) for test in tests for t in self.truths(test))

    def twins(self, operands):
        """Tells whether both operands are results, none of which has a name in the program."""
        return len(operands) == 2 and all(self.got(o) and not (named(o) and self.of_program(root_name(o))) for o in operands)

    # Where the tests assert on an argument, they see what calls changed in it.

    def show(self, test, holds=True):
        """Marks the names in what an assertion says holds, or does not. A part that
        spares another one, in which the program has a part, sees no change."""
        if isinstance(test, ast.BoolOp):
            if holds == isinstance(test.op, ast.And) or not self.of(test):
                for v in test.values:
                    self.show(v, holds)
        elif isinstance(test, ast.UnaryOp):
            self.show(test.operand, holds != isinstance(test.op, ast.Not))
        elif isinstance(test, ast.Compare):
            if sides(test):
                self.compare(sides(test))
        else:
            self.compare([test])

    def compare(self, operands):
        """Marks the names in what is compared: all of them where the program has no
        part in it; else those that the tests say the whole value of."""
        if not any(map(self.of, operands)):
            for o in operands:
                self.see(o, "@now")
            return
        for i, o in enumerate(operands):
            others = operands[:i] + operands[i + 1:]
            if isinstance(o, (ast.Tuple, ast.List)) and others and not any(map(self.of, others)) and not any(map(self.words, others)):
                self.compare([e.value if isinstance(e, ast.Starred) else e for e in o.elts if not self.of(e)])
            given = set().union(*map(self.gives, others))
            todo = [o]
            while todo:
                n = todo.pop()
                if isinstance(n, ast.Call) and not self.harmless(n):
                    continue  # what the program gets is the tests' own
                todo.extend(ast.iter_child_nodes(n))
                if isinstance(n, (ast.Name, ast.Attribute)) and isinstance(n.ctx, ast.Load):
                    k = key(n)
                    if k in self.fixed or n is o and k in self.results and k not in given:
                        self.see(n, "@now")
                    elif isinstance(n, ast.Name) and n.id in self.results:
                        self.shown.setdefault(id(n), "@seen")

    def see(self, node, word):
        """Marks the names in an expression, but those of functions."""
        if isinstance(node, ast.Call):
            if isinstance(node.func, ast.Attribute):
                self.see(node.func.value, word)
            elif not isinstance(node.func, ast.Name):
                self.see(node.func, word)
            for n in [*node.args, *(k.value for k in node.keywords)]:
                self.see(n, word)
        elif isinstance(node, ast.Name) or isinstance(node, ast.Attribute) and named(node):
            if isinstance(node.ctx, ast.Load) and root_name(node) not in BUILTINS and root_name(node) not in self.reading.standard_roots and \
                    not self.of_program(root_name(node)):
                self.shown[id(node)] = word
        else:
            for n in ast.iter_child_nodes(node):
                self.see(n, word)

    def assertions(self, nodes, everything):
        """Marks the names in the assertions of a body, and in what only they use."""
        helpers = {n.name for n in self.reading.tree.body if isinstance(n, ast.FunctionDef)} - self.reaching
        for n in nodes:
            call = n.value if isinstance(n, ast.Expr) else None
            if isinstance(n, ast.Assert):
                self.show(n.test)
            elif isinstance(n, ast.If) and not n.orelse and all(isinstance(b, ast.Raise) for b in n.body):
                self.show(n.test, False)
            elif isinstance(call, ast.Call) and last_name(call.func).startswith("assert") and last_name(call.func) not in self.own:
                if len(call.args) > 1:
                    self.compare(call.args)
                else:
                    for a in call.args:
                        self.show(a, "False" not in last_name(call.func))
            elif isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in helpers and not any(map(self.of, call.args)):
                for a in call.args:
                    self.see(a, "@now")
        loads = {}
        for n in everything:
            if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load):
                loads.setdefault(n.id, []).append(id(n))
        size = -1
        while size != len(self.shown):
            size = len(self.shown)
            for names, value, node in bindings(nodes):
                used = [i for k in names for i in loads.get(k, ())]
                if used and isinstance(node, (ast.Assign, ast.For)) and not self.of(value) and all(self.shown.get(i) == "@now" for i in used):
                    self.see(value, "@now")

    def calls(self, node):
        """Tells whether an expression calls the program with something."""
        return any(isinstance(n, ast.Call) and not self.harmless(n) and (n.args or n.keywords) for n in ast.walk(node))


class Keeper(ast.NodeTransformer):
    def __init__(self, flow, at):
        self.flow, self.at, self.fixed = flow, at, flow.fixed

    def visit_Attribute(self, node):
        if not isinstance(node.ctx, ast.Load) or not self.theirs(node):
            return node
        value = node.value if isinstance(node.value, ast.Name) else self.visit(node.value)
        node.value = value
        private = node.attr.startswith("__") and not node.attr.endswith("__")  # the compiler knows its name
        return node if private else self.at(node, ast.Call(ast.Name("@of", ast.Load()), [value, ast.Constant(node.attr)], []))

    def theirs(self, node):
        """Tells whether what is named may be of the tests, and was changed."""
        k, root = key(node), root_name(node)
        return isinstance(node.ctx, ast.Load) and k not in self.fixed and k not in ("self", "cls") and root not in BUILTINS and \
            root not in self.flow.reading.standard_roots and not self.flow.of_program(root) and root[:1] != "@"

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
