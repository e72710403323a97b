package lazyre

import "testing"

func TestNew(t *testing.T) {
	if digits := New(`^\d+$`); !digits().MatchString("12") || digits().MatchString("a") || digits() != digits() {
		t.Error("it is not the expression, or compiled twice")
	}
}

func TestABadExpressionPanics(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("nothing panicked")
		}
	}()
	New(`(`)
}
