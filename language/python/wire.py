"""The wire between a harness and the program that it tests.

A frame is four bytes of length and one JSON value. Values are plain JSON or an
object with one key, the tag. The decoder makes exact built-in types and
nothing else: no pickle, no marshal, no regular expression, no code. Either
side may hand in hooks for what it allows beyond plain values.
"""
import os
import sys

try:
    # The core of json without the rest of it, which takes longer to load than
    # a small program to run.
    import _json
except ImportError:
    _json = None

MAX_FRAME = 32 << 20
MAX_NODES = 2_000_000
MAX_DEPTH = 120
MAX_DIGITS = 1 << 18
INT64 = 1 << 63

# Modules whose functions and types travel by name. They compute; none reads or
# changes the state of the process.
PURE = frozenset(("builtins", "math", "cmath", "operator", "_operator", "collections", "itertools", "functools",
                  "_functools", "decimal", "fractions", "datetime", "statistics", "copy", "heapq", "_heapq", "bisect", "_bisect"))
NOT_PURE = frozenset(("eval", "exec", "compile", "__import__", "open", "input", "print", "help", "setattr", "delattr",
                      "getattr", "hasattr", "globals", "locals", "vars", "dir", "breakpoint", "exit", "quit", "id",
                      "memoryview", "super", "object", "type", "property", "classmethod", "staticmethod",
                      "__build_class__", "copyright", "credits", "license", "singledispatch", "lru_cache", "cache",
                      "cached_property", "wraps", "update_wrapper", "setcontext", "getcontext", "localcontext"))

# The special methods that an object of the program may have in the harness.
OPERATORS = tuple("__%s__" % n for n in (
    "len getitem setitem delitem contains iter next reversed enter exit call str repr format bool int float index "
    "complex hash abs neg pos invert round trunc floor ceil eq ne lt le gt ge add radd sub rsub mul rmul truediv "
    "rtruediv floordiv rfloordiv mod rmod divmod pow rpow matmul rmatmul and rand or ror xor rxor lshift rlshift "
    "rshift rrshift iadd isub imul itruediv ifloordiv imod ipow imatmul iand ior ixor aenter aexit aiter anext").split())

if _json is not None:
    class _Settings:
        strict, object_hook, object_pairs_hook, parse_float, parse_int = True, None, None, float, int
        parse_constant = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}.__getitem__
        memo = {}

    _encode = _json.make_encoder(None, None, _json.encode_basestring_ascii, None, ":", ",", False, False, True)
    _scan = _json.make_scanner(_Settings)

    def dumps(value):
        return "".join(_encode(value, 0))

    def loads(text):
        try:
            value, end = _scan(text, 0)
        except StopIteration:
            raise ValueError("no value") from None
        if end != len(text):
            raise ValueError("more than one value")
        return value
else:
    import json
    dumps = json.JSONEncoder(separators=(",", ":"), check_circular=False).encode
    loads = json.JSONDecoder().decode


class Unencodable(Exception):
    """A value that has no plain form."""


class Violation(BaseException):
    """The other side broke the protocol. BaseException: no test swallows it."""


def write_frame(fd, value):
    data = dumps(value).encode()
    view = memoryview(len(data).to_bytes(4, "big") + data)
    while view:
        view = view[os.write(fd, view):]


def read_exact(fd, size):
    """Returns size bytes, or None where the other side is gone."""
    first = os.read(fd, min(size, 1 << 20))
    if len(first) == size:
        return first
    parts, got = [first], len(first)
    while got < size:
        if not parts[-1]:
            return None
        parts.append(os.read(fd, min(size - got, 1 << 20)))
        got += len(parts[-1])
    return b"".join(parts)


def read_frame(fd):
    """Returns one decoded JSON value, or None at the end."""
    head = read_exact(fd, 4)
    if head is None:
        return None
    size = int.from_bytes(head, "big")
    if size > MAX_FRAME:
        raise Violation("a frame of %d bytes" % size)
    data = read_exact(fd, size)
    return None if data is None else parse(data)


def parse(data):
    if data.count(b",") + data.count(b"[") + data.count(b"{") > MAX_NODES:
        raise Violation("a frame with too many values")
    try:
        return loads(data.decode())
    except (ValueError, RecursionError) as e:
        raise Violation("a frame that is not JSON: %s" % type(e).__name__) from None


_SCALARS = frozenset((type(None), bool, float))
_NUMBERS = _SCALARS | {int}


def _flat(values):
    """Tells whether all values are their own JSON form."""
    types = set(map(type, values))
    if types <= _SCALARS:
        return True
    return types <= _NUMBERS and all(-INT64 < x < INT64 for x in values if type(x) is int)


def _text(s):
    if s.isascii():
        return s
    try:
        s.encode()
        return s
    except UnicodeEncodeError:
        return {"S": s.encode("utf-8", "surrogatepass").hex()}


class Encoder:
    """Encodes values of one message.

    special(v) returns the form of what is not plain, or None. refs numbers the
    argument containers that the other side already has, by id; table collects
    the mutable containers that this message defines, in pre-order. live(v) gives
    what a container is for the other side.
    """

    def __init__(self, special=None, refs=None, live=None):
        self.special, self.live = special, live
        self.refs = refs or {}
        self.table = []
        self.seen = {}

    def __call__(self, v, depth=0):
        t = type(v)
        if v is None or t is bool or t is float:
            return v
        if t is int:
            return v if -INT64 < v < INT64 else {"I": "%x" % v}
        if t is str:
            return _text(v)
        if depth > MAX_DEPTH:
            raise Unencodable("a value nested deeper than %d" % MAX_DEPTH)
        f = _ENCODERS.get(t) or _late_encoder(t)
        if f is not None and (t not in _ONLY or _ONLY[t](v)):
            if t in _MUTABLE:
                i = self.refs.get(id(v))
                if i is not None:
                    return {"r": i}
                i = self.seen.get(id(v))
                if i is not None:
                    return {"r": -1 - i}
                self.seen[id(v)] = len(self.table)
                self.table.append(v)
                if self.live is not None:
                    v = self.live(v)
            return f(self, v, depth + 1)
        if v is Ellipsis:
            return {"E": 0}
        if v is NotImplemented:
            return {"E": 1}
        form = extra(self, v, depth + 1) if extra is not None else None
        if form is not None:
            return form
        if self.special is not None:
            form = self.special(v)
            if form is not None:
                return form
        for base, f in _FLATTEN:
            if issubclass(t, base):  # whatever it says of its class
                return f(self, v, depth)
        raise Unencodable("a value of type %s.%s" % (t.__module__, t.__qualname__))

    def many(self, values, depth):
        values = list(values)
        return values if _flat(values) else [self(x, depth) for x in values]

    def pairs(self, v, depth):
        return [[self(k, depth), self(x, depth)] for k, x in dict.items(v)]


def tagged(tag, form):
    return lambda e, v, d: {tag: form(e, v, d)}


def _time_zone(v):
    off = v.utcoffset()
    return None if off is None else off.days * 86400 + off.seconds


_ENCODERS = {
    list: lambda e, v, d: e.many(v, d),
    tuple: tagged("t", lambda e, v, d: e.many(v, d)),
    dict: tagged("d", lambda e, v, d: e.pairs(v, d)),
    set: tagged("s", lambda e, v, d: e.many(v, d)),
    frozenset: tagged("f", lambda e, v, d: e.many(v, d)),
    bytes: tagged("b", lambda e, v, d: v.hex()),
    bytearray: tagged("B", lambda e, v, d: v.hex()),
    complex: tagged("c", lambda e, v, d: [v.real, v.imag]),
    range: tagged("R", lambda e, v, d: ["%x" % v.start, "%x" % v.stop, "%x" % v.step]),
    type({}.keys()): tagged("dk", lambda e, v, d: e.many(v, d)),
    type({}.values()): tagged("dv", lambda e, v, d: e.many(v, d)),
    type({}.items()): tagged("di", lambda e, v, d: [[e(k, d), e(x, d)] for k, x in v]),
}
_MUTABLE = {list, dict, set, bytearray}
_ONLY = {}  # type: tells whether a value of it is a plain one
extra = None  # gives the form of further plain values: see tables.py

# Types of modules that need not be loaded: they are bound when first met. Of each
# its encoder, whether it can be changed, and which of its values are plain ones.
LATE = {
    ("decimal", "Decimal"): (tagged("D", lambda e, v, d: str(v)), False),
    ("fractions", "Fraction"): (tagged("F", lambda e, v, d: ["%x" % v.numerator, "%x" % v.denominator]), False),
    ("datetime", "datetime"): (tagged("dt", lambda e, v, d: [v.year, v.month, v.day, v.hour, v.minute, v.second, v.microsecond, _time_zone(v), v.fold]), False),
    ("datetime", "date"): (tagged("da", lambda e, v, d: [v.year, v.month, v.day]), False),
    ("datetime", "timedelta"): (tagged("td", lambda e, v, d: [v.days, v.seconds, v.microseconds]), False),
    ("datetime", "time"): (tagged("tm", lambda e, v, d: [v.hour, v.minute, v.second, v.microsecond]), False),
    ("collections", "deque"): (tagged("q", lambda e, v, d: [v.maxlen, e.many(v, d)]), True),
    ("collections", "OrderedDict"): (tagged("od", lambda e, v, d: e.pairs(v, d)), True),
    ("collections", "Counter"): (tagged("ct", lambda e, v, d: e.pairs(v, d)), True),
    ("collections", "defaultdict"): (tagged("dd", lambda e, v, d: e.pairs(v, d)), True),
    ("collections", "ChainMap"): (tagged("cm", lambda e, v, d: e.many(v.maps, d)), False),
    ("collections", "UserDict"): (tagged("ud", lambda e, v, d: e.pairs(v.data, d)), False),
    ("types", "SimpleNamespace"): (tagged("ns", lambda e, v, d: e.pairs(vars(v), d)), False),
    ("array", "array"): (tagged("ar", lambda e, v, d: [v.typecode, v.tobytes().hex()]), False),
    ("uuid", "UUID"): (tagged("U", lambda e, v, d: v.hex), False),
    ("pathlib", "PosixPath"): (tagged("P", lambda e, v, d: _text(str(v))), False),
}


def _late_encoder(t):
    module = t.__module__
    if not isinstance(module, str):
        return None
    found = LATE.get((module.split(".")[0], t.__name__))
    if found is None or getattr(sys.modules.get(module), t.__name__, None) is not t:
        return None
    f, mutable, *only = found
    _ENCODERS[t] = f
    if only:
        _ONLY[t] = only[0]
    if mutable:
        _MUTABLE.add(t)
    return f


def _named_tuple(e, v, d):
    fields = getattr(type(v), "_fields", None)
    values = e.many(tuple.__iter__(v), d + 1)
    if type(fields) is tuple and len(fields) == len(values) and all(type(f) is str for f in fields):
        return {"nt": [type(v).__name__, list(fields), values]}
    return {"t": values}


# Subclasses travel as what they are a subclass of: what they override stays.
_FLATTEN = [
    (int, lambda e, v, d: e(int.__add__(v, 0), d)),
    (float, lambda e, v, d: float.__add__(v, -0.0)),
    (str, lambda e, v, d: _text(str.__str__(v) if type(str.__str__(v)) is str else "".join(str.__iter__(v)))),
    (tuple, _named_tuple),
    (list, lambda e, v, d: e(list(list.__iter__(v)), d)),
    (dict, lambda e, v, d: e(dict(dict.items(v)), d)),
    (set, lambda e, v, d: e(set(set.__iter__(v)), d)),
    (frozenset, lambda e, v, d: e(frozenset(frozenset.__iter__(v)), d)),
    (bytes, lambda e, v, d: {"b": bytes.hex(v)}),
    (bytearray, lambda e, v, d: {"B": bytearray.hex(v)}),
]


class Decoder:
    """Decodes values of one message: exact plain types, or what hooks make.

    refs are the argument containers that this side numbered.
    """

    def __init__(self, hooks=None, refs=()):
        self.hooks = hooks or {}
        self.refs = refs
        self.table = []

    def __call__(self, x, depth=0):
        """Decodes x. Whatever is wrong with it is a Violation."""
        try:
            return self.value(x, depth)
        except (TypeError, ValueError, LookupError, ArithmeticError, AttributeError, RecursionError) as e:
            raise Violation("a value that cannot be decoded: %s" % type(e).__name__) from None

    def value(self, x, depth):
        t = type(x)
        if t is not list and t is not dict:
            return x
        if depth > MAX_DEPTH:
            raise Violation("a value nested too deep")
        if t is list:
            out = []
            self.table.append(out)
            out.extend(self.many(x, depth + 1))
            return out
        if len(x) != 1:
            raise Violation("a value without one tag")
        (tag, form), = x.items()
        f = DECODERS.get(tag)
        if f is not None:
            return f(self, form, depth + 1)
        f = self.hooks.get(tag)
        if f is not None:
            return f(self, form, depth + 1)
        raise Violation("an unknown tag")

    def whole(self, v, members):
        """Gives a value that has members under names, or what stands for it where
        one of them could be called as if it were a method of the value."""
        hook = self.hooks.get("callable")
        return hook(type(v).__name__) if hook is not None and any(map(callable, members)) else v

    def many(self, form, depth):
        if type(form) is not list:
            raise Violation("a list was expected")
        types = set(map(type, form))
        if list in types or dict in types:
            return [self.value(y, depth) for y in form]
        return form

    def fill(self, into, form, depth):
        self.table.append(into)
        for pair in form:
            if type(pair) is not list or len(pair) != 2:
                raise Violation("a pair was expected")
            into[self.value(pair[0], depth)] = self.value(pair[1], depth)
        return into


def _collection(name):
    import collections
    return getattr(collections, name)


def _from_datetime(name):
    import datetime
    return getattr(datetime, name)


def _ref(s, form, d):
    if type(form) is not int or form < -len(s.table) or form >= len(s.refs):
        raise Violation("an unknown reference")
    return s.refs[form] if form >= 0 else s.table[-1 - form]


def _set(s, form, d):
    out = set()
    s.table.append(out)
    out.update(s.many(form, d))
    return out


def _deque(s, form, d):
    out = _collection("deque")(maxlen=form[0])
    s.table.append(out)
    out.extend(s.many(form[1], d))
    return out


def _bytearray(s, form, d):
    out = bytearray.fromhex(form)
    s.table.append(out)
    return out


def _int(form):
    if type(form) is not str or len(form) > MAX_DIGITS:
        raise Violation("a number that is too long")
    return int(form, 16)


def _decimal(s, form, d):
    import decimal
    if type(form) is not str or len(form) > 5000:
        raise Violation("a decimal that is too long")
    return decimal.Decimal(form)


def _fraction(s, form, d):
    import fractions
    return fractions.Fraction(_int(form[0]), _int(form[1]))


def _datetime(s, form, d):
    import datetime
    *fields, offset, fold = form
    zone = None if offset is None else datetime.timezone(datetime.timedelta(seconds=offset))
    return datetime.datetime(*fields, tzinfo=zone, fold=fold)


_tuples = {}


def _decode_named_tuple(s, form, d):
    name, fields, values = form
    values = s.many(values, d)
    key = (name, *fields)
    made = _tuples.get(key)
    if made is None:
        if not all(type(f) is str for f in key) or len(_tuples) > 1000:
            raise Violation("a tuple's names")
        made = _tuples[key] = _collection("namedtuple")(name, fields)
    return s.whole(made._make(values), values)


def _namespace(s, form, d):
    import types
    names = s.fill({}, form, d)
    if not all(type(n) is str for n in names):
        raise Violation("a namespace")
    return s.whole(types.SimpleNamespace(**names), names.values())


def _array(s, form, d):
    import array
    out = array.array(form[0])
    out.frombytes(bytes.fromhex(form[1]))
    return out


def _chain(s, form, d):
    maps = s.many(form, d)
    if not all(isinstance(m, dict) for m in maps):
        raise Violation("a chain of maps")
    return _collection("ChainMap")(*maps)


def _uuid(s, form, d):
    import uuid
    return uuid.UUID(hex=form)


def _path(s, form, d):
    import pathlib
    return pathlib.Path(s.value(form, d))


DECODERS = {
    "I": lambda s, form, d: _int(form),
    "S": lambda s, form, d: bytes.fromhex(form).decode("utf-8", "surrogatepass"),
    "t": lambda s, form, d: tuple(s.many(form, d)),
    "d": lambda s, form, d: s.fill({}, form, d),
    "s": _set,
    "f": lambda s, form, d: frozenset(s.many(form, d)),
    "b": lambda s, form, d: bytes.fromhex(form),
    "B": _bytearray,
    "c": lambda s, form, d: complex(float(form[0]), float(form[1])),
    "R": lambda s, form, d: range(_int(form[0]), _int(form[1]), _int(form[2])),
    "dk": lambda s, form, d: dict.fromkeys(s.many(form, d)).keys(),
    "dv": lambda s, form, d: dict(enumerate(s.many(form, d))).values(),
    "di": lambda s, form, d: s.fill({}, form, d).items(),
    "D": _decimal,
    "F": _fraction,
    "dt": _datetime,
    "da": lambda s, form, d: _from_datetime("date")(*form),
    "td": lambda s, form, d: _from_datetime("timedelta")(*form),
    "tm": lambda s, form, d: _from_datetime("time")(*form),
    "q": _deque,
    "od": lambda s, form, d: s.fill(_collection("OrderedDict")(), form, d),
    "ct": lambda s, form, d: s.fill(_collection("Counter")(), form, d),
    "dd": lambda s, form, d: s.fill(_collection("defaultdict")(), form, d),
    "cm": _chain,
    "ud": lambda s, form, d: _collection("UserDict")(s.fill({}, form, d)),
    "ns": _namespace,
    "ar": _array,
    "U": _uuid,
    "P": _path,
    "nt": _decode_named_tuple,
    "E": lambda s, form, d: NotImplemented if form else Ellipsis,
    "r": _ref,
}
