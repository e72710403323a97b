"""Feeds the harness's side of the wire with mutations of real messages.

Only a breach that is named (Violation, Gone) or a value of an exact plain type
or stand-in may come out. Run with a seed and a number of rounds.
"""
import datetime
import decimal
import json
import random
import sys

sys.path.append("/opt/glovebox/python")
from _glovebox import harness, wire

seed, rounds = 7, 6000
rng = random.Random(seed)

values = [None, True, 0, -5, 10**40, 1.5, float("nan"), "a", "\ud800", b"x", bytearray(b"y"), [1, [2, "x"]], (1, (2,)), {"a": {1: 2}},
          {1, 2}, frozenset([1]), range(9), 1j, decimal.Decimal("1.5"), datetime.datetime(2020, 1, 2), datetime.timedelta(1), datetime.date(2020, 1, 1)]
forms = [wire.Encoder()(v) for v in values]
forms += [{"h": [3, "f", "f"]}, {"h": [4, "o", 5]}, {"h": [5, "c"]}, {"h": [6, "m"]}, {"h": [7, "a"]}, {"g": ["math", "sqrt"]},
          {"g": ["builtins", "str.upper"]}, {"mod": "math"}, {"back": 0}, {"bound": "x"}, {"opaque": "x"}, {"r": 0}, {"r": -1},
          {"nt": ["P", ["a", "b"], [1, 2]]}, {"E": 0}, {"q": [None, [1]]}, {"od": [["a", 1]]}, {"U": "0" * 32}, {"P": "a/b"},
          {"xv": {"m": "builtins", "q": "ValueError", "mro": ["ValueError", "Exception"], "a": ["x"], "at": ["main.py", 3]}}]
replies = [{"v": f} for f in forms]
replies += [{"x": f["xv"]} for f in forms if type(f) is dict and "xv" in f]
replies += [{"x": {"m": "main", "q": "E", "c": 9, "mro": ["Exception"], "a": [1], "text": "t", "d": [["k", 1]]}},
            {"v": ["C", [[0, "object"], [1, 5]], ["__eq__", "__len__"], False, True]}, {"v": ["E", [[0, "ValueError"]], [], True, True]},
            {"v": 1, "changed": [[0, [3]], [1, {"d": []}]]}, {"v": 1, "out": "text"}, {"opaque": "y"},
            {"back": ["call", 0, "", [1], {}]}, {"back": ["get", 1, "name", [], {}]}, {"back": ["set", 1, "name", [2], {}]},
            {"back": ["special", 1, "__len__", [], {}]}]
pool = forms + replies + [[], {}, "", -1, 1 << 70, "__class__", "__globals__", "call", "9" * 6000, [[]] * 3, 1e308, "os", "eval", ["os", "_exit"]]


def mutate(x, depth=0):
    if rng.random() < 0.12:
        return rng.choice(pool)
    if type(x) is list:
        x = [mutate(y, depth + 1) for y in x]
        if x and rng.random() < 0.1:
            del x[rng.randrange(len(x))]
        return x
    if type(x) is dict:
        return {(k if rng.random() > 0.05 else rng.choice(["v", "x", "h", "d", "t", "back", "n"])): mutate(v, depth + 1) for k, v in x.items()}
    return x


PLAIN = {type(v) for v in values} | {harness.Opaque, harness.RemoteFunction, type(len), type(str.upper), type(json), tuple, type(...), type(NotImplemented),
                                    type({}.keys()), type({}.values()), type({}.items())}


def allowed(v, depth=0):
    t = type(v)
    if t in (list, tuple, set, frozenset) and depth < 5:
        return all(allowed(x, depth + 1) for x in v)
    if t is dict and depth < 5:
        return all(allowed(k, depth + 1) and allowed(x, depth + 1) for k, x in v.items())
    return (t in PLAIN or isinstance(t, harness.RemoteClass) or isinstance(v, (type, BaseException)) or v is tester or v is helper or
            t.__module__.split('.')[0] in ("collections", "decimal", "fractions", "datetime", "uuid", "pathlib", "builtins") or
            (issubclass(t, tuple) and hasattr(t, "_fields")) or t.__name__ == "coroutine")


class Tester:
    name = 1
    secret = "no"

    def __len__(self):
        return 3


def helper(*a, **k):
    return [1]


tester = Tester()
harness.TEST_MODULES.add("__main__")
now = []
outcomes = {}


def read(fd):
    m = mutate(rng.choice(replies))
    if type(m) is dict and rng.random() > 0.03:
        m["n"] = now[0].number
    try:
        return wire.parse(json.dumps(m).encode())
    except (TypeError, ValueError):
        return None


harness.read_frame, harness.write_frame = read, lambda fd, v: json.dumps(v)
for i in range(rounds):
    link = harness.Link()
    now[:] = [link]
    link.spelled = {"C"}
    args = [[1, 2], {"a": 1}]
    try:
        link.lent_number(helper), link.lent_number(tester)
        v = link.call("call", 0, (args[0], args[1], helper, tester), {})
        assert allowed(v), v
        if type(v).__name__ == "coroutine":
            v.close()
        outcome = "value"
    except harness.Gone:
        assert link.dead
        outcome = "gone"
    except BaseException as e:
        assert id(e) in link.raised or isinstance(e, harness.RemoteError), repr(e)
        outcome = "raised"
    assert all(type(a) in (list, dict) for a in args)
    outcomes[outcome] = outcomes.get(outcome, 0) + 1

# Bytes: what is not JSON is a violation, and nothing else.
for i in range(rounds):
    data = bytearray(json.dumps(rng.choice(pool)).encode())
    for _ in range(rng.randrange(4)):
        data[rng.randrange(len(data)):] = rng.choice([b"", b"[" * 5000, b"\xff", b'{"I":"', b"1" * 5000, bytes([rng.randrange(256)])])
        data = data or bytearray(b"0")
    try:
        v = wire.Decoder()(wire.parse(bytes(data)))
        assert allowed(v), v
    except wire.Violation:
        pass
assert all(outcomes.get(k, 0) > 20 for k in ("value", "gone", "raised")), outcomes
print("\nfuzzed", rounds, sorted(outcomes))
