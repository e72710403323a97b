package command

import (
	"errors"
	"fmt"
	"strings"
)

// checkSed accepts a sed script of the commands s, p, d, q, y and =, each with at most two
// addresses. The commands that read and write files or run programs are refused, and so is
// text that two seds would read in two ways.
func checkSed(script string) error {
	s := sed{text: script}
	for {
		s.skip(" ;")
		if s.text == "" {
			return nil
		}
		if err := s.command(); err != nil {
			return err
		}
		s.skip(" ")
		if s.text != "" && s.text[0] != ';' {
			return fmt.Errorf("sed: %s after a command is not allowed", clip(s.text[:1]))
		}
	}
}

// sed is the rest of a script.
type sed struct{ text string }

func (s *sed) skip(chars string) { s.text = strings.TrimLeft(s.text, chars) }

// digits takes digits and reports whether there were any.
func (s *sed) digits() bool {
	rest := strings.TrimLeft(s.text, "0123456789")
	found := len(rest) < len(s.text)
	s.text = rest
	return found
}

func (s *sed) command() error {
	one, err := s.address()
	if err != nil {
		return err
	}
	s.skip(" ")
	if one && strings.HasPrefix(s.text, ",") {
		s.text = s.text[1:]
		s.skip(" ")
		if s.text != "" && (s.text[0] == '+' || s.text[0] == '~') {
			s.text = s.text[1:]
			if !s.digits() {
				return errors.New("sed: a number is missing in an address")
			}
		} else if two, err := s.address(); err != nil || !two {
			return errors.Join(err, errors.New("sed: the second address is missing"))
		}
		s.skip(" ")
	}
	if strings.HasPrefix(s.text, "!") {
		s.text = s.text[1:]
		s.skip(" ")
	}
	if s.text == "" {
		return errors.New("sed: a command is missing after an address")
	}
	c := s.text[0]
	s.text = s.text[1:]
	switch c {
	case 'p', 'd', '=':
		return nil
	case 'q':
		s.skip(" ")
		s.digits()
		return nil
	case 's':
		return s.substitute()
	case 'y':
		return s.parts()
	case 'e', 'w', 'W', 'r', 'R', 'F':
		return fmt.Errorf("sed: the command %c runs a program or opens a file", c)
	}
	return fmt.Errorf("sed: the command %s is not allowed", clip(string(c)))
}

// address takes 12, 0~3, $, /RE/ or \cREc, with the flag I.
func (s *sed) address() (bool, error) {
	switch {
	case s.digits():
		if strings.HasPrefix(s.text, "~") {
			s.text = s.text[1:]
			if !s.digits() {
				return false, errors.New("sed: a number is missing in an address")
			}
		}
		return true, nil
	case strings.HasPrefix(s.text, "$"):
		s.text = s.text[1:]
		return true, nil
	case strings.HasPrefix(s.text, `\`):
		s.text = s.text[1:]
	case !strings.HasPrefix(s.text, "/"):
		return false, nil
	}
	delimiter, err := s.delimiter()
	if err == nil {
		err = s.until(delimiter, true)
	}
	s.text = strings.TrimPrefix(s.text, "I")
	return err == nil, err
}

// substitute takes /RE/TEXT/FLAGS.
func (s *sed) substitute() error {
	if err := s.parts(); err != nil {
		return err
	}
	for s.text != "" && s.text[0] != ';' && s.text[0] != ' ' {
		switch c := s.text[0]; {
		case c == 'e' || c == 'w':
			return fmt.Errorf("sed: the flag %c of s runs a program or writes a file", c)
		case strings.IndexByte("gpiI0123456789", c) < 0:
			return fmt.Errorf("sed: the flag %s of s is not allowed", clip(s.text[:1]))
		}
		s.text = s.text[1:]
	}
	return nil
}

// parts takes /ONE/TWO/ with any delimiter.
func (s *sed) parts() error {
	delimiter, err := s.delimiter()
	if err != nil {
		return err
	}
	if err := s.until(delimiter, true); err != nil {
		return err
	}
	return s.until(delimiter, false)
}

// delimiter takes the sign that separates the parts of a pattern.
func (s *sed) delimiter() (byte, error) {
	if s.text == "" || strings.IndexByte("/|,:#@%!+=_~^", s.text[0]) < 0 {
		return 0, errors.New("sed: separate the parts of a pattern by / | , : # @ % ! + = _ ~ or ^")
	}
	c := s.text[0]
	s.text = s.text[1:]
	return c, nil
}

// until takes the text up to the delimiter. Seds disagree about a delimiter within
// brackets, so a pattern must have closed its brackets before.
func (s *sed) until(delimiter byte, pattern bool) error {
	for i := 0; i < len(s.text); i++ {
		switch s.text[i] {
		case '\\':
			i++
		case delimiter:
			part := s.text[:i]
			s.text = s.text[i+1:]
			if pattern && !bracketsClosed(part) {
				return errors.New(`sed: brackets that hold the separator or a \ are read in two ways: use another separator`)
			}
			return nil
		}
	}
	return errors.New("sed: a pattern does not end")
}

// bracketsClosed reports whether each bracket expression of a pattern is closed and free
// of backslashes.
func bracketsClosed(pattern string) bool {
	for i := 0; i < len(pattern); i++ {
		switch pattern[i] {
		case '\\':
			i++
		case '[':
			i++
			if i < len(pattern) && pattern[i] == '^' {
				i++
			}
			if i < len(pattern) && pattern[i] == ']' {
				i++
			}
			for ; ; i++ {
				if i >= len(pattern) || pattern[i] == '\\' {
					return false
				}
				if pattern[i] == ']' {
					break
				}
				if class := i + 1; pattern[i] == '[' && class < len(pattern) && strings.IndexByte(":.=", pattern[class]) >= 0 {
					end := strings.Index(pattern[class+1:], pattern[class:class+1]+"]")
					if end < 0 {
						return false
					}
					i = class + 1 + end + 1
				}
			}
		}
	}
	return true
}
