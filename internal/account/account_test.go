package account

import (
	"os"
	"os/user"
	"strconv"
	"testing"
)

func TestName(t *testing.T) {
	for _, name := range []string{"USER", "USERNAME", "LOGNAME", "HOME"} {
		t.Setenv(name, "somebody-else")
	}
	got := Name()
	if got == "" || got == "somebody-else" {
		t.Fatalf("the name is %q", got)
	}
	if u, err := user.Lookup(got); err == nil && os.Getuid() >= 0 && u.Uid != strconv.Itoa(os.Getuid()) {
		t.Errorf("%s has the ID %s, and this process %d", got, u.Uid, os.Getuid())
	}
}
