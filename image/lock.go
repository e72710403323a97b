package image

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/gloveboxhq/glovebox/internal/lock"
)

// lockFile opens the file at name, made if missing, and locks it as soon as
// possible.
func lockFile(ctx context.Context, name string, k lock.Kind) (*os.File, error) {
	f, err := lock.Open(name)
	if err != nil {
		return nil, err
	}
	for wait := time.Millisecond; ; wait = min(2*wait, 50*time.Millisecond) {
		ok, err := lock.Try(f, k)
		if err == nil && !ok {
			select {
			case <-ctx.Done():
				err = fmt.Errorf("%s is locked by another process: %w", name, context.Cause(ctx))
			case <-time.After(wait):
				continue
			}
		}
		if err != nil {
			f.Close()
			return nil, err
		}
		return f, nil
	}
}
