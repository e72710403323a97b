package kernel

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
)

// maxLine bounds a line of Debian's control files.
const maxLine = 1 << 20

// readParagraphs reads deb822(5), the form of Debian's Release and Packages
// files, and calls use with each paragraph's fields, by their names in lower
// case. A field's lines after the first are each put after a line break.
func readParagraphs(r io.Reader, use func(map[string]string) error) error {
	fields := map[string]string{}
	var name string
	var size int
	end := func() error {
		if len(fields) == 0 {
			return nil
		}
		err := use(fields)
		fields, name, size = map[string]string{}, "", 0
		return err
	}
	s := bufio.NewScanner(r)
	s.Buffer(make([]byte, 64<<10), maxLine)
	for s.Scan() {
		line := strings.TrimRight(s.Text(), "\r")
		if size += len(line); size > 16*maxLine {
			return errors.New("a paragraph is too long")
		}
		switch {
		case strings.TrimSpace(line) == "":
			if err := end(); err != nil {
				return err
			}
		case line[0] == ' ' || line[0] == '\t':
			if name == "" {
				return fmt.Errorf("a line that belongs to no field: %.40q", line)
			}
			fields[name] += "\n" + strings.TrimSpace(line) // quadratic, in 16 MiB at most
		default:
			n, value, ok := strings.Cut(line, ":")
			if name = strings.ToLower(n); !ok || name == "" {
				return fmt.Errorf("no field: %.40q", line)
			}
			if _, twice := fields[name]; twice {
				return fmt.Errorf("the field %.40q comes twice", n)
			}
			fields[name] = strings.TrimSpace(value)
		}
	}
	if err := s.Err(); err != nil {
		return err
	}
	return end()
}
