"""Feeds the candidate's side of the wire with mutations of the harness's
requests. Each is answered by one reply that is a frame, or refused.
Its input is a seed, and how many seconds and rounds it takes.
"""
import decimal
import json
import random
import sys
import time
import types

sys.path.append("/opt/glovebox/python")
from _glovebox import wire, worker

seed, seconds, most = map(float, input().split())
rng = random.Random(seed)


class Ended(BaseException):
    pass


def ended():
    raise Ended


replies = []
worker.end = ended
worker.write_frame = lambda fd, v: replies.append(wire.dumps(v))
worker.read_frame = lambda fd: rng.choice([None, {"op": "back", "v": 1, "n": 1}, {"op": "back", "x": {"q": "KeyError", "a": [], "number": 0}, "n": 1}])


class Thing:
    name = 1

    def method(self, *a, **k):
        return self

    def call(self, f, *a):
        return f(*a)

    def fill(self, x):
        x.append(x)
        return [x, x]


program = types.ModuleType("program")
program.__dict__.update(Thing=Thing, thing=Thing(), same=lambda x: x, E=type("E", (ValueError,), {}), xs=[1, [2]])
values = [None, 5, 1.5, "a", b"x", [1, [2]], (1,), {"a": {1: 2}}, {1, 2}, decimal.Decimal("1.5"), 10 ** 40, range(3)]
forms = [wire.Encoder()(v) for v in values] + [{"h": i} for i in range(6)] + [
    {"m": [1, "method"]}, {"sl": [1, None, 2]}, {"g": ["math", "sqrt"]}, {"g": ["builtins", "len"]}, {"mod": "math"},
    {"test": ["f", 0, "f", []]}, {"test": ["o", 1, "T", ["__len__", "__iter__"]]}, {"test": ["x", 2, "X", ["ValueError"]]},
    {"xv": {"q": "ValueError", "a": [1], "number": 3}}]
requests = [{"op": "attr", "h": 0, "name": n} for n in ("Thing", "thing", "same", "E", "xs")] + [
    {"op": "call", "h": 3, "a": [f], "k": {}} for f in forms] + [
    {"op": "method", "h": 2, "name": "call", "a": [{"test": ["f", 0, "f", []]}, 1], "k": {}}, {"op": "method", "h": 2, "name": "fill", "a": [[1]]},
    {"op": "names", "h": 0, "names": ["Thing", "x"]}, {"op": "set", "h": 2, "name": "y", "v": 3}, {"op": "delete", "h": 2, "name": "y"},
    {"op": "describe", "h": 1}, {"op": "copy", "h": 2, "deep": True}, {"op": "wait", "h": 2}, {"op": "seed", "v": [1]}, {"op": "end"}]
pool = forms + [[], {}, "", -1, 99, 1 << 70, "__class__", "__len__", [[]] * 3, "9" * 6000, {"r": 0}, {"t": []}]


def mutate(x):
    if rng.random() < 0.1:
        return rng.choice(pool)
    if type(x) is list:
        return [mutate(y) for y in x if rng.random() > 0.05]
    if type(x) is dict:
        return {(k if rng.random() > 0.03 else rng.choice(["h", "a", "k", "v", "t"])): v if k == "op" else mutate(v) for k, v in x.items()}
    return x


def serving():
    w = worker.Worker()
    w.capture, w.main = bool(rng.randrange(2)), ""
    for v in (program, Thing, program.thing, program.same, program.E, program.xs):
        w.keep(v)
    return w


reader = wire.Decoder({k: lambda s, form, d: None for k in ("h", "bound", "g", "mod", "back", "xv", "opaque")}, [[], [], []])
begin, rounds, answered = time.monotonic(), 0, 0
while rounds < most and time.monotonic() - begin < seconds:
    w = serving()
    for _ in range(20):
        rounds += 1
        m = {k: v if k == "op" else mutate(v) for k, v in rng.choice(requests).items() if k == "op" or rng.random() > 0.02}
        m["n"] = rounds
        del replies[:]
        try:
            w.serve(wire.parse(json.dumps(m).encode()))
        except (Ended, wire.Violation):
            break
        own = [r for r in map(json.loads, replies) if "back" not in r]
        assert len(own) == 1 and own[0]["n"] == rounds, (m, replies)
        answered += "v" in own[0]
        if "v" in own[0]:
            try:
                reader.table.clear()
                reader(own[0]["v"])
            except wire.Violation as e:
                assert "deep" in str(e) or "reference" in str(e), (e, m, own)
assert answered > 20
print("\nfuzzed", rounds, answered)
