package wasm

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/sys"
)

// QuickJS, as its authors build it for WASI, is a library (a "reactor"): its
// host makes the interpreter, turns the event loop and provides a stack. The
// environment of JavaScript is decided elsewhere: the first script is in the
// root; see language/quickjs.

// Names of the library's exports, and of the values that the script leaves for
// us.
const (
	quickJSInit = "qjs_init_argv"
	// stackPointer is the end of the library's C stack. The build has 64 KiB of
	// stack, and a recursion of JavaScript soon overruns it, unseen, into data.
	// The installer of the library exports the pointer, so we can choose a
	// stack large enough for wazero's own limit to come first.
	stackPointer = "__stack_pointer"
	turn         = `globalThis[Symbol.for("glovebox.turn")]()`
	rejected     = `globalThis[Symbol.for("glovebox.rejected")]()`
)

// stackSize is the maximum stack; a small box gets an eighth of its memory.
const stackSize = 16 << 20

// unhandled begins the message of QuickJS, before it ends with code 1, about a
// rejected promise without a handler.
const unhandled = "Possibly unhandled promise rejection"

// quickJS is one interpreter.
type quickJS struct {
	ctx     context.Context
	guest   *guest
	m       api.Module
	context uint64
	words   bytes.Buffer // what the library itself says on stderr
}

// runQuickJS runs a script and its event loop. It returns how it ended: with a
// sys.ExitError, as the script decides, or by a trap.
func (g *guest) runQuickJS(ctx context.Context, r wazero.Runtime, compiled wazero.CompiledModule, config wazero.ModuleConfig, args []string) (err error) {
	q := &quickJS{ctx: ctx, guest: g}
	defer recovered(&err)
	if q.m, err = r.InstantiateModule(ctx, compiled, config.WithStderr(&q.words)); err != nil {
		return err
	}
	defer q.m.Close(ctx)
	err = q.run(args)
	stderr := sender{g.host, kindStderr}
	if err != nil && strings.Contains(err.Error(), "stack overflow") {
		// As in Node.js, which can go on here, unlike this library.
		fmt.Fprintf(stderr, "node:internal:1\n\n^\n\nRangeError: Maximum call stack size exceeded\n    at <anonymous>\n")
		return sys.NewExitError(1)
	}
	if q.words.Len() > 0 {
		_, _ = stderr.Write(q.words.Bytes())
	}
	return err
}

func (q *quickJS) run(args []string) error {
	if _, err := q.call("_initialize"); err != nil {
		return err
	}
	if sp, ok := q.m.ExportedGlobal(stackPointer).(api.MutableGlobal); ok {
		size := uint64(min(stackSize, q.guest.setup.Limits.Memory/8)) &^ 15
		at, err := q.call("malloc", size)
		if err != nil || at == 0 {
			return errors.Join(err, errors.New("no memory for a stack"))
		}
		sp.Set((at + size) &^ 15)
	}
	argv, err := q.argv(append([]string{"qjs", "--std", "--script"}, args...))
	if err != nil {
		return err
	}
	if failed, err := q.call(quickJSInit, uint64(len(args)+3), argv); err != nil {
		return err
	} else if int32(failed) != 0 {
		return sys.NewExitError(1) // it said why
	}
	if q.context, err = q.call("qjs_get_context"); err != nil {
		return err
	}
	return q.loop()
}

// loop turns the event loop: ready work first, then the script's next step. The
// script ends the loop by proc_exit.
func (q *quickJS) loop() error {
	for watch := true; ; {
		if watch {
			// It returns at once: the script has no timers of the library's.
			_, err := q.call("js_std_loop", q.context)
			if q.complains(err) {
				// The library would only ever complain again.
				watch = false
				if _, err := q.eval(rejected); err != nil {
					return err
				}
				continue
			}
			if err != nil {
				return err
			}
		} else if err := q.jobs(); err != nil {
			return err
		}
		wait, err := q.eval(turn)
		if err != nil {
			return err
		}
		if math.IsNaN(wait) || wait < 0 {
			return nil
		}
		if wait > 0 {
			q.guest.clock.sleep(int64(min(wait, math.MaxInt32) * 1e6))
		}
	}
}

// complains reports whether the library ended itself over a promise.
func (q *quickJS) complains(err error) bool {
	var exited *sys.ExitError
	return errors.As(err, &exited) && bytes.HasPrefix(q.words.Bytes(), []byte(unhandled))
}

// jobs runs what promises have waiting.
func (q *quickJS) jobs() error {
	rt, err := q.call("JS_GetRuntime", q.context)
	if err != nil {
		return err
	}
	out, err := q.call("malloc", 8)
	if err != nil {
		return err
	}
	for {
		n, err := q.call("JS_ExecutePendingJob", rt, out)
		if err != nil {
			return err
		}
		if int32(n) <= 0 {
			_, err = q.call("free", out)
			return err
		}
	}
}

// eval evaluates a script to a number.
func (q *quickJS) eval(script string) (float64, error) {
	q.words.Reset()
	text, err := q.text(script)
	if err != nil {
		return 0, err
	}
	name, err := q.text("glovebox")
	if err != nil {
		return 0, err
	}
	out, err := q.call("malloc", 8)
	if err != nil {
		return 0, err
	}
	value, err := q.call("JS_Eval", q.context, text, uint64(len(script)), name, 0)
	if err != nil {
		return 0, err
	}
	if failed, err := q.call("JS_ToFloat64", q.context, out, value); err != nil {
		return 0, err
	} else if int32(failed) != 0 {
		return -1, nil
	}
	bits, ok := q.m.Memory().ReadUint64Le(uint32(out))
	if !ok {
		return 0, errors.New("the script's answer is out of its memory")
	}
	for _, p := range []uint64{text, name, out} {
		if _, err := q.call("free", p); err != nil {
			return 0, err
		}
	}
	return math.Float64frombits(bits), nil
}

// call calls a function of the library with at most one result.
func (q *quickJS) call(name string, args ...uint64) (uint64, error) {
	f := q.m.ExportedFunction(name)
	if f == nil {
		return 0, fmt.Errorf("the library has no function %s", name)
	}
	results, err := f.Call(q.ctx, args...)
	if err != nil || len(results) == 0 {
		return 0, err
	}
	return results[0], nil
}

// text puts a C string into the memory of the module.
func (q *quickJS) text(s string) (uint64, error) { return q.bytes(append([]byte(s), 0)) }

func (q *quickJS) bytes(b []byte) (uint64, error) {
	at, err := q.call("malloc", uint64(len(b)))
	if err == nil && (at == 0 || !q.m.Memory().Write(uint32(at), b)) {
		err = errors.New("no memory for the arguments")
	}
	return at, err
}

func (q *quickJS) argv(args []string) (uint64, error) {
	var pointers []byte
	for _, a := range args {
		at, err := q.text(a)
		if err != nil {
			return 0, err
		}
		pointers = binary.LittleEndian.AppendUint32(pointers, uint32(at))
	}
	return q.bytes(binary.LittleEndian.AppendUint32(pointers, 0))
}
