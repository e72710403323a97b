"""Arrays of numpy and tables of pandas on the wire, where the tests use them.

An array is its dtype, its shape and its bytes; a table is its index, the names
of its columns and a column each. Only plain dtypes cross, and nothing is
unpickled. What has another dtype is an object of the program like any other.
"""
import binascii
import re
import sys

from _glovebox import wire
from _glovebox.wire import Unencodable, Violation

UNIT = r"(?:\[\d{0,6}(?:Y|M|W|D|h|m|s|ms|us|ns|ps|fs|as)\])?"
DTYPE = re.compile(r"\|b1|[|<>][iu]1|[<>][iu][248]|[<>]f[248]|[<>]c(?:8|16)|[<>][mM]8" + UNIT + r"|[<>]U\d{1,7}|\|S\d{1,7}")
EXTENSION = re.compile(r"U?Int(?:8|16|32|64)|Float(?:32|64)|boolean|string|str")
ZONE = re.compile(r"[A-Za-z0-9_+:/-]{1,40}")
FREQUENCY = re.compile(r"-?\d{0,6}[A-Za-z-]{1,12}")
KINDS = frozenset("bool bool_ int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128".split())
INDEXES = frozenset("Index RangeIndex DatetimeIndex TimedeltaIndex CategoricalIndex Int64Index UInt64Index Float64Index".split())
MAX_EMPTY = 1 << 12

refuse = None  # in the harness: fails the case that runs


def module(name):
    return sys.modules.get(name) or __import__(name)


# Arrays.

def fits_array(v):
    return v.dtype.kind == "O" or DTYPE.fullmatch(v.dtype.str) is not None and v.dtype.itemsize > 0


def array(e, v, d):
    dtype = v.dtype.str
    if v.dtype.kind in "OUS":
        return [dtype, list(v.shape), e.many(v.ravel().tolist(), d)]
    return [dtype, list(v.shape), binascii.b2a_base64(v.tobytes(), newline=False).decode()]


def scalar(e, v, d):
    return array(e, module("numpy").asarray(v), d)


def decode_array(s, form, d, own=True):
    """Makes an array that shares no memory with anything. own tells whether it is
    handed out by itself."""
    np = module("numpy")
    dtype, shape, data = form
    if type(dtype) is not str or type(shape) is not list or len(shape) > 32 or not all(type(n) is int and n >= 0 for n in shape):
        raise Violation("an array")
    size, room = 1, 1
    for n in shape:
        size, room = size * n, room * max(n, 1)
    if room > (wire.MAX_FRAME if size else MAX_EMPTY):
        raise Violation("an array that is too large")
    if dtype == "|O":
        out = np.empty(shape, object)
        if own:
            s.table.append(out)
        values = s.many(data, d)
        if len(values) != size:
            raise Violation("an array of another size")
        for i, v in enumerate(values):
            out.flat[i] = v
        return out
    if not DTYPE.fullmatch(dtype):
        raise Violation("an array of another kind")
    kind = np.dtype(dtype)
    s.room = getattr(s, "room", 2 * wire.MAX_FRAME) - size * kind.itemsize  # of all arrays of a message
    if kind.itemsize == 0 or s.room < 0:
        raise Violation("an array that is too large")
    if kind.kind in "US":
        values = s.many(data, d)
        if len(values) != size or not all(type(v) is (str if kind.kind == "U" else bytes) for v in values):
            raise Violation("an array of texts")
        out = np.array(values, kind).reshape(shape)
    else:
        raw = binascii.a2b_base64(data)
        if len(raw) != size * kind.itemsize:
            raise Violation("an array of another size")
        out = np.frombuffer(raw, "u1" if kind.kind == "b" else kind) if size else np.empty(0, kind)
        out = (out != 0 if kind.kind == "b" else out.copy()).astype(kind, copy=False).reshape(shape)
    if own:
        out = out.view(nothing()) if refuse and size == 0 else out
        s.table.append(out)
    return out


_nothing = []


def nothing():
    """The class of empty arrays of the program. All that is said of the elements
    of an empty array is true, so none is compared with what is not empty."""
    if not _nothing:
        np = module("numpy")

        class Empty(np.ndarray):
            def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
                if self.size == 0 and method == "__call__" and any(np.size(x) for x in inputs):
                    refuse("the program gave an empty array, which the tests use with what is not empty")
                plain = [x.view(np.ndarray) if isinstance(x, Empty) else x for x in inputs]
                return getattr(ufunc, method)(*plain, **kwargs)

            def __bool__(self):
                return bool(self.view(np.ndarray)) if self.size else refuse("the program gave an empty array, whose truth the tests use")

        _nothing.append(Empty)
    return _nothing[0]


# Tables.

def fits(v):
    """Tells whether all of a table, a column or an index crosses."""
    pd = module("pandas")
    if isinstance(v, pd.DataFrame):
        return fits(v.index) and fits(v.columns) and all(fits_dtype(t) for t in v.dtypes)
    if isinstance(v, pd.Series):
        return fits(v.index) and fits_dtype(v.dtype)
    if type(v) is pd.MultiIndex:
        return all(fits(v.get_level_values(i)) for i in range(v.nlevels))
    return type(v).__module__.split(".")[0] == "pandas" and type(v).__name__ in INDEXES and fits_dtype(v.dtype)


def fits_dtype(t):
    np, pd = module("numpy"), module("pandas")
    if isinstance(t, np.dtype):
        return t.kind == "O" or DTYPE.fullmatch(t.str) is not None
    if isinstance(t, pd.CategoricalDtype):
        return fits(t.categories)
    return EXTENSION.fullmatch(str(t)) is not None or isinstance(t, pd.DatetimeTZDtype) and ZONE.fullmatch(str(t.tz)) is not None


def column(e, v, d):
    """The values of a column or of an index."""
    np, pd = module("numpy"), module("pandas")
    t = v.dtype
    if isinstance(t, np.dtype):
        return ["a", array(e, v.to_numpy(), d)]
    if isinstance(t, pd.CategoricalDtype):
        codes = v.cat.codes if isinstance(v, pd.Series) else v.codes
        return ["c", array(e, np.asarray(codes), d), index(e, t.categories, d), bool(t.ordered)]
    if isinstance(t, pd.DatetimeTZDtype):
        return ["z", array(e, pd.DatetimeIndex(v).tz_convert("UTC").tz_localize(None).to_numpy(), d), str(t.tz)]
    return ["x", str(t), [None if pd.isna(x) else e(getattr(x, "item", lambda: x)(), d) for x in v.array]]


def decode_column(s, form, d):
    pd = module("pandas")
    kind, *rest = form
    if kind == "a":
        return decode_array(s, rest[0], d, False)
    if kind == "c":
        codes, categories, ordered = rest
        codes = decode_column(s, ["a", codes], d)
        return pd.Categorical.from_codes(codes, categories=decode_index(s, categories, d), ordered=ordered is True)
    if kind == "z" and ZONE.fullmatch(rest[1]):
        return pd.DatetimeIndex(decode_column(s, ["a", rest[0]], d)).tz_localize("UTC").tz_convert(rest[1]).array
    if kind == "x" and EXTENSION.fullmatch(rest[0]):
        values = s.many(rest[1], d)
        if not all(v is None or type(v) in (bool, int, float, str) for v in values):
            raise Violation("a column")
        return pd.array(values, dtype=rest[0])
    raise Violation("a column")


def index(e, v, d):
    pd = module("pandas")
    if type(v) is pd.RangeIndex:
        return ["r", e(range(v.start, v.stop, v.step), d), e(v.name, d)]
    if type(v) is pd.MultiIndex:
        return ["m", [column(e, v.get_level_values(i), d) for i in range(v.nlevels)], [e(n, d) for n in v.names]]
    freq = getattr(v, "freqstr", None)
    return ["i", column(e, v, d), e(v.name, d), freq if freq and FREQUENCY.fullmatch(freq) else None]


def decode_index(s, form, d):
    pd = module("pandas")
    kind, values, name, *freq = form
    if kind == "r":
        return pd.RangeIndex(s.value(values, d), name=s.value(name, d))
    if kind == "m":
        return pd.MultiIndex.from_arrays([decode_column(s, c, d) for c in values], names=[s.value(n, d) for n in name])
    if kind != "i":
        raise Violation("an index")
    values, name = decode_column(s, values, d), s.value(name, d)
    if freq[0] is not None:
        if not FREQUENCY.fullmatch(freq[0]):
            raise Violation("an index")
        of = pd.TimedeltaIndex if values.dtype.kind == "m" else pd.DatetimeIndex
        return of(values, freq=freq[0], name=name)
    return pd.Index(values, dtype=values.dtype, name=name)


def emptied(out):
    """Marks an empty table or column of the program."""
    if refuse and out.size == 0:
        out.attrs["of the program"] = True
        guard(module("pandas").Series)
        guard(module("pandas").DataFrame)
    return out


def guard(cls):
    """Makes the empty ones of the program as strict as its empty arrays are."""
    array, values, to_numpy, compare = cls.__array__, cls.values.fget, cls.to_numpy, cls._cmp_method
    if array.__module__ == __name__:
        return

    def strict(f):
        def of(self, *args, **kwargs):
            out = f(self, *args, **kwargs)
            return out.view(nothing()) if self.size == 0 and self.attrs and type(out) is module("numpy").ndarray else out
        return of

    def _cmp_method(self, other, op):
        if self.size == 0 and self.attrs and module("numpy").size(other):
            refuse("the program gave an empty table, which the tests use with what is not empty")
        return compare(self, other, op)
    cls.__array__, cls.values, cls.to_numpy, cls._cmp_method = strict(array), property(strict(values)), strict(to_numpy), _cmp_method


def series(e, v, d):
    return [column(e, v, d), index(e, v.index, d), e(v.name, d)]


def decode_series(s, form, d):
    at = len(s.table)
    s.table.append(None)
    values, of, name = form
    values = decode_column(s, values, d)
    out = s.table[at] = module("pandas").Series(values, index=decode_index(s, of, d), dtype=values.dtype, name=s.value(name, d))
    return emptied(out)


def table(e, v, d):
    return [index(e, v.index, d), index(e, v.columns, d), [column(e, v.iloc[:, i], d) for i in range(v.shape[1])]]


def decode_table(s, form, d):
    pd, at = module("pandas"), len(s.table)
    s.table.append(None)
    rows, names, columns = form
    rows, names = decode_index(s, rows, d), decode_index(s, names, d)
    values = [decode_column(s, c, d) for c in columns]
    out = s.table[at] = pd.DataFrame({i: pd.Series(c, index=rows, dtype=c.dtype) for i, c in enumerate(values)}, index=rows)
    out.columns = names
    return emptied(out)


# What is no container.

def extra(e, v, d):
    """The form of a value of these libraries, or None."""
    np, pd = sys.modules.get("numpy"), sys.modules.get("pandas")
    if np is None:
        return None
    if isinstance(v, np.dtype):
        return {"nd": v.str} if DTYPE.fullmatch(v.str) or v.str == "|O" else None
    if isinstance(v, type):
        return {"nk": v.__name__} if v.__name__ in KINDS and getattr(np, v.__name__, None) is v else None
    if isinstance(v, np.generic) and type(v).__module__ == "numpy" and v.dtype.kind not in "OUS" and fits_array(v):
        return {"n0": scalar(e, v, d)}
    if pd is None:
        return None
    if v is pd.NaT or v is pd.NA:
        return {"pn": "NaT" if v is pd.NaT else "NA"}
    if type(v) is pd.Timestamp and (v.tz is None or ZONE.fullmatch(str(v.tz))):
        return {"pt": [scalar(e, v.to_datetime64(), d), None if v.tz is None else str(v.tz)]}
    if type(v) is pd.Timedelta:
        return {"pd": scalar(e, v.to_timedelta64(), d)}
    if isinstance(v, pd.Index) and fits(v):
        return {"pi": index(e, v, d)}
    return None


def decode_scalar(s, form, d):
    if form[1] != [] or form[0][1] in "OUS":
        raise Violation("a number of an array")
    return decode_array(s, form, d, False)[()]


def decode_kind(s, form, d):
    if form not in KINDS:
        raise Violation("a kind of numbers")
    return getattr(module("numpy"), form)


def decode_dtype(s, form, d):
    if type(form) is not str or form != "|O" and not DTYPE.fullmatch(form):
        raise Violation("a dtype")
    return module("numpy").dtype(form)


def decode_time(s, form, d):
    moment, zone = form
    out = module("pandas").Timestamp(decode_scalar(s, moment, d))
    if zone is None:
        return out
    if not ZONE.fullmatch(zone):
        raise Violation("a time zone")
    return out.tz_localize("UTC").tz_convert(zone)


DECODERS = {"na": decode_array, "n0": decode_scalar, "nk": decode_kind, "nd": decode_dtype, "ps": decode_series, "pf": decode_table,
            "pi": decode_index, "pt": decode_time, "pd": lambda s, form, d: module("pandas").Timedelta(decode_scalar(s, form, d)),
            "pn": lambda s, form, d: getattr(module("pandas"), {"NaT": "NaT", "NA": "NA"}[form])}


def safe(f):
    """What a library says of a form that is wrong is a breach of the protocol."""
    def decode(s, form, d):
        try:
            return f(s, form, d)
        except Exception as e:
            raise Violation("a table that cannot be decoded: %s" % type(e).__name__) from None
    return decode


def enable(judge=None):
    """Lets these values cross. In the harness, judge fails the case that runs."""
    global refuse
    refuse = judge
    wire.extra = extra
    wire.LATE.update({("numpy", "ndarray"): (wire.tagged("na", array), True, fits_array),
                      ("pandas", "Series"): (wire.tagged("ps", series), True, fits),
                      ("pandas", "DataFrame"): (wire.tagged("pf", table), True, fits)})
    wire.DECODERS.update({tag: safe(f) for tag, f in DECODERS.items()})


# The tests' own, which a call may change.

def types():
    np, pd = sys.modules.get("numpy"), sys.modules.get("pandas")
    return [np.ndarray] + ([pd.Series, pd.DataFrame] if pd else []) if np else []


def alike(a, b):
    np = module("numpy")
    if type(a) is np.ndarray:
        return a.dtype == b.dtype and a.shape == b.shape and (
            a.tobytes() == b.tobytes() if a.dtype.kind != "O" else all(x is y for x, y in zip(a.flat, b.flat)))
    return a.index.equals(b.index) and (not hasattr(a, "columns") or a.columns.equals(b.columns)) and a.equals(b)


def undefined(v):
    """Tells whether a number in an array or a table is none."""
    numbers = module("numpy").asarray(v)
    return numbers.dtype.kind in "fc" and bool((numbers != numbers).any())


def replace(old, new):
    """Makes old what new is, in place."""
    if type(old) is module("numpy").ndarray:
        if old.shape != new.shape or old.dtype != new.dtype:
            raise Violation("an array of another shape")
        old[...] = new
    else:
        type(old).__init__(old, new)
