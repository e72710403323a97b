//go:build !linux

package tap

import "os"

// Room is how many bytes a pipe holds, of either end; 0 where that is not known.
func Room(*os.File) int { return 0 }
