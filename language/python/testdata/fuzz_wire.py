"""Feeds the harness's side of the wire with mutations of real messages.

Only a breach that is named (Violation, Gone) or a value of an exact plain type
or stand-in may come out, and no result equals what the program was never told.
Its input is a seed, and how many seconds and rounds it takes.
"""
import datetime
import decimal
import importlib.util
import json
import random
import sys
import time

sys.path.append("/opt/glovebox/python")
from _glovebox import harness, remote, tables, wire

seed, seconds, most = map(float, input().split())
rng = random.Random(seed)
remote.MAX_STEPS = 20
arrays = importlib.util.find_spec("numpy") is not None

values = [None, True, 0, -5, 10**40, 1.5, float("nan"), "a", "\ud800", b"x", bytearray(b"y"), [1, [2, "x"]], (1, (2,)), {"a": {1: 2}},
          {1, 2}, frozenset([1]), range(9), 1j, decimal.Decimal("1.5"), datetime.datetime(2020, 1, 2), datetime.timedelta(1), datetime.date(2020, 1, 1)]
forms = [wire.Encoder()(v) for v in values]
if arrays:
    import numpy
    tables.enable()
    values += [numpy.arange(6).reshape(2, 3), numpy.array(["a", "bc"]), numpy.array([None, [1]], object), numpy.float32(2), numpy.zeros((0, 2)),
               numpy.array(["2020-01-01"], "M8[D]"), numpy.array([True]), numpy.int8, numpy.dtype("f4")]
    if importlib.util.find_spec("pandas") is not None:
        import pandas
        values += [pandas.DataFrame({"a": [1, 2], "b": ["x", None]}), pandas.Series([1.5], name="q", index=pandas.date_range("2020", periods=1)),
                   pandas.Series(pandas.Categorical(["a"])), pandas.Series([1, None], dtype="Int64"), pandas.Timestamp("2020-01-01", tz="UTC"),
                   pandas.MultiIndex.from_tuples([("a", 1)]), pandas.NaT, pandas.Timedelta(1)]
    forms = [wire.Encoder()(v) for v in values]
    harness.ARRAYS.update((t, tables) for t in tables.types())
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
pool = forms + replies + [[], {}, "", -1, 1 << 70, "__class__", "__globals__", "call", "9" * 6000, [[]] * 3, 1e308, "os", "eval", ["os", "_exit"],
                           "|O", "<f8", "<U99999999", [1 << 40, 0], "AAAA", "Int64", "UTC", "../x", "r", "m", "i", "a", "c", "z", "x"]


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
            t.__module__.split('.')[0] in ("collections", "decimal", "fractions", "datetime", "uuid", "pathlib", "builtins", "numpy", "pandas") or
            t.__name__ in ("Empty", "SimpleNamespace", "array") or
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
SECRET = 730051, "what nobody told it"
FATAL = (KeyboardInterrupt, SystemExit, MemoryError)


def judged(link, v):
    """Asks a value what tests ask. It is not what the program was never told."""
    s = rng.choice(SECRET)
    question = rng.choice((lambda: v == s, lambda: s == v, lambda: not v != s, lambda: s in [v], lambda: s in v, lambda: bool(v) and 0, lambda: len(v) and 0,
                           lambda: v - s == 0, lambda: abs(v - s) < 1e-6, lambda: v / s == 1, lambda: str(v) == s, lambda: format(v, ">3") == s,
                           lambda: [v] == [s], lambda: hash(v) and 0, lambda: list(v) == [s], lambda: v[0] == s, lambda: v.name == s,
                           lambda: v.startswith(s), lambda: v.count(s) == s, lambda: v() == s, lambda: round(v) == s, lambda: int(v) == s,
                           lambda: {s: 1}[v], lambda: max(v, s) == s and min(v, s) == s, lambda: sorted([v, s]) == [s, s]))
    told = question()
    if arrays and hasattr(told, "dtype"):
        told = told.size and told.all()
    assert link.refused or not told, (v, s)


begin, rounds = time.monotonic(), 0
while rounds < most and time.monotonic() - begin < seconds:
    rounds += 1
    link = harness.Link()
    tables.refuse = link.refuse
    now[:] = [link]
    args = [[1, 2], {"a": 1}]
    try:
        link.lent_number(helper), link.lent_number(tester)
        v = link.call("call", 0, (args[0], args[1], helper, tester), {})
        assert allowed(v), (type(v), v)
        if type(v).__name__ == "coroutine":
            v.close()
        outcome = "value"
        if v is not tester and v is not helper:
            judged(link, v)
        assert not link.judged, v
    except harness.Gone:
        assert link.dead
        outcome = "gone"
    except FATAL + (AssertionError,):
        raise
    except BaseException as e:
        outcome = "raised"
    assert all(type(a) in (list, dict) for a in args)
    outcomes[outcome] = outcomes.get(outcome, 0) + 1

    # Bytes: what is not JSON is a violation, and nothing else.
    data = bytearray(json.dumps(rng.choice(pool)).encode())
    for _ in range(rng.randrange(4)):
        data[rng.randrange(len(data)):] = rng.choice([b"", b"[" * 5000, b"\xff", b'{"I":"', b"1" * 5000, bytes([rng.randrange(256)])])
        data = data or bytearray(b"0")
    try:
        v = wire.Decoder()(wire.parse(bytes(data)))
        assert allowed(v), v
    except wire.Violation:
        pass
assert all(outcomes.get(k, 0) > 0 for k in ("value", "gone", "raised")), outcomes
print("\nfuzzed", 2 * rounds, outcomes)
