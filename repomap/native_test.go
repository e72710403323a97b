package repomap

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// oracle lists the definitions of files as their language's own parser finds
// them: {"file": ["name", …]}. It reads trusted files of the host.
type oracle struct {
	lang string
	// globs of the files; the first that has some is taken.
	globs []string
	// command and script; the files are its arguments.
	command []string
	// least is the share of names that must be found.
	least float64
}

var oracles = []oracle{
	{"python", []string{"/usr/lib/python3*/[a-h]*.py", "/usr/local/lib/python3*/[a-h]*.py"}, []string{"python3", "-I", "-c", `
import ast, json, sys
out = {}
def walk(node, names):
    for c in ast.iter_child_nodes(node):
        if isinstance(c, (ast.FunctionDef, ast.AsyncFunctionDef)):
            names.append(c.name)
        else:
            if isinstance(c, ast.ClassDef):
                names.append(c.name)
            walk(c, names)
for f in sys.argv[1:]:
    out[f] = []
    walk(ast.parse(open(f, "rb").read()), out[f])
print(json.dumps(out))`}, 0.99},
	{"ruby", []string{"/usr/lib/ruby/[0-9]*/*.rb", "/usr/local/lib/ruby/[0-9]*/*.rb"}, []string{"ruby", "-rripper", "-rjson", "-e", `
out = {}
walk = lambda do |n, names|
  next unless n.is_a?(Array)
  case n[0]
  when :def then names << n[1][1]; next
  when :defs then names << n[3][1]; next
  when :class, :module then names << n[1].last[1] if n[1].last.is_a?(Array)
  end
  n.each { |c| walk.(c, names) }
end
ARGV.each { |f| walk.(Ripper.sexp(File.read(f)), out[f] = []) }
puts JSON.dump(out)`}, 0.98},
	{"javascript", []string{"/usr/lib/node_modules/npm/lib/*/*.js", "/usr/local/lib/node_modules/npm/lib/*/*.js", "/usr/share/nodejs/npm/lib/*/*.js"}, []string{"node", "--expose-internals", "-e", `
const {Parser} = require('internal/deps/acorn/acorn/dist/acorn'), fs = require('fs'), out = {}
for (const f of process.argv.slice(1)) {
  const names = out[f] = []
  const walk = n => {
    if (!n || typeof n.type !== 'string') return
    if (n.type === 'FunctionDeclaration') { names.push(n.id.name); return }
    if (n.type === 'ClassDeclaration') names.push(n.id.name)
    if (n.type === 'MethodDefinition' && !n.computed) { names.push(n.key.name); return }
    for (const v of Object.values(n)) Array.isArray(v) ? v.forEach(walk) : walk(v)
  }
  walk(Parser.parse(fs.readFileSync(f, 'utf8'), {ecmaVersion: 'latest', sourceType: 'script', allowHashBang: true}))
}
console.log(JSON.stringify(out))`}, 0.98},
	// Perl cannot be parsed but by running it: what stands at the begin of a
	// line outside of its documentation is nearly all.
	{"perl", []string{"/usr/share/perl/5*/*.pm"}, []string{"perl", "-MJSON::PP", "-e", `
my %out;
for my $f (@ARGV) {
  open my $h, "<", $f or die; local $/; my $s = <$h>;
  $s =~ s/^__(END|DATA)__.*//ms; $s =~ s/^=[a-z].*?^=cut$//gms;
  $s =~ s/<<\s*["']?(\w+)["']?;.*?^\1$//gms;
  $out{$f} = [$s =~ /^(?:sub|package)\s+([\w:]+)\s*[{(;\n]/gm];
}
print encode_json(\%out)`}, 0.9},
}

// TestOracle compares what is found with the languages' own parsers on real
// source.
func TestOracle(t *testing.T) {
	for _, o := range oracles {
		t.Run(o.lang, func(t *testing.T) {
			exe, err := exec.LookPath(o.command[0])
			if err != nil {
				t.Skip(err)
			}
			var files []string
			for _, g := range o.globs {
				if files, _ = filepath.Glob(g); len(files) > 0 {
					break
				}
			}
			if len(files) == 0 {
				t.Skip("no source of its own library is here")
			}
			files = files[:min(len(files), 25)]
			out, err := exec.Command(exe, append(o.command[1:], files...)...).Output()
			if err != nil {
				t.Skipf("the oracle does not work here: %v", err)
			}
			want := map[string][]string{}
			if err := json.Unmarshal(out, &want); err != nil {
				t.Fatal(err)
			}
			compareNames(t, o.lang, files, want, o.least)
		})
	}
}

// TestOracleGo: Go's outline is by its own parser, so the lines are the oracle.
func TestOracleGo(t *testing.T) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Skipf("there is no go here: %v", err)
	}
	files, _ := filepath.Glob(filepath.Join(strings.TrimSpace(string(root)), "src/net/http/*.go"))
	if len(files) == 0 {
		t.Skip("GOROOT has no source here")
	}
	re := regexp.MustCompile(`(?m)^func (?:\([^()]*\) )?(\w+)|^type (\w+) `)
	want := map[string][]string{}
	for _, f := range files {
		src, _ := os.ReadFile(f)
		for _, m := range re.FindAllSubmatch(src, -1) {
			want[f] = append(want[f], string(m[1])+string(m[2]))
		}
	}
	compareNames(t, "go", files, want, 0.99)
}

func compareNames(t *testing.T, lang string, files []string, want map[string][]string, least float64) {
	t.Helper()
	total, found, extra, fell := 0, 0, 0, 0
	for _, f := range files {
		src, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		l := langOf(f, src)
		symbols, reason := outline(l, src, new(uint32))
		if reason != "" {
			fell++
			symbols = byLine(l, src)
		}
		has := map[string]int{}
		for _, s := range symbols {
			has[s.Name]++
			extra++
		}
		var missed []string
		for _, n := range want[f][:min(len(want[f]), maxSymbols)] {
			total++
			if has[n] > 0 {
				has[n]--
				found++
				extra--
			} else {
				missed = append(missed, n)
			}
		}
		if len(missed) > 0 && testing.Verbose() {
			t.Logf("%s (%s): missed %s", f, reason, strings.Join(missed[:min(len(missed), 8)], " "))
		}
	}
	t.Logf("%s: %d of %d definitions in %d files, %d others, %d files line by line", lang, found, total, len(files), extra, fell)
	if float64(found) < least*float64(total) {
		t.Errorf("found %d of %d", found, total)
	}
}
