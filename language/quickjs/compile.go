package quickjs

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"testing/fstest"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"

	"github.com/gloveboxhq/glovebox/internal/lazyre"
)

// compiler compiles scripts. It writes each result after its length.
const compiler = `
for (const name of scriptArgs.slice(1)) {
  const code = std.evalScript(std.loadFile(name), { compile_only: true });
  const bytes = bjson.write(code, bjson.WRITE_OBJ_BYTECODE | bjson.WRITE_OBJ_STRIP_SOURCE);
  std.out.write(new Uint32Array([bytes.byteLength]).buffer, 0, 4);
  std.out.write(bytes, 0, bytes.byteLength);
}
std.out.flush();
`

// Part wraps the text of one of our [Scripts] in a function.
func Part(text []byte) []byte {
	return fmt.Appendf(nil, "(function (host, part, module) {%s\n})", text)
}

var imports = lazyre.New(`\bimport\(`)

// Driver wraps the text of another script of ours in a function. Our own import
// replaces the engine's import.
func Driver(text []byte) []byte {
	text = imports().ReplaceAll(text, []byte("$$import("))
	return fmt.Appendf(nil, "(function (exports, require, module, $import) {%s\n})", text)
}

// Compile returns the engine's compiled code of expressions, by name, in the input
// format of bjson.read. The engine loads compiled code in a fraction of the time
// needed for text. Compiling takes seconds.
func Compile(ctx context.Context, texts map[string][]byte) (map[string][]byte, error) {
	files := fstest.MapFS{"compiler": {Data: []byte(compiler)}}
	args := []string{"/compiler"}
	for i, name := range slices.Sorted(maps.Keys(texts)) {
		file := strconv.Itoa(i)
		files[file] = &fstest.MapFile{Data: texts[name]}
		args = append(args, file)
	}
	out, err := run(ctx, files, args)
	if err != nil {
		return nil, fmt.Errorf("compile the scripts of QuickJS: %w", err)
	}
	code := map[string][]byte{}
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		if len(out) < 4 || uint64(len(out)-4) < uint64(binary.LittleEndian.Uint32(out)) {
			return nil, fmt.Errorf("compile the scripts of QuickJS: %s is cut off", name)
		}
		size := binary.LittleEndian.Uint32(out)
		code[name], out = out[4:4+size], out[4+size:]
	}
	return code, nil
}

// run runs one of our scripts and returns its output.
func run(ctx context.Context, files fstest.MapFS, args []string) (out []byte, err error) {
	engine, err := Module()
	if err != nil {
		return nil, err
	}
	r := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfig())
	defer r.Close(ctx)
	if _, err := wasi_snapshot_preview1.Instantiate(ctx, r); err != nil {
		return nil, err
	}
	var stdout, stderr bytes.Buffer
	m, err := r.InstantiateWithConfig(ctx, engine, wazero.NewModuleConfig().WithStdout(&stdout).WithStderr(&stderr).WithStartFunctions("_initialize").
		WithFSConfig(wazero.NewFSConfig().WithFSMount(files, "/")))
	if err != nil {
		return nil, err
	}
	var failed error
	call := func(name string, args ...uint64) uint64 {
		results, err := m.ExportedFunction(name).Call(ctx, args...)
		failed = errors.Join(failed, err)
		if err != nil || len(results) == 0 {
			return 0
		}
		return results[0]
	}
	const stack = 1 << 20 // see stackPointer
	m.ExportedGlobal(stackPointer).(api.MutableGlobal).Set((call("malloc", stack) + stack) &^ 15)
	var argv []byte
	args = append([]string{"qjs", "--std", "--script"}, args...)
	for _, arg := range args {
		at := call("malloc", uint64(len(arg)+1))
		m.Memory().WriteString(uint32(at), arg+"\x00")
		argv = binary.LittleEndian.AppendUint32(argv, uint32(at))
	}
	at := call("malloc", uint64(len(argv)+4))
	m.Memory().Write(uint32(at), append(argv, 0, 0, 0, 0))
	if ended := call("qjs_init_argv", uint64(len(args)), at); failed == nil && ended != 0 {
		failed = fmt.Errorf("the script failed: %s", bytes.TrimSpace(stderr.Bytes()))
	}
	return stdout.Bytes(), failed
}
