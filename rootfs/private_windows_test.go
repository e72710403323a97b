package rootfs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/windows"
)

// give sets the access list of a directory, in the words of SDDL. U stands for
// this user.
func give(t *testing.T, dir, list string) {
	t.Helper()
	user, err := windows.GetCurrentProcessToken().GetTokenUser()
	if err != nil {
		t.Fatal(err)
	}
	sd, err := windows.SecurityDescriptorFromString(strings.ReplaceAll(list, ";;;U)", ";;;"+user.User.Sid.String()+")"))
	if err != nil {
		t.Fatal(err)
	}
	dacl, _, err := sd.DACL()
	if err != nil {
		t.Fatal(err)
	}
	const what = windows.DACL_SECURITY_INFORMATION | windows.PROTECTED_DACL_SECURITY_INFORMATION
	if err := windows.SetNamedSecurityInfo(dir, windows.SE_FILE_OBJECT, what, nil, nil, dacl, nil); err != nil {
		t.Fatal(err)
	}
}

func TestPrivate(t *testing.T) {
	for _, tt := range []struct {
		name        string
		above, list string // access lists of a directory and of the one in it
		want        string
	}{
		{"own", "D:P(A;OICI;FA;;;U)", "D:P(A;OICI;FA;;;U)", ""},
		{"the system's and the administrators' too", "D:P(A;OICI;FA;;;U)(A;;FA;;;SY)", "D:P(A;;FA;;;U)(A;;FA;;;SY)(A;;FA;;;BA)", ""},
		{"read by everybody", "D:P(A;OICI;FA;;;U)", "D:P(A;;FA;;;U)(A;;FR;;;WD)", "it must be closed to others"},
		{"written by everybody", "D:P(A;OICI;FA;;;U)", "D:P(A;;FA;;;U)(A;;FW;;;WD)", "it must be closed to others"},
		{"read by others above", "D:P(A;OICI;FA;;;U)(A;;FR;;;WD)", "D:P(A;;FA;;;U)", ""},
		{"replaced by others above", "D:P(A;;FA;;;U)(A;;FA;;;WD)", "D:P(A;;FA;;;U)", "could replace what is in it"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			above := filepath.Join(t.TempDir(), "above")
			dir := filepath.Join(above, "dir")
			if err := os.MkdirAll(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			give(t, dir, tt.list)
			give(t, above, tt.above)
			got, err := Private(dir)
			if tt.want == "" && (err != nil || !filepath.IsAbs(got)) || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("got %q, %v, want %q", got, err, tt.want)
			}
		})
	}
}

func TestPrivateOfAFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(name, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := Private(name); err == nil {
		t.Errorf("a file is a private directory: %s", got)
	}
}

func TestDefaultDir(t *testing.T) {
	t.Setenv("GLOVEBOX_CACHE", "")
	t.Setenv("XDG_CACHE_HOME", "")
	dir, err := DefaultDir()
	if err != nil {
		t.Fatal(err)
	}
	if want := filepath.Join(os.Getenv("LocalAppData"), "glovebox"); !strings.EqualFold(dir, want) {
		t.Errorf("got %s, want %s", dir, want)
	}
}
