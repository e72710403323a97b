package language

import (
	"context"
	"embed"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"

	"github.com/gloveboxhq/glovebox/rootfs"
)

//go:embed python/*.py
var pythonDrivers embed.FS

// pythonHome is the directory of the drivers in a box, as a package.
const pythonHome = "/opt/glovebox/python"

// pythonFacts are the results of probing a Python; they can be remembered.
type pythonFacts struct {
	Version string
	// Tag names the compiled form of this interpreter's modules.
	Tag string
	// Base is the installation directory, Lib the standard library, Native the
	// extension modules, both below Base.
	Base, Lib, Native string
	// Sites are the package directories, Own the package directory for a box.
	Sites []string
	Own   string
	Libs  []string
	// Compiled are our drivers in compiled form, by file name.
	Compiled map[string][]byte
}

// askPython prints the facts, given the drivers' sources as arguments.
const askPython = `
import sys, json
def facts(args):
    if sys.version_info < (3, 10):
        raise Exception("Python %d.%d is too old" % sys.version_info[:2])
    import marshal, base64, importlib.util, sysconfig, site
    compiled = {}
    for name, path, source in zip(args[::3], args[1::3], args[2::3]):
        code = compile(source, path, "exec", dont_inherit=True)
        pyc = importlib.util.MAGIC_NUMBER + b"\1\0\0\0" + b"glovebox" + marshal.dumps(code)
        compiled[name] = base64.b64encode(pyc).decode()
    paths = sysconfig.get_paths()
    return {
        "Version": "%d.%d.%d" % sys.version_info[:3], "Tag": sys.implementation.cache_tag,
        "Base": sys.base_prefix, "Lib": paths["stdlib"], "Native": paths["platstdlib"],
        "Own": paths["platlib"], "Sites": site.getsitepackages(), "Compiled": compiled}
try:
    print(json.dumps(facts(sys.argv[1:])))
except Exception as e:
    print(json.dumps({"Error": str(e)}))
`

func findPython(ctx context.Context, h Host) (*Toolchain, error) {
	exe, err := h.LookPath("python3", "python")
	if err != nil {
		return nil, fmt.Errorf("Python was not found (%w): %s", err, installPython)
	}
	venv := pythonVenv()
	lib := filepath.Join(filepath.Dir(filepath.Dir(exe)), "lib")
	watched := []string{exe, lib, venv}
	for _, pattern := range []string{lib + "/python3*/site-packages", lib + "/python3*/dist-packages", lib + "/python3/dist-packages", venv + "/lib/python3*/site-packages"} {
		found, _ := filepath.Glob(pattern)
		watched = append(watched, found...)
	}
	facts, err := Remember(h, "python", watched, func() (pythonFacts, error) { return learnPython(ctx, h, exe, venv) })
	if err != nil {
		return nil, fmt.Errorf("%s: %w", exe, err)
	}
	return facts.toolchain(exe)
}

// pythonVenv returns the virtual environment of the operator's python3, or "".
func pythonVenv() string {
	for _, name := range []string{"python3", "python"} {
		if found, err := exec.LookPath(name); err == nil {
			venv := filepath.Dir(filepath.Dir(found))
			if _, err := os.Stat(filepath.Join(venv, "pyvenv.cfg")); err == nil {
				return venv
			}
			return ""
		}
	}
	return ""
}

// askedPython asks a Python for its facts.
func askedPython(ctx context.Context, h Host, exe string) (pythonFacts, error) {
	var facts pythonFacts
	args := []string{exe, "-I", "-c", askPython}
	drivers, err := pythonDrivers.ReadDir("python")
	if err != nil {
		return facts, err
	}
	for _, d := range drivers {
		source, err := pythonDrivers.ReadFile("python/" + d.Name())
		if err != nil {
			return facts, err
		}
		args = append(args, d.Name(), pythonHome+"/_glovebox/"+d.Name(), string(source))
	}
	out, err := h.Ask(ctx, args...)
	if err != nil {
		return facts, err
	}
	var encoded struct {
		pythonFacts
		Compiled map[string]string
		Error    string
	}
	if err := json.Unmarshal([]byte(out), &encoded); err != nil {
		return facts, fmt.Errorf("its answer: %w", err)
	}
	if encoded.Error != "" {
		return facts, fmt.Errorf("%s: %s", encoded.Error, installPython)
	}
	facts = encoded.pythonFacts
	facts.Compiled = map[string][]byte{}
	for name, text := range encoded.Compiled {
		if facts.Compiled[name], err = base64.StdEncoding.DecodeString(text); err != nil {
			return facts, err
		}
	}
	return facts, nil
}

func learnPython(ctx context.Context, h Host, exe, venv string) (pythonFacts, error) {
	facts, err := askedPython(ctx, h, exe)
	if err != nil {
		return facts, err
	}
	if venv != "" {
		found, err := filepath.Glob(venv + "/lib/python3*/site-packages")
		if err != nil {
			return facts, err
		}
		facts.Sites = found
	}
	elfs := []string{exe}
	for _, dir := range append([]string{facts.Native}, facts.Sites...) {
		found, err := h.ELFs(dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return facts, err
		}
		for _, f := range found {
			if rel, err := filepath.Rel(dir, f); err == nil && !(dir == facts.Native && skipPython(filepath.ToSlash(rel), nil)) {
				elfs = append(elfs, f)
			}
		}
	}
	// A missing library disables only its own optional module.
	libs, err := h.Libraries(elfs...)
	if len(libs) == 0 && err != nil {
		return facts, err
	}
	for _, l := range libs {
		if !facts.within(l) {
			facts.Libs = append(facts.Libs, l)
		}
	}
	return facts, nil
}

// within reports whether a library lies in a directory copied as a whole.
func (f *pythonFacts) within(lib string) bool {
	for _, dir := range append([]string{f.Native}, f.Sites...) {
		if strings.HasPrefix(lib, dir+"/") {
			return true
		}
	}
	return false
}

// toolchain places the interpreter below /usr/local. An interpreter of the system
// goes below /usr, next to its packages.
func (f *pythonFacts) toolchain(exe string) (*Toolchain, error) {
	prefix := "/usr/local"
	if f.Base == "/usr" {
		prefix = "/usr"
	}
	minor := "python" + f.Version[:strings.LastIndex(f.Version, ".")]
	root := rootfs.Base()
	root.Add(rootfs.Libraries(f.Libs)...)
	bin := prefix + "/bin/"
	root.Add(rootfs.Entry{Path: bin + minor, Source: exe, Linked: true})
	for _, name := range []string{"python3", "python"} {
		root.Add(rootfs.Entry{Path: bin + name, Link: minor})
	}
	lib, err := f.moved(prefix, f.Lib)
	if err != nil {
		return nil, err
	}
	for _, dir := range []string{f.Lib, f.Native} {
		to, err := f.moved(prefix, dir)
		if err != nil {
			return nil, err
		}
		if dir == f.Lib || f.Native != f.Lib {
			root.Add(rootfs.Entry{Path: to, Source: dir, Skip: skipPython, SkipKey: "python 1"})
		}
	}
	for _, dir := range f.Sites {
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			continue
		}
		to, err := f.moved(prefix, dir)
		if err != nil {
			// A virtual environment's packages become the box's own.
			to, err = f.moved(prefix, f.Own)
		}
		if err != nil {
			to = path.Join(lib, "site-packages")
		}
		root.Add(rootfs.Entry{Path: to, Source: dir, Skip: skipPythonSite, SkipKey: "python site 2"})
	}
	if err := f.drivers(&root, lib); err != nil {
		return nil, err
	}
	return &Toolchain{
		Language: "python",
		Version:  f.Version,
		Exe:      bin + "python3",
		Path:     "/usr/local/bin:/usr/bin:/bin",
		Root:     root,
	}, nil
}

// moved returns the path in a box for a directory of the installation. Debian keeps
// packages in /usr/local, an equally neutral place.
func (f *pythonFacts) moved(prefix, dir string) (string, error) {
	if rel, err := filepath.Rel(f.Base, dir); err == nil && filepath.IsLocal(rel) {
		return path.Join(prefix, rel), nil
	}
	if strings.HasPrefix(dir, "/usr/") && prefix == "/usr" {
		return dir, nil
	}
	return "", fmt.Errorf("%s is not below %s", dir, f.Base)
}

// drivers adds our own files, each with its compiled form. The check becomes the
// module that the interpreter loads at its start.
func (f *pythonFacts) drivers(root *rootfs.Plan, lib string) error {
	files, err := pythonDrivers.ReadDir("python")
	if err != nil {
		return err
	}
	for _, file := range files {
		source, err := pythonDrivers.ReadFile("python/" + file.Name())
		if err != nil {
			return err
		}
		dir, name := pythonHome+"/_glovebox", file.Name()
		if name == "startup.py" {
			dir, name = lib, "sitecustomize.py"
		}
		root.Add(
			rootfs.Entry{Path: path.Join(dir, name), Data: source},
			rootfs.Entry{Path: path.Join(dir, "__pycache__", strings.TrimSuffix(name, ".py")+"."+f.Tag+".pyc"), Data: f.Compiled[file.Name()]},
		)
	}
	return nil
}

// skipPython excludes parts of the standard library unused by programs: its own
// tests, its editor, headers, and the packages, which have a separate entry.
func skipPython(rel string, d fs.DirEntry) bool {
	top, _, _ := strings.Cut(rel, "/")
	switch {
	case top == "test", top == "idlelib", top == "tkinter", top == "turtledemo", top == "lib2to3", top == "ensurepip",
		top == "pydoc_data", top == "site-packages", top == "dist-packages", strings.HasPrefix(top, "config-"),
		top == "sitecustomize.py", top == "usercustomize.py", top == "turtle.py", top == "EXTERNALLY-MANAGED":
		return true
	}
	base := path.Base(rel)
	return strings.HasPrefix(base, "_tkinter.") || strings.HasPrefix(base, "_test") || base == "tests" || base == "test" ||
		strings.HasPrefix(base, "sitecustomize.")
}

// skipPythonSite excludes start hooks of the interpreter, files containing paths of
// the host, and installers.
func skipPythonSite(rel string, d fs.DirEntry) bool {
	top, _, _ := strings.Cut(rel, "/")
	base := path.Base(rel)
	switch {
	case strings.HasSuffix(rel, ".pth"), strings.HasSuffix(rel, ".egg-link"), base == "direct_url.json",
		base == "sitecustomize.py", base == "usercustomize.py",
		base == "tests" && d != nil && d.IsDir(),
		top == "pip", strings.HasPrefix(top, "pip-"), top == "setuptools", top == "_distutils_hack", top == "wheel":
		return true
	}
	return false
}
