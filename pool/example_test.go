package pool_test

import (
	"context"
	"fmt"

	"github.com/gloveboxhq/glovebox/pool"
)

// A request takes what is ready, or makes its own at once.
func Example() {
	boot := func(_ context.Context, image string) (string, error) { return "a box of " + image, nil }
	p := pool.New(pool.Config[string, string]{Make: boot, Drop: func(string) {}})
	defer p.Close()

	request := func(image string) (string, error) {
		defer p.Busy()()
		if box, ok := p.Take(image); ok {
			return box, nil
		}
		return boot(context.Background(), image)
	}
	box, err := request("python")
	fmt.Println(box, err)
	// Output: a box of python <nil>
}
