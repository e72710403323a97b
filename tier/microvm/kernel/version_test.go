package kernel

import (
	"os/exec"
	"testing"
)

func TestCompareVersions(t *testing.T) {
	dpkg, _ := exec.LookPath("dpkg")
	for _, tt := range []struct {
		a, b string
		want int
	}{
		{"1", "1", 0}, {"1", "2", -1}, {"1.2", "1.10", -1}, {"1.0", "1", 1}, {"1.0-1", "1.0-2", -1},
		{"6.12.117-1", "6.12.94-1", 1}, {"6.12.117-1", "6.12.117-1~deb12u1", 1}, {"6.1.192-2", "6.12.1-1", -1},
		{"1:0.1", "9.9", 1}, {"0:1", "1", 0}, {"1~", "1", -1}, {"1~~", "1~", -1}, {"1a", "1+", -1}, {"1+", "1.", -1},
		{"1.a", "1.1", 1}, {"a", "", 1}, {"~", "", -1}, {"007", "7", 0}, {"1.0.0", "1.0", 1}, {"1-0", "1", 0},
		{"99999999999999999999999", "100000000000000000000000", -1}, {"2-a-1", "2-a-1.1", -1}, {"1Z", "1a", -1},
	} {
		for _, swap := range []bool{false, true} {
			a, b, want := tt.a, tt.b, tt.want
			if swap {
				a, b, want = b, a, -want
			}
			if got := sign(compareVersions(a, b)); got != want {
				t.Errorf("%q and %q: %d, want %d", a, b, got, want)
			}
			if dpkg == "" || !isDigit((a + "x")[0]) || !isDigit((b + "x")[0]) {
				continue // dpkg wants a digit first
			}
			op := map[int]string{-1: "lt", 0: "eq", 1: "gt"}[want]
			if err := exec.Command(dpkg, "--compare-versions", a, op, b).Run(); err != nil {
				t.Errorf("dpkg does not say that %q %s %q", a, op, b)
			}
		}
	}
}

func sign(n int) int {
	switch {
	case n < 0:
		return -1
	case n > 0:
		return 1
	}
	return 0
}

func FuzzCompareVersions(f *testing.F) {
	f.Add("1:6.12.117-1~deb12u1", "6.12.94-1")
	f.Add("", "~")
	f.Fuzz(func(t *testing.T, a, b string) {
		if sign(compareVersions(a, b)) != -sign(compareVersions(b, a)) || compareVersions(a, a) != 0 {
			t.Errorf("%q, %q", a, b)
		}
	})
}
