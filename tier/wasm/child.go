package wasm

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime/debug"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/tier"
)

// childName is the name (argv[0]) under which our own executable is started
// again as a box's process. No user types it: it is not a file name, and a
// shell sets argv[0] to the file's name.
const childName = "glovebox-wasm"

// init turns this process into a box's if started as one. The code is in init,
// not in main, for the sake of all importing programs, including test binaries.
func init() {
	if len(os.Args) == 1 && os.Args[0] == childName {
		os.Exit(childMain())
	}
}

// exitUnexpected is the exit code of a box's process that could not go on.
const exitUnexpected = 125

// goHeap bounds Go's own memory before a collection: the output of modules, and
// their files.
func goHeap(l glovebox.Limits) int64 { return 96<<20 + min(2*l.Disk, l.Memory) }

// machineMemory is what else the process needs: compiled modules and stacks.
const machineMemory = 256 << 20

func childMain() int {
	// The collector would wait for a module that loops. It has little to
	// collect: linear memory is none of Go's.
	debug.SetGCPercent(-1)
	orders := make(chan order)
	go listen(orders)
	first := <-orders
	host := &lane{w: os.Stdout}
	var s setup
	if err := json.Unmarshal(first.payload, &s); err != nil || first.kind != kindSetup {
		fmt.Fprintln(os.Stderr, "no setup came:", err)
		return exitUnexpected
	}
	debug.SetMemoryLimit(goHeap(s.Limits))
	g, err := newGuest(s, host)
	if err != nil {
		return answer(host.tell(kindUp, up{Err: err.Error()}))
	}
	if err := host.tell(kindUp, up{Confined: confine(s.Limits)}); err != nil {
		return answer(err)
	}
	for o := range orders {
		if err := g.serve(o); err != nil {
			return answer(err)
		}
	}
	return 0
}

func answer(err error) int {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return exitUnexpected
	}
	return 0
}

// order is a frame of the host.
type order struct {
	kind    kind
	payload []byte
}

// listen reads the host's orders. At end of file the process ends, even while a
// module runs: the owner closed the box, or died.
func listen(orders chan<- order) {
	for {
		k, payload, err := receive(os.Stdin, maxOrder-1)
		if err != nil {
			os.Exit(0)
		}
		orders <- order{k, payload}
	}
}

func (g *guest) serve(o order) error {
	switch o.kind {
	case kindRun:
		var c command
		if err := json.Unmarshal(o.payload, &c); err != nil {
			return err
		}
		return g.host.tell(kindDone, g.run(c))
	case kindCollect:
		if err := g.host.files(g.files.mkdirs(tier.Workspace), ""); err != nil {
			return err
		}
		return g.host.send(kindEnd, nil)
	}
	return fmt.Errorf("an order of kind %q", o.kind)
}
