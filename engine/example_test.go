package engine_test

import (
	"context"
	"fmt"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/engine"
)

// A reply goes in, an observation comes out. (It has no output to compare,
// since it would fail where no Python is installed.)
func Example() {
	e, err := engine.New(engine.Config{})
	if err != nil {
		panic(err)
	}
	defer e.Close()
	o, err := e.Run(context.Background(), glovebox.Job{
		Reply: "Sure!\n\n```python\ndef add(a, b):\n    return a + b\n```\n",
		Tests: []glovebox.File{{Path: "test_add.py", Data: []byte("from solution import add\nassert add(2, 2) == 4\n")}},
	})
	if err != nil {
		panic(err)
	}
	fmt.Println(o.Status, o.Tests.Proof)
}
