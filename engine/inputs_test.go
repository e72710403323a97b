package engine_test

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/engine"
	"github.com/gloveboxhq/glovebox/language"
)

// TestInputs gives the engine replies that no model should send: the answer is
// right, or an error that says what is wrong, in bounded memory.
func TestInputs(t *testing.T) {
	e := open(t)
	need(t, e, language.Python)
	const huge = 100 << 20
	if testing.Short() {
		t.Skip("replies of 100 MB")
	}
	fence := func(code string) string { return "```python\n" + code + "\n```\n" }
	long := glovebox.Limits{Reply: 256 * glovebox.MiB, Wall: time.Minute, Disk: 512 * glovebox.MiB, FileSize: 512 * glovebox.MiB, Memory: glovebox.GiB}
	tests := []struct {
		name   string
		reply  func() string
		limits glovebox.Limits
		want   string // statuses
		stdout string
		text   string // must be in the message
	}{
		{"empty", func() string { return "" }, glovebox.Limits{}, "no_code", "", "no code"},
		{"blank", func() string { return " \n\t\r\n" }, glovebox.Limits{}, "no_code", "", ""},
		{"an empty fence", func() string { return "```python\n```\n" }, glovebox.Limits{}, "no_code", "", ""},
		{"only NULs", func() string { return strings.Repeat("\x00", 1<<20) }, glovebox.Limits{}, "no_code", "", ""},
		{"NULs around", func() string { return "\x00\x00" + "\n" + fence("print(1)") + "\x00" }, glovebox.Limits{}, "pass", "1\n", ""},
		{"NULs in the code", func() string { return fence("print(1)\x00\nprint(2)") }, glovebox.Limits{}, "syntax_error", "", ""},
		{"not UTF-8", func() string { return "\xff\xfe prose \xc3\x28\n" + fence("print('ok')") + "\x80\x81" }, glovebox.Limits{}, "pass", "ok\n", ""},
		{"code that is not UTF-8", func() string { return fence("print('\xff\xfe')") }, glovebox.Limits{}, "syntax_error pass", "", ""},
		{"too long", func() string { return strings.Repeat("x", huge) }, glovebox.Limits{}, "no_code", "", "104857600 bytes"},
		{"100 MB of words", func() string {
			return fence("print('found')") + strings.Repeat("words and words "+strings.Repeat("and more ", 20)+"\n", huge/197)
		}, long, "pass", "found\n", ""},
		{"100 MB of lines", func() string { return fence("print('found')") + strings.Repeat("short\n", huge/6) }, long, "no_code", "", "lines: at most"},
		{"100 MB in one line", func() string { return strings.Repeat("x", huge) + "\n" + fence("print('found')") }, long, "pass", "found\n", ""},
		{"100 MB of back quotes", func() string { return strings.Repeat("`", huge) }, long, "no_code", "", ""},
		{"4 MB of openings", func() string { return strings.Repeat("[(<{", 1<<20) }, long, "no_code syntax_error runtime_error", "", ""},
		{"100 MB of quotes", func() string { return strings.Repeat("> ", huge/2) }, long, "no_code", "", ""},
		{"100 MB of code", func() string {
			return fence("print('all')\n" + strings.Repeat("# "+strings.Repeat("comment ", 20)+"\n", huge/163))
		}, long, "pass memory_limit", "all\n", ""},
		{"4,000 fences", func() string { return strings.Repeat(fence("print('one')"), 4_000) }, long, "pass", "one\n", ""},
		{"10,000 fences", func() string { return strings.Repeat(fence("print('one')"), 10_000) }, long, "no_code", "", "at most 4000 are read"},
		{"10,000 open fences", func() string { return strings.Repeat("```python\nprint('one')\n", 10_000) }, long, "pass syntax_error no_code", "", ""},
		{"4,000 files", func() string {
			var b strings.Builder
			for i := range 4_000 {
				fmt.Fprintf(&b, "`file%d.py`\n%s", i, fence(fmt.Sprintf("x = %d", i)))
			}
			return b.String()
		}, glovebox.Limits{Files: 1000}, "disk_limit", "", "4000 files and folders, and the limit is 1000"},
		{"nested 10,000 deep", func() string { return strings.Repeat("> - ", 10_000) + fence("print(1)") }, long, "pass no_code syntax_error runtime_error", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			reply := tt.reply()
			most := watchHeap(t)
			o := do(t, e, glovebox.Job{Reply: glovebox.Reply(reply), Tier: glovebox.TierProcess, Limits: tt.limits})
			heap := most()
			if !strings.Contains(" "+tt.want+" ", " "+string(o.Status)+" ") || !strings.Contains(o.Message, tt.text) {
				t.Errorf("got %s: %.500s; want %s", o.Status, o.Message, tt.want)
			}
			if o.Status == glovebox.StatusPass && tt.stdout != "" && o.Stdout != tt.stdout {
				t.Errorf("stdout is %.100q, want %q", o.Stdout, tt.stdout)
			}
			if bound := uint64(8*len(reply) + 256<<20); heap > bound {
				t.Errorf("a reply of %d MB took %d MB", len(reply)>>20, heap>>20)
			}
		})
	}
}

// watchHeap returns what tells the most heap that was added since.
func watchHeap(t *testing.T) func() uint64 {
	t.Helper()
	runtime.GC()
	var before runtime.MemStats
	runtime.ReadMemStats(&before)
	most := make(chan uint64)
	stop := make(chan struct{})
	go func() {
		var top uint64
		for {
			select {
			case <-stop:
				most <- top
				return
			case <-time.After(20 * time.Millisecond):
				var now runtime.MemStats
				runtime.ReadMemStats(&now)
				top = max(top, now.HeapInuse-min(now.HeapInuse, before.HeapInuse))
			}
		}
	}()
	return func() uint64 { close(stop); return <-most }
}

// TestNames gives files hostile names, in each place where a name comes in: they
// never leave the workspace.
func TestNames(t *testing.T) {
	e := open(t)
	need(t, e, language.Python)
	names := []string{"../../etc/passwd", "/etc/passwd", "..", ".", "", "a/../../b", "a\x00b", "a\nb", strings.Repeat("x", 300), strings.Repeat("a/", 100) + "b", "..\\x", "\xff"}
	for _, name := range names {
		t.Run(fmt.Sprintf("%.20q", name), func(t *testing.T) {
			file := []glovebox.File{{Path: name, Data: []byte("x = 1")}}
			for field, job := range map[string]glovebox.Job{
				"inputs":        {Inputs: file, Program: python("")},
				"tests":         {Tests: file, Program: python("")},
				"program.files": {Program: &glovebox.Program{Language: "python", Main: name, Files: file}},
			} {
				_, err := e.Run(t.Context(), job)
				var wrong *engine.Error
				if !errors.As(err, &wrong) || wrong.Field != field {
					t.Errorf("%s: got %v", field, err)
				}
			}
			// In a reply it is only a name: there is a run, and the file is not there.
			for _, reply := range []string{
				"```python " + name + "\nprint('ran')\n```\n", "```python title=\"" + name + "\"\nprint('ran')\n```\n",
				"`" + name + "`:\n\n```python\nprint('ran')\n```\n", "```python\n# file: " + name + "\nprint('ran')\n```\n",
			} {
				o := do(t, e, glovebox.Job{Reply: glovebox.Reply(reply), Tier: glovebox.TierProcess})
				if o.Status == glovebox.StatusSandboxError {
					t.Errorf("%.60q: %s", reply, o.Message)
				}
				if o.Status == glovebox.StatusPass && o.Stdout != "ran\n" {
					t.Errorf("%.60q printed %q", reply, o.Stdout)
				}
			}
		})
	}
}
