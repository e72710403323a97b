package edit

import "strings"

// textForm holds the properties of a text that a model does not see and must
// not change.
type textForm struct {
	mark bool // a byte order mark
	crlf bool // every line ends with \r\n
	open bool // the last line has no end
}

const byteOrderMark = "\ufeff"

func formOf(data []byte) textForm {
	text := string(data)
	lines := strings.Count(text, "\n")
	return textForm{
		mark: strings.HasPrefix(text, byteOrderMark),
		crlf: lines > 0 && strings.Count(text, "\r\n") == lines,
		open: text != "" && !strings.HasSuffix(text, "\n"),
	}
}

// plain returns the text without its form: lines that end with \n.
func (f textForm) plain(data []byte) string {
	text := string(data)
	if f.mark {
		text = strings.TrimPrefix(text, byteOrderMark)
	}
	if f.crlf {
		text = strings.ReplaceAll(text, "\r\n", "\n")
	}
	if f.open {
		text += "\n"
	}
	return text
}

// restore gives a text the form.
func (f textForm) restore(text string) string {
	if f.open {
		text = strings.TrimSuffix(text, "\n")
	}
	if f.crlf {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	if f.mark && text != "" {
		text = byteOrderMark + text
	}
	return text
}
