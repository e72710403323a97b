package language

import (
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox"
)

const pythonTables = `import numpy as np, pandas as pd
def arange(n): return np.arange(n, dtype=float) / 2
def same(x): return x
def kind(x): return type(x).__name__
def double(a): return a * 2
def scale(a): a *= 2
def mean(a): return a.mean()
def frame():
    return pd.DataFrame({"name": ["a", "b"], "n": [1, 2], "x": [0.5, None], "ok": [True, False]}, index=["r", "s"])
def addcol(df):
    df["z"] = df["n"] + 1
    return df
def drop(df): df.drop(columns=["n"], inplace=True)
def solve(a, b): return np.linalg.solve(a, b)
def make(n, dtype=np.float32): return np.zeros(n, dtype)
def apply(f, x): return f(x)
def structured(): return np.zeros(2, dtype=[("a", int), ("b", float)])
class Model:
    def fit(self, X, y):
        self.coef_ = np.linalg.lstsq(X, y, rcond=None)[0]
        return self
    def predict(self, X): return X @ self.coef_
`

// pythonTableLies make each answer of such a program wrong.
var pythonTableLies = []struct{ name, lie string }{
	{"an empty array", "def lie(*a, **k): return np.array([])\n"},
	{"no numbers", "def lie(*a, **k): return np.full(3, np.nan)\n"},
	{"an empty table", "def lie(*a, **k): return pd.DataFrame()\n"},
	{"a changed argument", "def lie(*a, **k):\n    for x in a:\n        if isinstance(x, np.ndarray) and x.flags.writeable: x[...] = 0\n    return a[0] if a and isinstance(a[0], np.ndarray) else 7\n"},
	{"objects in an array", `
class Yes:
    def __eq__(self, o): return True
    def __ne__(self, o): return False
    __lt__ = __le__ = __gt__ = __ge__ = __eq__
    def __sub__(self, o): return 0.0
    __rsub__ = __abs__ = __sub__
    def __abs__(self): return 0.0
    def __hash__(self): return 1
def lie(*a, **k):
    out = np.empty(3, object)
    out[:] = [Yes(), Yes(), Yes()]
    return out
`},
	{"a subclass of array", `
class Yes(np.ndarray):
    def __eq__(self, o): return np.ones(3, bool)
    def __ne__(self, o): return np.zeros(3, bool)
    def __sub__(self, o): return np.zeros(3)
    def __array__(self, *a, **k): return np.zeros(3)
    def __array_ufunc__(self, *a, **k): return np.ones(3, bool)
    def __array_function__(self, *a, **k): return True
    def tolist(self): return [0]
def lie(*a, **k): return np.zeros(3).view(Yes)
`},
}

// TestPythonTables: arrays and tables cross as plain data, and are judged by the
// tests' own library.
func TestPythonTables(t *testing.T) {
	has := rigPlan(t, Python, pythonProgram("import importlib.util\nprint([n for n in ('numpy', 'pandas') if importlib.util.find_spec(n) is None])\n"), "")
	if strings.TrimSpace(has.stdout) != "[]" {
		t.Skipf("not installed: %s: apt-get install python3-numpy python3-pandas", strings.TrimSpace(has.stdout))
	}
	for i, c := range []struct{ name, tests string }{
		{"arrays", `
import pytest
def test_eq():
    assert np.array_equal(arange(3), [0, 0.5, 1])
    np.testing.assert_allclose(double(np.array([1., 2.])), [2, 4])
    assert (double(np.array([[1, 2], [3, 4]])) == np.array([[2, 4], [6, 8]])).all()
    assert double(np.arange(3)).dtype == np.arange(3).dtype and double(np.arange(6).reshape(2, 3)).shape == (2, 3)
    assert mean(np.array([1, 2])) == 1.5 and isinstance(mean(np.array([1, 2])), np.floating) and mean(np.array([1, 2])) == pytest.approx(1.5)
    assert arange(3).tolist() == [0, 0.5, 1] and list(arange(2)) == [0, 0.5]
    assert np.abs(arange(3) - np.array([0, .5, 1])).max() < 1e-9
    assert [x for x in arange(2)] == [0, .5]
`},
		{"in place", `
def test_in():
    a = np.array([1, 2]); scale(a)
    assert a.tolist() == [2, 4]
    df = pd.DataFrame({"n": [1, 2], "m": [3, 4]}); drop(df)
    assert list(df.columns) == ["m"]
    df = pd.DataFrame({"n": [1, 2]}); out = addcol(df)
    assert out["z"].tolist() == [2, 3] and out is df
`},
		{"kinds", `
def test_kinds():
    for v in [np.int64(3), np.float32(1.5), np.bool_(True), np.array(5), np.array(["ab", "c"]), np.array([b"x"]), np.array([True, False]), np.array([1+2j]),
              np.array(["2020-01-01", "NaT"], "M8[D]"), np.array([1, 2], "m8[s]"), np.array([[1, None], ["a", (2,)]], object), np.zeros((2, 0, 3)), np.array([1, 2], ">i4"), np.array([], float),
              np.float64("nan"), np.datetime64("2021-02-03"), np.arange(24).reshape(2, 3, 4)[:, ::-1, 1:]]:
        r = same(v)
        assert kind(v) == type(v).__name__, v
        assert isinstance(r, type(v)) and r.dtype == v.dtype and r.shape == v.shape, v
        np.testing.assert_array_equal(r, v)
    assert same(np.float32) is np.float32 and same(np.dtype("i4")) == np.dtype("int32")
    assert make(3, np.int8).dtype == np.int8 and make(2, dtype="f8").dtype == float
`},
		{"tables", `
def test_frame():
    want = pd.DataFrame({"name": ["a", "b"], "n": [1, 2], "x": [0.5, None], "ok": [True, False]}, index=["r", "s"])
    pd.testing.assert_frame_equal(frame(), want)
    assert frame().equals(want) and frame()["n"].sum() == 3 and frame().shape == (2, 4) and list(frame().columns) == ["name", "n", "x", "ok"]
    pd.testing.assert_series_equal(frame()["n"], want["n"])
    assert (frame()["n"] == [1, 2]).all() and frame().loc["s", "name"] == "b"
def test_many():
    idx = pd.MultiIndex.from_tuples([("a", 1), ("b", 2)], names=["k", "i"])
    for v in [pd.Series([1, 2], name="q"), pd.Series([1.5, None], index=idx), pd.Series(["a", None], dtype="string"), pd.Series([1, None], dtype="Int64"),
              pd.Series(pd.Categorical(["a", "b"], categories=["b", "a"], ordered=True)), pd.Series(pd.date_range("2020-01-01", periods=2, tz="Europe/Paris")),
              pd.Series([1, 2], index=pd.date_range("2020", periods=2)), pd.Series([[1], {"a": 2}], dtype=object), pd.Series([], dtype=float), pd.Series([True, None], dtype="boolean"),
              pd.Series(pd.to_timedelta([1, 2], "h"))]:
        pd.testing.assert_series_equal(same(v), v)
    for v in [pd.DataFrame(), pd.DataFrame({"a": [1]}, index=idx[:1]), pd.DataFrame(np.eye(2), columns=["a", "a"]), pd.DataFrame(columns=["a", "b"]), pd.DataFrame([[1, 2]], columns=idx), pd.DataFrame({1: [1], "a": ["x"]}, index=[5])]:
        pd.testing.assert_frame_equal(same(v), v)
    for v in [pd.Index([1, 2]), pd.RangeIndex(3), pd.Index(["a"], name="n"), idx, pd.DatetimeIndex(["2020-01-01"], tz="UTC"), pd.CategoricalIndex(["a"]), pd.date_range("2020", periods=3, freq="h")]:
        pd.testing.assert_index_equal(same(v), v)
    for v in [pd.Timestamp("2020-01-01 03:00"), pd.Timestamp("2020-01-01", tz="Asia/Tokyo"), pd.Timedelta(3, "h")]:
        assert same(v) == v and type(same(v)) is type(v)
    assert same(pd.NaT) is pd.NaT and same(pd.NA) is pd.NA
    d = same({"a": [pd.Series([1]), np.arange(2)]})
    assert d["a"][0].tolist() == [1] and d["a"][1][1] == 1
`},
		{"errors", `
import pytest
def test_err():
    with pytest.raises(np.linalg.LinAlgError):
        solve(np.zeros((2, 2)), np.ones(2))
    assert solve(np.eye(2), np.ones(2)).tolist() == [1, 1]
    assert apply(np.sum, np.arange(4)) == 6 and apply(lambda a: a + 1, np.arange(2)).tolist() == [1, 2]
`},
		{"objects", `
def test_model():
    X = np.array([[1., 0], [0, 1], [1, 1]])
    m = Model().fit(X, X @ np.array([2., 3]))
    np.testing.assert_allclose(m.coef_, [2, 3])
    assert np.allclose(m.predict(X), [2, 3, 5])
`},
		{"unittest", `
import unittest
class T(unittest.TestCase):
    def test(self):
        np.testing.assert_array_almost_equal(arange(3), np.array([0, .5, 1]))
        self.assertTrue(np.allclose(double(np.ones(2)), 2))
        self.assertTrue((arange(3) >= 0).all() and arange(3)[1] == .5)
`},
		{"handles", `
def test():
    assert structured()["a"].tolist() == [0, 0]
    assert arange(2).tolist() == [0, .5]
`},
		{"scalar close", `
def test(): assert np.allclose(arange(1), 0.0)
`},
		{"all", `
def test(): assert (arange(1) == 0).all()
def test_b(): assert not (arange(1) != 0).any()
def test_c(): assert np.all(np.abs(arange(1) - 0) < 1e-9)
def test_d(): np.testing.assert_allclose(arange(1), 0)
`},
		{"numbers and approx", `
import pytest
def test():
    assert arange(3) == pytest.approx(np.array([0, .5, 1])) and arange(3) == pytest.approx([0, .5, 1])
    assert arange(3)[1] == pytest.approx(.5) and arange(2) != pytest.approx([0., .6])
    assert same(np.int64(3)) == 3 and 3 == same(np.int64(3)) and [same(np.int64(3))] == [3]
    assert (arange(2) == [0, .5]).all() and arange(2).shape == (2,)
`},
		{"not imported", `assert np.array_equal(double(np.array([1])), [2])
assert (arange(2) == np.array([0, .5])).all()
`},
		{"what an argument was", `
def test():
    a = np.array([1., 2])
    got = double(a)
    np.testing.assert_allclose(got, a * 2)
    df = pd.DataFrame({"n": [1, 2]})
    out = addcol(df)
    assert len(out) == len(df)
`},
	} {
		t.Run(c.name, func(t *testing.T) {
			tests := pythonTests("import numpy as np\nimport pandas as pd\nfrom solution import *\n" + c.tests)
			if c.name == "not imported" {
				tests = pythonTests(c.tests)
			}
			if v := rigExam(t, Python, pythonProgram(pythonTables), tests); !v.pass || v.proof != glovebox.ProofOutOfProcess {
				t.Fatalf("the right program: %s, %s\n%s", v.proof, v.why, v.harness.stderr)
			}
			for j, l := range pythonTableLies {
				if !forgeAll() && j != i%len(pythonTableLies) {
					continue
				}
				lie := l.lie + "arange = same = double = mean = frame = addcol = solve = make = apply = kind = structured = lie\nModel.fit = lambda s, *a: s\nModel.predict = Model.coef_ = lie\n"
				if v := rigExam(t, Python, pythonProgram(pythonTables+lie), tests); v.pass && c.name != "in place" || v.proof != glovebox.ProofOutOfProcess {
					t.Errorf("%s: pass %v with %s", l.name, v.pass, v.proof)
				}
			}
		})
	}
	v := rigExam(t, Python, pythonProgram("import numpy as np\ndef r(): return np.random.rand()\n"),
		pythonTests("import numpy as np\nfrom solution import r\ndef test():\n    np.random.seed(1)\n    a = r()\n    np.random.seed(1)\n    assert a == np.random.rand()\n"))
	if !v.pass || v.proof != glovebox.ProofInProcess {
		t.Errorf("a seed that both share: %s, %s", v.proof, v.why)
	}
}
