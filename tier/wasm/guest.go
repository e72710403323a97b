package wasm

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	mathrand "math/rand/v2"
	"os"
	"path"
	"strings"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/experimental"
	esys "github.com/tetratelabs/wazero/experimental/sys"
	"github.com/tetratelabs/wazero/experimental/sysfs"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
	"github.com/tetratelabs/wazero/sys"

	"github.com/gloveboxhq/glovebox/tier"
)

// guest is the state of a box's process: the files, and the modules of the
// root, compiled.
type guest struct {
	files  *tree
	budget *budget
	setup  setup
	clock  clock
	random io.Reader
	given  []*os.File
	host   *lane

	trusted, hostile wazero.Runtime
	compiled         map[*node]wazero.CompiledModule
}

// clock is the time in the box.
type clock interface {
	wall() int64       // nanoseconds since 1970
	since() int64      // nanoseconds since some moment
	sleep(nanos int64) // lets them pass
}

// hostClock is the host's.
type hostClock struct{ begin time.Time }

func (hostClock) wall() int64       { return time.Now().UnixNano() }
func (c hostClock) since() int64    { return int64(time.Since(c.begin)) }
func (hostClock) sleep(nanos int64) { time.Sleep(time.Duration(nanos)) }

// fixedClock stands still except during the code's sleeps.
type fixedClock struct{ begin, now int64 }

func (c *fixedClock) wall() int64       { return c.now }
func (c *fixedClock) since() int64      { return c.now - c.begin }
func (c *fixedClock) sleep(nanos int64) { c.now += max(nanos, 0) }

// newGuest reads the root and compiles its modules: all work on the host's
// files, before any code of the box runs.
func newGuest(s setup, host *lane) (*guest, error) {
	g := &guest{
		setup: s, host: host, clock: hostClock{time.Now()}, random: rand.Reader,
		budget:   &budget{max: s.Limits.Memory, hits: hits{}},
		compiled: map[*node]wazero.CompiledModule{},
	}
	if s.Fixed != nil {
		begin := s.Fixed.Time.UnixNano()
		g.clock = &fixedClock{begin, begin}
		var seed [32]byte
		copy(seed[:], fmt.Sprintf("%016x", s.Fixed.Seed))
		g.random = mathrand.NewChaCha8(seed)
	}
	g.files = newTree(s.Limits, g.budget, g.clock.wall)
	if err := g.files.load(s.Tree); err != nil {
		return nil, fmt.Errorf("read the root: %w", err)
	}
	for _, dir := range []string{tier.Workspace, tier.Temp} {
		if n := g.files.mkdirs(dir); n.area == nil {
			return nil, fmt.Errorf("the root has a file %s", dir)
		}
	}
	for _, f := range s.Files {
		if err := g.files.stage(f); err != nil {
			return nil, err
		}
	}
	for i, fd := range s.Given {
		g.given = append(g.given, nil)
		if fd != 0 {
			g.given[i] = os.NewFile(fd, "given")
		}
	}
	config := wazero.NewRuntimeConfig()
	g.hostile = wazero.NewRuntimeWithConfig(context.Background(), config)
	cached := config
	if s.Cache != "" {
		cache, err := wazero.NewCompilationCacheWithDir(s.Cache)
		if err != nil {
			return nil, fmt.Errorf("open the cache of compiled modules: %w", err)
		}
		cached = config.WithCompilationCache(cache)
	}
	g.trusted = wazero.NewRuntimeWithConfig(context.Background(), cached)
	return g, errors.Join(g.wasi(g.trusted), g.wasi(g.hostile), g.compileRoot(g.files.root))
}

// wasi gives a runtime the system interface. proc_exit leaves the module open,
// for the final output of a language's host.
func (g *guest) wasi(r wazero.Runtime) error {
	b := r.NewHostModuleBuilder(wasi_snapshot_preview1.ModuleName)
	wasi_snapshot_preview1.NewFunctionExporter().ExportFunctions(b)
	b.NewFunctionBuilder().WithFunc(func(code uint32) { panic(sys.NewExitError(code)) }).Export("proc_exit")
	_, err := b.Instantiate(context.Background())
	return err
}

// compileRoot compiles the modules of the root, which are trusted, with the
// cache.
func (g *guest) compileRoot(at *node) error {
	for _, n := range at.children {
		if n.mode.IsDir() && n.area == nil {
			if err := g.compileRoot(n); err != nil {
				return err
			}
		}
		if path.Ext(n.name) == ".wasm" && n.area == nil && n.mode.IsRegular() {
			m, err := g.trusted.CompileModule(context.Background(), n.data)
			if err != nil {
				return fmt.Errorf("compile %s of the root: %w", n.name, err)
			}
			g.compiled[n] = m
		}
	}
	return nil
}

// module returns the module at a path, and the runtime to run it in. A module
// of the workspace is hostile, and compiled without the cache.
func (g *guest) module(name string) (wazero.Runtime, wazero.CompiledModule, error) {
	_, _, n, errno := g.files.walk(g.files.root, name, true)
	switch {
	case errno != 0:
		return nil, nil, fmt.Errorf("%s: %w", name, errno)
	case n == nil || !n.mode.IsRegular():
		return nil, nil, fmt.Errorf("%s: %w", name, esys.ENOENT)
	}
	if m, ok := g.compiled[n]; ok {
		return g.trusted, m, nil
	}
	// wazero keeps compiled modules: a checked module is not compiled again.
	m, err := g.hostile.CompileModule(context.Background(), n.data)
	return g.hostile, m, err
}

// badModule is the exit code where a module does not compile, as of a shell
// that cannot execute a file. Why is on stderr.
const badModule = 126

// run runs one command.
func (g *guest) run(c command) (d done) {
	clear(g.budget.hits)
	g.budget.peak = g.budget.used
	defer func() { d.Hits, d.Peak = g.budget.hits, g.budget.peak }()
	for _, f := range c.Files {
		if err := g.files.stage(f); err != nil {
			return done{Err: err.Error()}
		}
	}
	stdout, stderr := sender{g.host, kindStdout}, sender{g.host, kindStderr}
	g.files.devices([3]esys.File{newInput(c.Stdin), &stream{w: stdout}, &stream{w: stderr}}, g.given, g.random)
	args := c.Args
	if builtin := builtins[args[0]]; builtin != nil {
		d.Started = true
		if args = builtin(g, args, stderr); args == nil {
			d.Exit = 1
			return d
		}
	}
	runtime, compiled, err := g.module(args[0])
	if runtime == nil {
		return done{Err: err.Error()}
	}
	d.Started = true
	if err != nil {
		fmt.Fprintf(stderr, "glovebox: %s is not a WebAssembly module that runs here: %v\n", args[0], err)
		d.Exit = badModule
		return d
	}
	_, _, dir, errno := g.files.walk(g.files.root, c.Dir, true)
	if errno != 0 || dir == nil || !dir.mode.IsDir() {
		return done{Err: c.Dir + ": no such directory"}
	}
	mounts := wazero.NewFSConfig().(sysfs.FSConfig).WithSysFSMount(view{tree: g.files, from: dir}, "/")
	config := wazero.NewModuleConfig().WithName("").WithStartFunctions().WithArgs(args...).WithFSConfig(mounts).
		WithStdin(bytes.NewReader(c.Stdin)).WithStdout(stdout).WithStderr(stderr).WithRandSource(g.random).
		WithWalltime(func() (int64, int32) {
			now := g.clock.wall()
			return now / 1e9, int32(now % 1e9)
		}, 1000).
		WithNanotime(g.clock.since, 1000).WithNanosleep(g.clock.sleep)
	for _, e := range c.Env {
		name, value, _ := strings.Cut(e, "=")
		config = config.WithEnv(name, value)
	}
	ctx := experimental.WithMemoryAllocator(context.Background(), experimental.MemoryAllocatorFunc(g.linear))
	if _, ok := compiled.ExportedFunctions()[quickJSInit]; ok {
		err = g.runQuickJS(ctx, runtime, compiled, config, args[1:])
	} else {
		err = g.runCommand(ctx, runtime, compiled, config)
	}
	g.files.open = 0
	d.Exit, d.Trap = ended(err, stderr)
	return d
}

// linear makes the linear memory of a module. A refusal of the first pages ends
// the command: wazero knows no other answer.
func (g *guest) linear(_, most uint64) experimental.LinearMemory {
	return &linear{budget: g.budget, reserved: reserve(min(int64(most), g.budget.max))}
}

// runCommand runs a WASI command, or a library with its work in the
// instantiation.
func (g *guest) runCommand(ctx context.Context, r wazero.Runtime, compiled wazero.CompiledModule, config wazero.ModuleConfig) (err error) {
	defer recovered(&err)
	m, err := r.InstantiateModule(ctx, compiled, config)
	if err != nil {
		return err
	}
	defer m.Close(ctx)
	for _, name := range []string{"_start", "_initialize"} {
		if f := m.ExportedFunction(name); f != nil {
			_, err = f.Call(ctx)
			return err
		}
	}
	return nil
}

// recovered turns a panic during instantiation into the module's error: wazero
// panics where the first pages of a memory are refused.
func recovered(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("%v", p)
	}
}

// sender is a stream of the module's to the host.
type sender struct {
	l *lane
	k kind
}

func (s sender) Write(b []byte) (int, error) {
	if err := s.l.bytes(s.k, b); err != nil {
		return 0, err
	}
	return len(b), nil
}

// input is the standard input as /dev/stdin.
type input struct {
	unimplemented
	position[int64]
	data []byte
}

func newInput(data []byte) *input {
	i := &input{data: data}
	i.size = func() int64 { return int64(len(data)) }
	return i
}

func (i *input) IsDir() (bool, esys.Errno)      { return false, 0 }
func (i *input) Close() esys.Errno              { return 0 }
func (i *input) Write([]byte) (int, esys.Errno) { return 0, esys.EBADF }
func (i *input) Stat() (sys.Stat_t, esys.Errno) {
	return sys.Stat_t{Mode: 0o444, Nlink: 1, Size: i.size()}, 0
}

func (i *input) Read(b []byte) (int, esys.Errno) {
	if i.at >= i.size() {
		return 0, 0
	}
	n := copy(b, i.data[i.at:])
	i.at += int64(n)
	return n, 0
}

// ended reads how a module ended. An end that the module did not decide itself
// is a trap, reported like a signal: on stderr.
func ended(err error, stderr io.Writer) (exit int, trap string) {
	var exited *sys.ExitError
	switch {
	case err == nil:
		return 0, ""
	case errors.As(err, &exited):
		return int(exited.ExitCode()), ""
	}
	text := err.Error()
	trap, _, _ = strings.Cut(text, "\n")
	if _, kind, ok := strings.Cut(trap, "wasm error: "); ok {
		trap = kind
	}
	if len(trap) > 300 {
		trap = trap[:300]
	}
	fmt.Fprintf(stderr, "wasm trap: %s\n", trap)
	return -1, trap
}
