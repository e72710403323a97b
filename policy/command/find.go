package command

import (
	"regexp"
	"slices"
	"strings"
)

// findTests are the tests and actions of find that neither start programs nor write, by
// the form of their value.
var findTests = map[string]findValue{
	"-name": findText, "-iname": findText, "-path": findText, "-ipath": findText, "-wholename": findText,
	"-iwholename": findText, "-lname": findText, "-ilname": findText, "-regex": findText, "-iregex": findText,
	"-printf": findText, "-regextype": findWord, "-user": findWord, "-group": findWord, "-type": findType, "-xtype": findType,
	"-maxdepth": findNumber, "-mindepth": findNumber, "-size": findNumber, "-mtime": findNumber, "-mmin": findNumber,
	"-atime": findNumber, "-amin": findNumber, "-ctime": findNumber, "-cmin": findNumber, "-links": findNumber,
	"-perm": findMode, "-newer": findPath, "-samefile": findPath,
	"-empty": findNothing, "-print": findNothing, "-print0": findNothing, "-ls": findNothing, "-prune": findNothing,
	"-quit": findNothing, "-true": findNothing, "-false": findNothing, "-not": findNothing, "-a": findNothing,
	"-and": findNothing, "-o": findNothing, "-or": findNothing, "-xdev": findNothing, "-mount": findNothing,
	"-depth": findNothing, "-daystart": findNothing, "-executable": findNothing, "-readable": findNothing,
	"-writable": findNothing, "(": findNothing, ")": findNothing, "!": findNothing,
}

type findValue string

const (
	findNothing findValue = ""
	findText    findValue = "text"
	findWord    findValue = "word"
	findType    findValue = "type"
	findNumber  findValue = "number"
	findMode    findValue = "mode"
	findPath    findValue = "path"
)

// findForms are the forms of values; a hyphen may begin only numbers and modes.
var findForms = map[findValue]*regexp.Regexp{
	findText:   regexp.MustCompile(`^([^-]|$)`),
	findWord:   wordForm,
	findType:   regexp.MustCompile(`^[bcdpflsD](,[bcdpflsD])*$`),
	findNumber: regexp.MustCompile(`^[+-]?[0-9]{1,9}[bcwkMG]?$`),
	findMode:   regexp.MustCompile(`^[-/]?[0-7ugoarwxst+=,-]{1,40}$`),
	findPath:   regexp.MustCompile(``),
}

// checkFind validates [-H|-L|-P] PATH… EXPRESSION.
func checkFind(a *arguments) *Refusal {
	words := a.words
	for len(words) > 0 && slices.Contains([]string{"-H", "-L", "-P"}, words[0].text) {
		words = words[1:]
	}
	for len(words) > 0 && words[0].text != "" && !strings.ContainsRune("-(),!", rune(words[0].text[0])) {
		if r := a.path(words[0], words[0].text, "the argument"); r != nil {
			return r
		}
		words = words[1:]
	}
	for len(words) > 0 {
		w := words[0]
		form, ok := findTests[w.text]
		switch {
		case !ok:
			return a.refuseFlag(w, w.text, findNames())
		case form == findNothing:
			words = words[1:]
			continue
		case len(words) == 1:
			r := w.refuse("the test %s without a value", "the test needs a value ("+string(form)+")", w.text)
			r.Instead = "write " + w.text + " with its value"
			return r
		}
		v := words[1]
		if !findForms[form].MatchString(v.text) {
			r := v.refuse("%s as the value of %s", "the value is not of the form "+string(form), clip(v.text), w.text)
			r.Instead = "write a " + string(form) + "; text does not begin with a hyphen"
			return r
		}
		if form == findPath {
			if r := a.path(v, v.text, "the value of "+w.text+","); r != nil {
				return r
			}
		}
		words = words[2:]
	}
	return nil
}

// findNames returns the tests with their values, sorted.
func findNames() []string {
	var names []string
	for name, form := range findTests {
		names = append(names, strings.TrimSpace(name+" "+string(form)))
	}
	slices.Sort(names)
	return names
}
