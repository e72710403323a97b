package typescript

import "github.com/gloveboxhq/glovebox/internal/lazyre"

// head matches the part that must precede the first statement of a JavaScript file:
// the interpreter's line, and the directive.
var head = lazyre.New(`\A(?:#![^\n]*\n)?(?:(?:\s|//[^\n]*\n|/\*(?s:.*?)\*/)*(?:"use strict"|'use strict')[ \t]*;?)?`)

// Prepend puts a statement before the first statement of a JavaScript file, on the
// same line.
func Prepend(code, statement string) string {
	at := len(head().FindString(code))
	if at > 0 && code[at-1] != '\n' {
		statement = ";" + statement
	}
	return code[:at] + statement + code[at:]
}
