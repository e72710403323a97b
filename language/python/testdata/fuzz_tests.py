"""Feeds what reads the text of tests with mutations of real tests. Each is run
in one of the forms, or said to be one that cannot run; nothing of it runs here.
Its input is a seed, and how many seconds and rounds it takes.
"""
import ast
import random
import sys
import time
import warnings

sys.path.append("/opt/glovebox/python")
from _glovebox import exam, harness, inproc, needs

seed, seconds, most = map(float, input().split())
rng = random.Random(seed)
warnings.simplefilter("ignore")
SOURCE = '''
import pytest, unittest, numpy as np
from solution import *
from solution import f as g, Stack
import solution.part as part
CASES = [([3, 1], [1, 3]), ((), [])]
@pytest.fixture(scope="module")
def xs(request): return [3, 1]
@pytest.mark.parametrize("a,b", [(1, 2), pytest.param(3, 4, marks=pytest.mark.skipif(f is None, reason="x"))])
def test_a(a, b, xs, capsys):
    got = f(xs)
    want = sorted(xs)
    assert got == want and len(got) == len(xs), "no"
    with pytest.raises(ValueError, match="x") as info: f(a, key=lambda q: q[0])
    assert (k := g(*xs, **{"z": b})) != xs[::-1] < 3 is not None
    for i, (x, y) in enumerate(CASES): assert [f(z) for z in x if z] == y, f"{x!r:>{i}}"
class T(unittest.TestCase):
    @unittest.skipUnless(Stack, "x")
    def setUp(self): self.s, self.t = Stack([1]), Stack.of(2)
    async def test_b(self):
        global q; q = await self.s.wait()
        self.assertEqual(self.s.pop(), self.t.pop()); self.assertIsNone(f(self.s))
        np.testing.assert_allclose(f(np.ones(2)), 1)
        match q:
            case [1, *rest] | {"a": rest}: del rest[0]
            case _: raise AssertionError
def test_c(xs):
    b = Stack(xs); got = b.all(); s = b.items; xs.append(9); got[0] = b.rows[1]["k"]; del got[1:]
    b.push(2); random.shuffle(b.items); assert s != [1] and got is not b.all() and id(got) == id(s)
    for r in b.rows: r += [1]
    with Stack.of(1) as c, g(b): c.d.setdefault("a", []).append(dataclasses.asdict(b)); assert vars(c) == Stack.__slots__
def check(candidate):
    xs: list = [1]; xs += candidate(xs); assert candidate(xs) is xs
exec("x = 1") if __name__ == "__main__" else unittest.main()
'''
lines = SOURCE.splitlines()
words = sorted({n.id for n in ast.walk(ast.parse(SOURCE)) if isinstance(n, ast.Name)}) + ["@made", "(", ")", "[", "]", ":=", "*", "lambda", "=", "\\", "\0", "é", "\ud800"]


def mutate():
    # NumPy may not be here, and then nothing else is looked at.
    text = [x.replace(", numpy as np", "") for x in lines if "np." not in x] if rng.random() < 0.8 else list(lines)
    for _ in range(rng.randrange(1, 3)):
        i, how = rng.randrange(len(text)), rng.randrange(6)
        if how == 0:
            del text[i:i + rng.randrange(1, 4)]
        elif how == 1:
            text.insert(i, " " * rng.choice((0, 4, 8)) + rng.choice(lines).lstrip())
        elif how == 2:
            text[i] = text[i].replace(rng.choice(words), rng.choice(words), 1)
        elif how == 3 and text[i]:
            at = rng.randrange(len(text[i]))
            text[i] = text[i][:at] + rng.choice(words) + text[i][at + rng.randrange(3):]
        elif how == 4:
            deep = rng.choice((3, 60, 3000))
            text[i] += rng.choice(("\nassert f(%s1%s)" % ("[" * deep, "]" * deep), "\nassert " + "not " * deep + "f(1)", "\nassert f" + "(1)" * deep, "\nx = " + "-" * deep + "1"))
        else:
            text[i], text[-1] = text[-1], text[i]
        text = text or [""]
    return "\n".join(text).encode("utf-8", "surrogatepass")


begin, rounds, read = time.monotonic(), 0, {}
while rounds < most and time.monotonic() - begin < seconds:
    rounds += 1
    source = mutate()
    try:
        reading = exam.Reading("tests/test_it.py", source, {"solution": "", "solution.part": "part"}, "", {"tests.test_it", "test_it"})
        form = needs.verdict([reading], {"solution": ""})[0]
        needs.libraries([reading])
        for rewriter in (harness.Rewriter, inproc.Rewriter):
            tree = rewriter(reading).visit(ast.parse(source))
            for node in tree.body:
                compile(ast.Module([node], []), "test_it.py", "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as e:
        form = type(e).__name__
        assert form != "ValueError" or "null" in str(e) or "surrogates" in str(e) or "byte" in str(e) or "codec" in str(e), (e, source)
    read[form] = read.get(form, 0) + 1
assert read.get("apart") or read.get("together"), read
print("\nfuzzed", rounds, read)
