package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/language"
)

// size is a number of bytes on the command line, such as 512M.
type size int64

// UnmarshalText implements [encoding.TextUnmarshaler].
func (s *size) UnmarshalText(b []byte) error {
	text := strings.ToUpper(strings.TrimSpace(string(b)))
	text = strings.TrimSuffix(strings.TrimSuffix(text, "B"), "I")
	unit := int64(1)
	for suffix, n := range map[string]int64{"K": glovebox.KiB, "M": glovebox.MiB, "G": glovebox.GiB} {
		if rest, ok := strings.CutSuffix(text, suffix); ok {
			text, unit = rest, n
		}
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || n < 0 || n*float64(unit) > 1<<62 || n != n {
		return fmt.Errorf("%q is not a size; write it as 512M, 1.5G or 65536", b)
	}
	*s = size(n * float64(unit))
	return nil
}

// languageOf tells the language of code: by its name, by the file's ending, or
// by the look of it.
func languageOf(name, file, code string) *language.Language {
	if name != "" {
		return language.ByName(name)
	}
	var best *language.Language
	score := 0
	for _, l := range language.All() {
		if slices.Contains(l.Extensions, strings.ToLower(filepath.Ext(file))) {
			return l
		}
		if s := l.Score(code); s > score {
			best, score = l, s
		}
	}
	return best
}

func isTerminal(f *os.File) bool {
	_, err := unix.IoctlGetTermios(int(f.Fd()), unix.TCGETS)
	return err == nil
}
