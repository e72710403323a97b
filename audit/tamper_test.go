package audit

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/tlog"

	"github.com/gloveboxhq/glovebox/internal/sample"
)

// folder is a log's files by name.
type folder map[string]string

func readFolder(t testing.TB, dir string) folder {
	t.Helper()
	f := folder{}
	for _, name := range []string{logFile, headsFile, checkpointFile, hashesFile} {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		f[name] = string(b)
	}
	return f
}

func (f folder) write(t testing.TB, dir string) {
	t.Helper()
	for name, text := range f {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func (f folder) lines() []string {
	return strings.SplitAfter(strings.TrimSuffix(f[logFile], "\n"), "\n")
}

// setLines sets the log, each line ended by a newline.
func (f folder) setLines(lines []string) {
	f[logFile] = ""
	for _, l := range lines {
		f[logFile] += strings.TrimSuffix(l, "\n") + "\n"
	}
}

func (f folder) heads(t testing.TB) (heads []Head) {
	t.Helper()
	r := newHeadReader(strings.NewReader(f[headsFile]))
	for {
		h, err := r.next()
		if err != nil {
			return heads
		}
		heads = append(heads, h)
	}
}

// groups are the sizes of the commits of the log that is tampered with.
var groups = []int{1, 1, 7, 1, 20, 3, 1, 1, 40, 2, 16, 1}

// makeLog writes such a log without waiting for the disk.
func makeLog(t testing.TB, dir string, key testSigner, groups []int) {
	t.Helper()
	l := open(t, dir, key)
	l.sync = func(*os.File) error { return nil }
	n := 0
	for _, size := range groups {
		var group []*request
		for range size {
			group = append(group, mustRequest(KindExecution, numbered{n}))
			n++
		}
		if err := l.locked(func() error { return l.append(group) }); err != nil {
			t.Fatal(err)
		}
	}
	l.Close()
}

// forge makes a folder of records as an attacker would: indexes, hashes and heads are
// computed again and signed by a key.
func forge(t testing.TB, records []Record, sizes []int64, key testSigner) folder {
	t.Helper()
	v, err := verifier(origin, key.Public())
	if err != nil {
		t.Fatal(err)
	}
	f := folder{}
	var tree frontier
	var stored []tlog.Hash
	var last tlog.Hash
	var head Head
	for i, r := range records {
		r.Index, r.Prev, r.Head = int64(i), hexHash(last), ""
		if head.Size == int64(i) && i > 0 {
			r.Head = head.hash()
		}
		line := r.appendLine(nil)
		f[logFile] += string(line) + "\n"
		last = tlog.RecordHash(line)
		stored = tree.add(last, stored)
		if slices.Contains(sizes, tree.n) || i == len(records)-1 {
			if head, err = signHead(context.Background(), v, key, &tree); err != nil {
				t.Fatal(err)
			}
			f[headsFile] += head.note + "\n"
		}
	}
	var hashes bytes.Buffer
	for _, h := range stored {
		hashes.Write(h[:])
	}
	f[hashesFile], f[checkpointFile] = hashes.String(), head.note
	return f
}

func recordsOf(t testing.TB, f folder) (records []Record, sizes []int64) {
	t.Helper()
	for _, line := range f.lines() {
		r, err := ParseRecord([]byte(strings.TrimSuffix(line, "\n")))
		if err != nil {
			t.Fatal(err)
		}
		records = append(records, r)
	}
	for _, h := range f.heads(t) {
		sizes = append(sizes, h.Size)
	}
	return records, sizes
}

// tampering changes a folder at a random place, and returns the first bad entry, or -1
// where no entry is.
type tampering struct {
	name string
	do   func(t *testing.T, r *rand.Rand, f folder, o *VerifyOptions) int
}

// insideData returns a line's offset at which its data begins.
func insideData(line string) int { return strings.Index(line, `,"data":{`) + len(`,"data":{`) }

// editLine is a tampering of one line.
func editLine(name string, edit func(line string) string) tampering {
	return tampering{name, func(t *testing.T, r *rand.Rand, f folder, _ *VerifyOptions) int {
		lines := f.lines()
		i := r.IntN(len(lines))
		lines[i] = edit(strings.TrimSuffix(lines[i], "\n"))
		f.setLines(lines)
		return i
	}}
}

func flip(r *rand.Rand, text string) (string, int) {
	b, at := []byte(text), r.IntN(len(text))
	b[at] ^= 1 << r.IntN(8)
	return string(b), at
}

var tamperings = []tampering{
	{"flip a bit", func(t *testing.T, r *rand.Rand, f folder, _ *VerifyOptions) int {
		text, at := flip(r, f[logFile])
		i := strings.Count(f[logFile][:at], "\n")
		f[logFile] = text
		return i
	}},
	{"flip a bit, no hashes file", func(t *testing.T, r *rand.Rand, f folder, _ *VerifyOptions) int {
		text, at := flip(r, f[logFile])
		i := strings.Count(f[logFile][:at], "\n")
		f[logFile], f[hashesFile] = text, ""
		return i
	}},
	{"delete the first", func(t *testing.T, r *rand.Rand, f folder, _ *VerifyOptions) int {
		f.setLines(f.lines()[1+r.IntN(3):])
		return 0
	}},
	{"delete in the middle", func(t *testing.T, r *rand.Rand, f folder, _ *VerifyOptions) int {
		lines := f.lines()
		i := 1 + r.IntN(len(lines)-2)
		f.setLines(slices.Delete(lines, i, i+1))
		return i
	}},
	{"delete the last", func(t *testing.T, r *rand.Rand, f folder, _ *VerifyOptions) int {
		lines := f.lines()
		n := len(lines) - 1 - r.IntN(30)
		f.setLines(lines[:n])
		return n
	}},
	{"delete the last page", func(t *testing.T, r *rand.Rand, f folder, _ *VerifyOptions) int {
		f[logFile] = f[logFile][:len(f[logFile])-4096-r.IntN(4096)]
		return strings.Count(f[logFile], "\n")
	}},
	{"cut inside a record", func(t *testing.T, r *rand.Rand, f folder, _ *VerifyOptions) int {
		f[logFile] = f[logFile][:r.IntN(len(f[logFile]))]
		return strings.Count(f[logFile], "\n")
	}},
	{"duplicate", func(t *testing.T, r *rand.Rand, f folder, _ *VerifyOptions) int {
		lines := f.lines()
		i := r.IntN(len(lines))
		f.setLines(slices.Insert(slices.Clone(lines), i, lines[i]))
		return i + 1
	}},
	{"swap", func(t *testing.T, r *rand.Rand, f folder, _ *VerifyOptions) int {
		lines := f.lines()
		i := r.IntN(len(lines) - 1)
		lines[i], lines[i+1] = strings.TrimSuffix(lines[i+1], "\n"), lines[i]
		f.setLines(lines)
		return i
	}},
	{"reorder", func(t *testing.T, r *rand.Rand, f folder, _ *VerifyOptions) int {
		lines := f.lines()
		i := r.IntN(len(lines) - 2)
		j := i + 1 + r.IntN(len(lines)-i-1)
		lines[i], lines[j] = lines[j], lines[i]
		f.setLines(lines)
		return i
	}},
	{"forged insert, tree recomputed, another key", func(t *testing.T, r *rand.Rand, f folder, _ *VerifyOptions) int {
		records, sizes := recordsOf(t, f)
		i := 1 + r.IntN(len(records)-1)
		forged := records[i]
		forged.ID, forged.Data = newID(), json.RawMessage(`{"n":-1}`)
		maps.Copy(f, forge(t, slices.Insert(records, i, forged), sizes, signerOf("mallory")))
		return -1
	}},
	{"forged change, chain recomputed, true heads", func(t *testing.T, r *rand.Rand, f folder, _ *VerifyOptions) int {
		records, _ := recordsOf(t, f)
		lines := f.lines()
		i := 1 + r.IntN(len(records)-1)
		records[i].Data = json.RawMessage(`{"n":-1}`)
		for j := i; j < len(records); j++ {
			records[j].Prev = hexHash(tlog.RecordHash([]byte(strings.TrimSuffix(lines[j-1], "\n"))))
			lines[j] = string(records[j].appendLine(nil))
		}
		f.setLines(lines)
		return i
	}},
	{"forged key, signed by that key", func(t *testing.T, r *rand.Rand, f folder, _ *VerifyOptions) int {
		records, sizes := recordsOf(t, f)
		key := signerOf("mallory").Public()
		data, _ := json.Marshal(KeyChange{ID: key.ID(), Key: key.Key})
		records[0].Data = data
		records[1+r.IntN(len(records)-1)].Data = json.RawMessage(`{"n":-1}`)
		maps.Copy(f, forge(t, records, sizes, signerOf("mallory")))
		return 0
	}},
	{"addition without a head", func(t *testing.T, r *rand.Rand, f folder, _ *VerifyOptions) int {
		records, _ := recordsOf(t, f)
		n := len(records)
		last := records[n-1]
		last.Index, last.ID, last.Head = int64(n), newID(), f.heads(t)[len(f.heads(t))-1].hash()
		line := strings.TrimSuffix(f.lines()[n-1], "\n")
		last.Prev = hexHash(tlog.RecordHash([]byte(line)))
		f[logFile] += string(last.appendLine(nil)) + "\n"
		return n
	}},
	{"old head in checkpoint", func(t *testing.T, r *rand.Rand, f folder, _ *VerifyOptions) int {
		heads := f.heads(t)
		f[checkpointFile] = heads[r.IntN(len(heads)-1)].note
		return -1
	}},
	{"old head in checkpoints", func(t *testing.T, r *rand.Rand, f folder, _ *VerifyOptions) int {
		heads := f.heads(t)
		f[headsFile] += heads[r.IntN(len(heads))].note + "\n"
		return -1
	}},
	{"whole folder rolled back, remembered", func(t *testing.T, r *rand.Rand, f folder, o *VerifyOptions) int {
		o.Remembered = []string{f[checkpointFile]}
		return rollBack(t, r, f)
	}},
	{"whole folder rolled back, witness file", func(t *testing.T, r *rand.Rand, f folder, o *VerifyOptions) int {
		o.WitnessFile = filepath.Join(t.TempDir(), "witness")
		if err := os.WriteFile(o.WitnessFile, []byte(f[headsFile]), 0o600); err != nil {
			t.Fatal(err)
		}
		return rollBack(t, r, f)
	}},
	{"two heads of one size", func(t *testing.T, r *rand.Rand, f folder, o *VerifyOptions) int {
		heads := f.heads(t)
		records, sizes := recordsOf(t, f)
		i := 1 + r.IntN(len(records)-1)
		records[i].Data = json.RawMessage(`{"n":-1}`)
		for _, h := range heads { // the first head that covers the entry
			if h.Size > int64(i) {
				o.Remembered = []string{h.note}
				break
			}
		}
		maps.Copy(f, forge(t, records, sizes, signerOf("a"))) // by a thief of the key
		return i
	}},
	{"two heads of one size in checkpoints", func(t *testing.T, r *rand.Rand, f folder, _ *VerifyOptions) int {
		v, err := verifier(origin, signerOf("a").Public())
		if err != nil {
			t.Fatal(err)
		}
		heads := f.heads(t)
		h := heads[r.IntN(len(heads))]
		other, err := signHead(context.Background(), v, signerOf("a"), &frontier{h.Size, []tlog.Hash{{1}}})
		if err != nil {
			t.Fatal(err)
		}
		f[headsFile] = strings.Replace(f[headsFile], h.note+"\n", h.note+"\n"+other.note+"\n", 1)
		return -1
	}},
	{"all signed by another key", func(t *testing.T, r *rand.Rand, f folder, _ *VerifyOptions) int {
		records, sizes := recordsOf(t, f)
		maps.Copy(f, forge(t, records, sizes, signerOf(fmt.Sprint(r.Int()))))
		return -1
	}},
	{"a lapsed key", func(t *testing.T, r *rand.Rand, f folder, o *VerifyOptions) int {
		records, _ := recordsOf(t, f)
		o.Keys = slices.Clone(o.Keys)
		o.Keys[0].Until = records[len(records)-1].Time.Add(-time.Second - time.Duration(r.IntN(1e9)))
		return len(records) - 1
	}},
	{"changed algorithm or key hash", func(t *testing.T, r *rand.Rand, f folder, _ *VerifyOptions) int {
		marker := "— " + origin + " "
		parts := strings.Split(f[headsFile], marker)
		i := 1 + r.IntN(len(parts)-1)
		b := []byte(parts[i])
		for at := r.IntN(5); ; {
			if c := "ABCDEFGH"[r.IntN(8)]; c != b[at] {
				b[at] = c
				break
			}
		}
		parts[i] = string(b)
		f[headsFile] = strings.Join(parts, marker)
		return -1
	}},
	editLine("white space", func(l string) string { i := insideData(l); return l[:i] + " " + l[i:] }),
	editLine("key order", func(l string) string {
		i, j := strings.Index(l, `"id":"`), strings.Index(l, `"time":"`)
		k := strings.Index(l[j:], ",") + j + 1
		return l[:i] + l[j:k] + l[i:j] + l[k:]
	}),
	editLine("escapes", func(l string) string { i := insideData(l); return l[:i+1] + fmt.Sprintf(`\u%04x`, l[i+1]) + l[i+2:] }),
	editLine("duplicate keys", func(l string) string { i := insideData(l); return l[:i] + `"n":0,` + l[i:] }),
	editLine("CRLF", func(l string) string { return l + "\r" }),
	editLine("byte order mark", func(l string) string { return "\ufeff" + l }),
	editLine("empty line", func(l string) string { return "\n" + l }),
	editLine("huge line", func(l string) string { i := insideData(l); return l[:i] + strings.Repeat(" ", maxLine) + l[i:] }),
	{"time goes back, signed", func(t *testing.T, r *rand.Rand, f folder, _ *VerifyOptions) int {
		records, sizes := recordsOf(t, f)
		i := 1 + r.IntN(len(records)-1)
		records[i].Time = records[i-1].Time.Add(-time.Duration(1 + r.IntN(1e12)))
		maps.Copy(f, forge(t, records, sizes, signerOf("a")))
		return i
	}},
	{"splice of two logs", func(t *testing.T, r *rand.Rand, f folder, _ *VerifyOptions) int {
		dir := t.TempDir()
		makeLog(t, dir, signerOf("a"), groups)
		lines := f.lines()
		i := 1 + r.IntN(len(lines)-1)
		f.setLines(append(slices.Clone(lines[:i]), readFolder(t, dir).lines()[i:]...))
		return i
	}},
	{"flip a bit in checkpoints", func(t *testing.T, r *rand.Rand, f folder, _ *VerifyOptions) int {
		f[headsFile], _ = flip(r, f[headsFile])
		return -1
	}},
	{"flip a bit in checkpoint", func(t *testing.T, r *rand.Rand, f folder, _ *VerifyOptions) int {
		f[checkpointFile], _ = flip(r, f[checkpointFile])
		return -1
	}},
	{"delete a head", func(t *testing.T, r *rand.Rand, f folder, _ *VerifyOptions) int {
		heads := f.heads(t)
		f[headsFile] = strings.Replace(f[headsFile], heads[r.IntN(len(heads))].note+"\n", "", 1)
		return -1
	}},
	{"flip a bit in the log and one in the hashes", func(t *testing.T, r *rand.Rand, f folder, _ *VerifyOptions) int {
		f[hashesFile], _ = flip(r, f[hashesFile])
		text, at := flip(r, f[logFile])
		i := strings.Count(f[logFile][:at], "\n")
		f[logFile] = text
		return i
	}},
}

// rollBack makes the folder what was true at an older head.
func rollBack(t *testing.T, r *rand.Rand, f folder) int {
	heads := f.heads(t)
	k := r.IntN(len(heads) - 1)
	h := heads[k]
	f.setLines(f.lines()[:h.Size])
	f[headsFile] = ""
	for _, h := range heads[:k+1] {
		f[headsFile] += h.note + "\n"
	}
	f[checkpointFile] = h.note
	f[hashesFile] = f[hashesFile][:tlog.StoredHashCount(h.Size)*tlog.HashSize]
	return int(h.Size)
}

func TestTampering(t *testing.T) {
	if len(tamperings) < 20 {
		t.Fatalf("%d classes", len(tamperings))
	}
	base, key := t.TempDir(), signerOf("a")
	makeLog(t, base, key, groups)
	clean := readFolder(t, base)
	mustVerify(t, base, trusted(key))
	for class, tamper := range tamperings {
		t.Run(tamper.name, func(t *testing.T) {
			dir, exact, places := t.TempDir(), 0, 0
			for place := range 500 {
				r := rand.New(rand.NewPCG(uint64(class), uint64(place)))
				if !sample.Has(t, fmt.Sprint(place), 100) {
					continue
				}
				f, o := maps.Clone(clean), trusted(key)
				first := tamper.do(t, r, f, &o)
				if maps.Equal(f, clean) && o.Keys[0].Until.IsZero() {
					t.Fatalf("place %d: nothing was changed", place)
				}
				f.write(t, dir)
				_, err := Verify(dir, o)
				var fault *Fault
				if !errors.As(err, &fault) {
					t.Fatalf("place %d: %v: want a fault", place, err)
				}
				if fault.Through < fault.Index || first >= 0 && (int64(first) < fault.Index || int64(first) > fault.Through) {
					t.Fatalf("place %d: %v (through %d): want entry %d", place, err, fault.Through, first)
				}
				if want := offsetOfLine(f[logFile], int(fault.Index)); fault.Offset != want {
					t.Fatalf("place %d: %v: line %d begins at %d", place, err, fault.Index, want)
				}
				if places++; int64(first) == fault.Index && fault.Through == fault.Index {
					exact++
				}
			}
			t.Logf("%d of %d places found, %d named exactly", places, places, exact)
		})
	}
}

func offsetOfLine(text string, n int) (offset int64) {
	for line := range strings.Lines(text) {
		if n--; n < 0 {
			break
		}
		offset += int64(len(line))
	}
	return offset
}

// TestHashesAreNotTrusted: a damaged hashes file is no fault, because it proves nothing.
func TestHashesAreNotTrusted(t *testing.T) {
	dir, key := t.TempDir(), signerOf("a")
	makeLog(t, dir, key, groups)
	change(t, dir, hashesFile, func(b []byte) []byte { return make([]byte, len(b)) })
	mustVerify(t, dir, trusted(key))
	records, _ := recordsOf(t, readFolder(t, dir))
	proof, err := Prove(dir, records[9].ID)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := CheckProof(proof, key.Public()); err != nil {
		t.Error(err)
	}
}
