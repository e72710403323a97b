package extract

import (
	"strings"

	"github.com/gloveboxhq/glovebox/internal/lazyre"
)

// foreign are the languages and forms that replies hold and Glovebox does not
// run, with what they are recognised by. One that is sure decides; of the
// others it takes two.
var foreign = []struct {
	name string
	sure func(string) bool
	hint []func(string) bool
}{
	{"Rust", multi(`\blet mut \w|^\s*(?:pub )?(?:async )?fn \w+(?:<[^>]*>)?\(.*(?:\{|->|,)\s*$|^\s*fn main\(\)|\bprintln!\(|^use std::|^\s*impl(?:<.*>)? \w+`), nil},
	{"Kotlin", multi(`^\s*(?:private |override |suspend |inline )*fun (?:<\w+> )?[\w.]+\(|^\s*data class \w+\(`),
		hints(`^\s*val \w+(?:: [\w<>?]+)? = `, `^\s*var \w+: `, `\bprintln\(`)},
	{"Java", multi(`\bpublic static void main\b|\bSystem\.out\.print|^import java[x]?\.|^\s*public (?:abstract |final )?(?:class|interface|enum|record) \w+`),
		hints(`^\s*(?:private|public|protected) (?:static )?(?:final )?[\w<>\[\]]+ \w+\s*[(=;]`, `\bnew \w+(?:<.*>)?\(.*\);$`, `^\s*@Override$`)},
	{"C#", multi(`^using System(?:\.\w+)*;|\bConsole\.(?:WriteLine|ReadLine)\(|^\s*static (?:async )?(?:void|int|Task) Main\(`), nil},
	{"C or C++", multi(`^\s*#\s*include\s*[<"]|\bstd::(?:cout|cin|vector|string)\b|^\s*using namespace std;|^int main\s*\((?:void|int argc.*)?\)`), nil},
	{"Swift", multi(`^import (?:Foundation|SwiftUI|UIKit)$|^\s*guard let \w+ = |^\s*func \w+\([^)]*\w+ \w+:.*\) -> \w+`), nil},
	{"Scala", multi(`^\s*object \w+ (?:extends App )?\{|^\s*def \w+\(.*\): \w+(?:\[.*\])? = |^\s*case class \w+\(`), nil},
	{"Haskell", multi(`^\w+ :: .*->|^module [A-Z]\w* where`), nil},
	{"SQL", multi(`(?i:^\s*(?:SELECT\s.+\sFROM\s|CREATE (?:TABLE|INDEX|VIEW)\s|INSERT INTO\s|ALTER TABLE\s))`), nil},
	{"HTML", multi(`(?i:<!DOCTYPE html|^\s*<html[ >])`), nil},
	{"pseudocode", multi(`^\s*(?:END (?:IF|FOR|WHILE|FUNCTION|PROCEDURE)|ENDIF|ENDFOR|ENDWHILE)\b|\w ← |(?i:^\s*(?:end (?:for|while|function|procedure|algorithm))\s*$)|^\s*(?:FUNCTION|PROCEDURE|ALGORITHM) \w+|^Algorithm:`),
		hints(`^\s*(?:IF|FOR|WHILE|FOR EACH|RETURN|SET|INPUT|OUTPUT|PRINT|ELSE)\b`, `(?i:^\s*set \w+ to )`, `(?i:\bfor each \w+ in \w+(?: do)?:?$)`, `^\s*(?:function|procedure) \w+\([^)]*\):?$`)},
}

func multi(expr string) func(string) bool { return lazyre.Matcher(`(?m)` + expr) }

func hints(exprs ...string) (all []func(string) bool) {
	for _, e := range exprs {
		all = append(all, multi(e))
	}
	return all
}

// foreignBytes is how much of a text is read to tell that it is in none of the
// languages that can be run.
const foreignBytes = 8 << 10

// isForeign names the language of a text where it is surely none that can be
// run. PHP stands in HTML, and a shell's program may hold any other.
func (f *finder) isForeign(text string) string {
	text = f.head(text)
	text = text[:min(len(text), foreignBytes)]
	if strings.Contains(text, "<?php") || strings.HasPrefix(text, "#!") {
		return ""
	}
	for _, l := range foreign {
		if l.sure(text) {
			return l.name
		}
		n := 0
		for _, h := range l.hint {
			if h(text) {
				n++
			}
		}
		if n >= 2 {
			return l.name
		}
	}
	return ""
}
