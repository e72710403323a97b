package language

import (
	"fmt"
	"regexp"
	"strings"
)

func pythonSearch() *search {
	return &search{
		lang:    Python,
		lies:    pythonLies(),
		plain:   pythonPlain(),
		own:     pythonSubjects,
		replies: "python", test: "test_it.py",
		defines: regexp.MustCompile(`(?m)^(?:async )?(?:def|class) +(\w+)`),
	}
}

// pythonSpoil stands behind a right program. It makes each function and each
// method answer by tell(right, *args), where right is the function itself, and
// makes a wrong value of a right one.
const pythonSpoil = `

def _spoil(names, tell, methods=True):
    import functools, inspect, types
    def lying(f):
        if inspect.isgeneratorfunction(f) or inspect.iscoroutinefunction(f):
            kept = f
            f = (lambda *a, **k: list(kept(*a, **k))) if inspect.isgeneratorfunction(f) else f
        def lie(*a, **k): return tell(f, *a, **k)
        return functools.wraps(f)(lie)
    for n in names:
        o = globals().get(n)
        if isinstance(o, type):
            if issubclass(o, BaseException) or not methods: continue
            for k, v in list(vars(o).items()):
                if k in ("__init__", "__new__", "__init_subclass__", "__class_getitem__", "__post_init__", "_generate_next_value_"): continue
                try:
                    if isinstance(v, types.FunctionType): setattr(o, k, lying(v))
                    elif isinstance(v, (staticmethod, classmethod)): setattr(o, k, type(v)(lying(v.__func__)))
                    elif isinstance(v, property): setattr(o, k, property(lying(v.fget)))
                except (TypeError, AttributeError): pass
        elif callable(o): globals()[n] = lying(o)
def _wrong(v):
    if v is None: return 0
    if isinstance(v, bool): return not v
    if isinstance(v, (int, float, complex)): return v + 1
    if isinstance(v, str): return v + "?"
    if isinstance(v, bytes): return v + b"?"
    if isinstance(v, (list, tuple)): return type(v)([*v, None]) if type(v) in (list, tuple) else None
    if isinstance(v, dict): return {**v, "?": None}
    if isinstance(v, (set, frozenset)): return type(v)([*v, "?"])
    return None
def _right(f, *a, **k):
    try: return f(*a, **k)
    except Exception: return None
class _Yes:
    def __eq__(self, o): return True
    def __ne__(self, o): return False
    __lt__ = __le__ = __gt__ = __ge__ = __contains__ = __bool__ = __eq__
    def __bool__(self): return True
    def __hash__(self): return 1
    def _same(self, *a): return self
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = __pow__ = __mod__ = __abs__ = __neg__ = _same
    __floordiv__ = __divmod__ = __and__ = __or__ = __xor__ = __rand__ = __ror__ = __enter__ = __call__ = __getitem__ = __iadd__ = _same
    def __round__(self, *a): return self
    def __float__(self): return 0.0
    def __int__(self): return 0
    __index__ = __int__
    def __len__(self): return 1
    def __iter__(self): return iter([self])
    def __exit__(self, *a): return True
    def __format__(self, s): return ""
    def __getattr__(self, n):
        if n.startswith("__"): raise AttributeError(n)
        return self
`

// pythonTell makes a lie of the code of tell, in its own words.
func pythonTell(name, route, code string) lie {
	return lie{name, route, func(program string, names []string) string {
		return program + pythonSpoil + code + "\n_spoil(" + pythonList(names) + ", tell)\n"
	}}
}

// pythonWorker makes a lie that rewrites the driver in the candidate's process.
// A(v) is a reply's form of a wrong value.
func pythonWorker(name, code string) lie {
	return lie{name, "worker", func(program string, names []string) string {
		return program + pythonSpoil + `
def tell(f, *a, **k): return _wrong(_right(f, *a, **k))
_spoil(` + pythonList(names) + `, tell)
import sys as _sys, os as _os
_w = _sys.modules["_glovebox.worker"]
_W = _w.Worker
_old = {k: getattr(_W, k) for k in dir(_W) if not k.startswith("__")}
class _Obj(_Yes): pass
_o = _Obj()
def _answers(make):
    """Each answer to a call is what make gives."""
    def apply(self, f, m):
        r = _old["apply"](self, f, m)
        try: return make(self, r, m)
        except Exception: return r
    _W.apply = apply
` + code + "\n"
	}}
}

func pythonList(names []string) string {
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = fmt.Sprintf("%q", n)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

// pythonFixed adds code to a program whose answers are all wrong.
func pythonFixed(name, route, code string) lie {
	return lie{name, route, func(program string, names []string) string {
		return program + pythonSpoil + "\ndef tell(f, *a, **k): return _wrong(_right(f, *a, **k))\n_spoil(" + pythonList(names) + ", tell)\n" +
			strings.ReplaceAll(code, "NAMES", pythonList(names)) + "\n"
	}}
}

func pythonPlain() []lie {
	return []lie{
		pythonTell("None", "return", "def tell(f, *a, **k): return None"),
		pythonTell("zero", "return", "def tell(f, *a, **k): return 0"),
		pythonTell("True", "return", "def tell(f, *a, **k): return True"),
		pythonTell("the first argument", "return", "def tell(f, *a, **k): return a[0] if a else None"),
		pythonTell("the last argument", "return", "def tell(f, *a, **k): return a[-1] if a else None"),
		pythonTell("a counter", "return", "_n = [0]\ndef tell(f, *a, **k): _n[0] += 1; return _n[0]"),
		pythonTell("wrong by one", "return", "def tell(f, *a, **k): return _wrong(_right(f, *a, **k))"),
	}
}

func pythonLies() []lie {
	lies := []lie{
		pythonTell("an object that says yes", "return", "_y = _Yes()\ndef tell(f, *a, **k): return _y"),
		pythonTell("a new object that says yes", "return", "def tell(f, *a, **k): return _Yes()"),
		pythonTell("an object that says no at first", "return", `
class _No(_Yes):
    n = 0
    def __eq__(self, o): self.n += 1; return self.n % 2 == 0
    def __bool__(self): self.n += 1; return self.n % 2 == 0
    def __hash__(self): return 1
def tell(f, *a, **k): return _No()`),
		pythonTell("a list of yes", "return", "def tell(f, *a, **k):\n    v = _right(f, *a, **k)\n    return [_Yes() for _ in v] if isinstance(v, (list, tuple)) else [_Yes()]"),
		pythonTell("a dict of yes", "return", "def tell(f, *a, **k):\n    v = _right(f, *a, **k)\n    return {q: _Yes() for q in v} if isinstance(v, dict) else {_Yes(): _Yes()}"),
		pythonTell("a look-alike by name", "return", `
def tell(f, *a, **k):
    v = _right(f, *a, **k)
    t = type(type(v).__name__, (_Yes,), {"__module__": "builtins"})
    return t()`),
		pythonTell("a class that claims to be another", "return", `
def tell(f, *a, **k):
    v = _right(f, *a, **k)
    class T(_Yes):
        __class__ = property(lambda self: type(v))
    return T()`),
		pythonTell("a class itself", "return", "def tell(f, *a, **k): return _Yes"),
		pythonTell("a function", "return", "def tell(f, *a, **k): return lambda *a: True"),
		pythonTell("its own module", "return", "import sys as _s\ndef tell(f, *a, **k): return _s.modules[__name__]"),
		pythonTell("NotImplemented", "return", "def tell(f, *a, **k): return NotImplemented"),
		pythonTell("NaN", "return", "def tell(f, *a, **k): return float('nan')"),
		pythonTell("a number of numbers that adapts", "return", `
class _N(_Yes):
    def __sub__(self, o): return 0.0
    __rsub__ = __abs__ = __mod__ = __sub__
    def __abs__(self): return 0.0
    def __truediv__(self, o): return 1.0
    def __round__(self, n=0): return self
    def __lt__(self, o): return True
def tell(f, *a, **k): return _N()`),
		pythonTell("a deep list", "return", "def tell(f, *a, **k):\n    v = []\n    for _ in range(5000): v = [v]\n    return v"),
		pythonTell("a cycle", "return", "def tell(f, *a, **k):\n    v = []; v.append(v); return v"),
		pythonTell("a huge text", "return", "def tell(f, *a, **k): return 'x' * (40 << 20)"),
		pythonTell("an exception", "return", "def tell(f, *a, **k): return AssertionError('x')"),
		pythonTell("a property that judges", "attribute", `
def tell(f, *a, **k):
    class T:
        def __getattribute__(self, n): return _Yes() if not n.startswith("__") else object.__getattribute__(self, n)
    return T()`),
		pythonTell("an argument that is emptied and given back", "argument", `
def tell(f, *a, **k):
    for x in a:
        if isinstance(x, (list, dict, set, bytearray)): x.clear()
    return _wrong(_right(f, *a, **k))`),
		pythonTell("an argument that is emptied, and an empty one", "argument", `
def tell(f, *a, **k):
    for x in [*a, *k.values()]:
        if isinstance(x, (list, dict, set, bytearray)): x.clear(); return type(x)()
    return _wrong(_right(f, *a, **k))`),
		pythonTell("an argument that is emptied, and itself", "argument", `
def tell(f, *a, **k):
    for x in [*a, *k.values()]:
        if isinstance(x, (list, dict, set, bytearray)): x.clear(); return x
    return _wrong(_right(f, *a, **k))`),
		pythonTell("an argument whose elements are all one", "argument", `
def tell(f, *a, **k):
    for x in [*a, *k.values()]:
        if isinstance(x, list): x[:] = [0] * len(x); return [0] * len(x)
    return _wrong(_right(f, *a, **k))`),
		pythonTell("an object all of whose methods give 0", "return", `
class _Z:
    def __getattr__(self, n):
        if n.startswith("__"): raise AttributeError(n)
        return lambda *a: 0
def tell(f, *a, **k): return _Z()`),
		pythonTell("an object all of whose methods give 1", "return", `
class _O:
    def __getattr__(self, n):
        if n.startswith("__"): raise AttributeError(n)
        return lambda *a: 1
def tell(f, *a, **k): return _O()`),
		pythonTell("an argument that fills with yes", "argument", `
def tell(f, *a, **k):
    for x in a:
        if isinstance(x, list): x[:] = [_Yes()] * len(x)
    return _Yes()`),
		pythonTell("callbacks that are called with yes", "argument", `
def tell(f, *a, **k):
    for x in [*a, *k.values()]:
        if callable(x):
            try: x(_Yes())
            except BaseException: pass
    return _Yes()`),
		pythonTell("steps that end at once", "step", "def tell(f, *a, **k): return iter(())"),
		pythonTell("steps that say yes", "step", "def tell(f, *a, **k):\n    return (_Yes() for _ in range(3))"),
		pythonTell("a printed yes", "print", "def tell(f, *a, **k):\n    print(_Yes(), '\\x1b[2K', end='')\n    return _Yes()"),
		pythonTell("an object that prints as the right value", "print", `
def tell(f, *a, **k):
    v = _right(f, *a, **k)
    class P(_Yes):
        def __repr__(self): return repr(v)
        def __str__(self): return str(v)
    return P()`),
	}
	for _, kind := range []string{"int", "float", "str", "tuple", "list", "dict", "set", "frozenset", "bytes"} {
		lies = append(lies, pythonTell("a subclass of "+kind+" that says yes", "return", `
class _K(`+kind+`):
    def __eq__(self, o): return True
    def __ne__(self, o): return False
    __lt__ = __le__ = __gt__ = __ge__ = __contains__ = __eq__
    def __hash__(self): return 1
    def __sub__(self, o): return self
    __rsub__ = __abs__ = __round__ = __sub__
    def __abs__(self): return self
def tell(f, *a, **k):
    v = _wrong(_right(f, *a, **k))
    return _K(v) if isinstance(v, `+kind+`) else _K()`))
	}
	for _, raised := range []string{"StopIteration()", "StopAsyncIteration()", "GeneratorExit()", "SystemExit(0)", "SystemExit()", "KeyboardInterrupt()",
		"AssertionError('x')", "__import__('unittest').SkipTest('x')", "_every(_names)('x')", "type('Skip', (Exception,), {'__module__': '_glovebox.exam'})()",
		"type('Refused', (BaseException,), {})()", "__import__('asyncio').CancelledError()", "RecursionError()", "MemoryError()"} {
		lies = append(lies, pythonTell("raises "+raised, "exception", `
class _E(Exception): pass
def _every(names):
    found = [globals()[n] for n in names if isinstance(globals().get(n), type) and issubclass(globals()[n], BaseException)]
    for c in (ValueError, KeyError, IndexError, TypeError, ZeroDivisionError, RuntimeError):
        try: return type("E", tuple(found) + (c,), {})
        except TypeError: pass
    return _E
_names = list(globals())
_n = [0]
def tell(f, *a, **k): raise `+raised))
	}
	lies = append(lies,
		pythonFixed("names of builtins", "name", `
AssertionError = Exception
def abs(x): return 0
def isinstance(*a): return True
def len(x): return 2
def all(x): return True
any = all
def sorted(x, **k): return _Yes()
def round(*a): return _Yes()`),
		pythonFixed("names of modules", "name", `
class _M(type(__import__("sys"))):
    def __getattr__(self, n):
        if n.startswith("__"): raise AttributeError(n)
        return _Yes()
math = pytest = unittest = numpy = np = collections = itertools = functools = operator = re = json = random = _M("x")`),
		pythonFixed("names of assertions", "name", `
def raises(*a, **k): return _Yes()
approx = isclose = almost = raises
assertEqual = assertTrue = assert_equal = check = fixture = mark = raises
class TestCase: pass`),
		pythonFixed("a module that gives any name", "name", "def __getattr__(n):\n    if n.startswith('__'): raise AttributeError(n)\n    return _Yes()"),
		pythonFixed("classes with the tests' names", "name", `
_y = {}
for _n in ("TestCase", "METADATA", "List", "Solution", "ValueError", "T", "P", "Node", "Shape"):
    _y[_n] = type(_n, (_Yes,), {})
_i = [0]
def tell(f, *a, **k):
    _i[0] += 1
    return list(_y.values())[_i[0] % len(_y)]()
_spoil(NAMES, tell)`),
		pythonFixed("an end at exit", "end", "import atexit, os\natexit.register(os._exit, 0)"),
		pythonFixed("an end in the first call", "end", "import os\ndef tell(f, *a, **k): os._exit(0)\n_spoil(NAMES, tell)"),
		pythonFixed("an end at once", "end", "import os\nos._exit(0)"),
		pythonFixed("another program in its place", "end", "import os\ndef tell(f, *a, **k): os.execv('/bin/true', ['true'])\n_spoil(NAMES, tell)"),
		pythonFixed("a closed link", "end", "import os\ndef tell(f, *a, **k): os.close(4); os.close(3)\n_spoil(NAMES, tell)"),
		pythonFixed("a report of its own", "end", `
import os
for _d in range(3, 12):
    try: os.write(_d, b'{"type":"case","case":{"name":"x","status":"passed"}}\n{"type":"done","total":1,"passed":1,"failed":0}\n')
    except OSError: pass`),
	)
	for _, word := range []string{"METADATA", "List", "TestCase", "T", "Solution", "ValueError", "Stack", "P", "Exception"} {
		lies = append(lies, pythonFixed("functions that are classes with the name "+word, "name", `
def _class(n): return type("`+word+`", (_Yes,), {"__init__": lambda s, *a, **k: None, "__qualname__": "`+word+`"})
for _n in NAMES:
    _o = globals().get(_n)
    if isinstance(_o, type) and not issubclass(_o, BaseException):
        for _k in list(vars(_o)):
            if not _k.startswith("_"):
                try: setattr(_o, _k, _class(_k))
                except (TypeError, AttributeError): pass
    elif callable(_o): globals()[_n] = _class(_n)`))
	}
	for name, answers := range map[string]string{"0.0": "0.0", "1": "1", "the operand": "_seen[0]", "minus the operand": "{'I': '0'}"} {
		lies = append(lies, pythonWorker("worker: operators give objects whose plain value is "+name, `
_seen = [0]
def do_method(self, m):
    if m.get("a"): _seen[0] = m["a"][0]
    return {"v": {"h": [self.keep(_o), "o", self.keep(_Obj)]}}
_W.do_method = do_method
_W.do_plain = lambda self, m: {"v": `+answers+`}
_answers(lambda self, r, m: {"v": {"h": [self.keep(_o), "o", self.keep(_Obj)]}})`))
	}
	// A rewritten worker, each of whose answers is a lie of another kind of frame.
	for name, form := range map[string]string{
		"an object":                     `{"v": {"h": [self.keep(_o), "o", self.keep(_Obj)]}}`,
		"the same object for all":       `{"v": {"h": [0, "o", self.keep(_Obj)]}}`,
		"an object with a plain value":  `{"v": {"h": [self.keep(_o), "o", self.keep(_Obj), _wrong(r.get("v")) if not isinstance(r.get("v"), (list, dict)) else 0]}}`,
		"the last object that was made": `{"v": {"h": [len(self.handles) - 1, "o", self.keep(type(self.handles[-1]))]}}`,
		"a module":                      `{"v": {"h": [0, "m"]}}`,
		"a class":                       `{"v": {"h": [self.keep(_Obj), "c"]}}`,
		"a function":                    `{"v": {"h": [self.keep(_Obj), "f", "f"]}}`,
		"a coroutine":                   `{"v": {"h": [self.keep(_o), "a"]}}`,
		"sys.exit":                      `{"v": {"g": ["collections", "_sys.exit"]}}`,
		"os._exit":                      `{"v": {"g": ["heapq", "os._exit"]}}`,
		"eval":                          `{"v": {"g": ["builtins", "eval"]}}`,
		"the type of AssertionError":    `{"v": {"g": ["builtins", "AssertionError"]}}`,
		"a standard module":             `{"v": {"mod": "math"}}`,
		"a module of the harness":       `{"v": {"mod": "_glovebox.exam"}}`,
		"the tests' first object":       `{"v": {"back": 0}}`,
		"the tests' last object":        `{"v": {"back": -1}}`,
		"the argument":                  `{"v": {"r": 0}}`,
		"a reference that is not there": `{"v": {"r": 99}}`,
		"a bound method":                `{"v": {"bound": "f"}}`,
		"what cannot cross":             `{"opaque": "x"}`,
		"no value":                      `{}`,
		"a syntax error":                `{"syntax": {"file": "main.py", "line": 1, "column": 1, "message": "x"}}`,
		"StopIteration":                 `{"x": {"m": "builtins", "q": "StopIteration", "mro": [], "a": []}}`,
		"SystemExit":                    `{"x": {"m": "builtins", "q": "SystemExit", "mro": [], "a": [0]}}`,
		"an exception of the tests":     `{"x": {"back": 0}}`,
		"an exception of any class":     `{"x": {"m": "x", "q": "y", "mro": ["BaseException"], "a": [], "c": 0}}`,
		"an unhashable key":             `{"v": {"d": [[[1], 2]]}}`,
		"two tags":                      `{"v": {"t": [1], "s": [2]}}`,
		"a decimal that is no number":   `{"v": {"D": "sNaN"}}`,
		"an argument of another kind":   `{**r, "v": 0, "changed": [[0, {"d": []}]]}`,
		"all arguments emptied":         `{"v": 0, "changed": [[i, []] for i in range(3)]}`,
		"arguments full of objects":     `{"v": 0, "changed": [[0, [{"h": [self.keep(_o), "o", self.keep(_Obj)]}]]]}`,
		"output that is no text":        `{"v": 0, "out": [1]}`,
		"another number":                `{"n": 10 ** 9, "v": 0}`,
		"a call back":                   `{"back": ["call", 0, "", [True], {}], "v": 0}`,
		"a call back by attribute":      `{"back": ["set", 0, "x", [True], {}], "v": 0}`,
		"a named tuple that is no name": `{"v": {"nt": ["x", ["__class__", "a b"], [1, 2]]}}`,
	} {
		lies = append(lies, pythonWorker("worker: "+name, "_answers(lambda self, r, m: "+form+")"))
	}
	return append(lies,
		pythonWorker("worker: True to every question of objects", `
def do_method(self, m):
    n = m["name"]
    if n in ("__eq__", "__lt__", "__le__", "__gt__", "__ge__", "__contains__", "__bool__"): return {"v": True}
    if n in ("__sub__", "__rsub__", "__abs__", "__round__", "__float__", "__mod__"): return {"v": 0.0}
    return _old["do_method"](self, m)
_W.do_method = do_method
_answers(lambda self, r, m: {"v": {"h": [self.keep(_o), "o", self.keep(_Obj)]}})`),
		pythonWorker("worker: objects that remember what they are compared with", `
_seen = [None]
def do_method(self, m):
    if m.get("a"): _seen[0] = m["a"][0]
    if m["name"].startswith("__"): return {"v": {"h": [self.keep(_o), "o", self.keep(_Obj)]}} if m["name"] in ("__sub__", "__abs__", "__rsub__") else {"v": True}
    return {"v": _seen[0]}
_W.do_method = do_method
_W.do_plain = lambda self, m: {"v": _seen[0]}
_answers(lambda self, r, m: {"v": {"h": [self.keep(_o), "o", self.keep(_Obj)]}})`),
		pythonWorker("worker: classes that are described as anything", `
def do_describe(self, m):
    return {"v": ["AssertionError", [[0, "int"]], list(_w.OPERATORS), False, list(range(50))]}
_W.do_describe = do_describe
_answers(lambda self, r, m: {"v": {"h": [self.keep(_o), "o", self.keep(_Obj)]}})`),
		pythonWorker("worker: classes that are errors", `
def do_describe(self, m):
    return {"v": ["Skip", [[0, "AssertionError"], [0, "StopIteration"]], [], True, []]}
_W.do_describe = do_describe
_answers(lambda self, r, m: {"x": {"m": "x", "q": "y", "mro": [], "a": [], "c": self.keep(_Obj)}})`),
		pythonWorker("worker: names that nobody asked for", `
def do_names(self, m):
    return {"v": [[n, {"h": [self.keep(_o), "o", self.keep(_Obj)]}] for n in m["names"] + ["abs", "len", "AssertionError", "@count"]]}
_W.do_names = do_names`),
		pythonWorker("worker: every name is there", `
def do_names(self, m):
    return {"v": [[n, {"h": [self.keep(_o), "o", self.keep(_Obj)]}] for n in m["names"]]}
_W.do_names = do_names
def do_attr(self, m): return {"v": {"h": [self.keep(_o), "o", self.keep(_Obj)]}}
_W.do_attr = do_attr`),
		pythonWorker("worker: attributes that are the last value", `
_last = [None]
def apply(self, f, m):
    r = _old["apply"](self, f, m); _last[0] = r.get("v"); return r
_W.apply = apply
def do_attr(self, m):
    r = _old["do_attr"](self, m)
    return {"v": _last[0]} if _last[0] is not None and r["v"] != {"bound": m["name"]} else r
_W.do_attr = do_attr`),
		pythonWorker("worker: frames that are no frames", "_answers(lambda self, r, m: _os.write(4, b'\\0\\0\\0\\5hello') and r)"),
		pythonWorker("worker: two answers", "_answers(lambda self, r, m: _w.write_frame(4, {\"n\": self.numbers[-1], \"v\": 0}) or r)"),
		pythonWorker("worker: a huge frame", "_answers(lambda self, r, m: _os.write(4, b'\\xff\\xff\\xff\\xff') and r)"),
		pythonWorker("worker: many calls back", `
def apply(self, f, m):
    for _ in range(100): _w.write_frame(4, {"n": self.numbers[-1], "back": ["call", 0, "", [], {}]})
    return {"v": 0}
_W.apply = apply`),
	)
}
