//go:build !linux

package host

import "context"

func run(context.Context, []string, string, []string) (string, error) { return "", ErrForeign }

func executable(string) bool { return false }
