package approval

import (
	"strings"
	"unicode"
)

// shows says of each byte of a line whether the letter that begins there is shown as
// itself. ASCII is not its business.
//
// A word is a run of letters, marks, digits and underscores. A letter that is not ASCII
// is shown where all letters of its word are of one script, none is ASCII, and one at
// least looks like no ASCII: "данные" and "数据" are words that nobody takes for others,
// and "сор", which is Cyrillic, is spelled out. Scripts that are written from the right,
// or with marks that join letters, are spelled out.
func shows(line string) []bool {
	show := make([]bool, len(line))
	start := -1 // of the word
	var script int
	var clear, mixed bool
	end := func(at int) {
		if start >= 0 && clear && !mixed {
			for i := start; i < at; i++ {
				show[i] = true
			}
		}
		start, script, clear, mixed = -1, 0, false, false
	}
	for i, r := range line {
		if r != '_' && !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsNumber(r) {
			end(i)
			continue
		}
		if start < 0 {
			start = i
		}
		if r == '_' || r >= '0' && r <= '9' {
			continue
		}
		of, plain := scriptOf(r)
		mixed = mixed || of == 0 || script != 0 && of != script
		clear = clear || plain
		script = of
	}
	end(len(line))
	return show
}

// Letters of scripts that are shown. Those of the first two that look like no ASCII are
// few; those of the third that look like some are.
const (
	clearCyrillic = "джийлпфцшщъыэюяБДЖИЙЛПФЦШЩЪЫЭЮЯ"
	clearGreek    = "δζθλξπφψΓΔΘΛΞΠΣΦΨΩ"
	likeASCII     = "ー 一丨丶丿乀乁乙乚亅二三十卜口工人入八厂儿几し く へ い り つ こ と の ノ ニ ロ エ ト ヘ ハ リ ソ ン イ レ 이 으 의 오 어 아"
)

// scriptOf returns a number for the script of a letter that may be shown, and whether the
// letter looks like no ASCII; 0 for any other rune.
func scriptOf(r rune) (script int, plain bool) {
	switch {
	case r >= 0x410 && r <= 0x44f:
		return 1, strings.ContainsRune(clearCyrillic, r)
	case r >= 0x391 && r <= 0x3c9 && unicode.IsLetter(r):
		return 2, strings.ContainsRune(clearGreek, r)
	case r >= 0x3400 && r <= 0x4dbf, r >= 0x4e00 && r <= 0x9fff, // Han
		r >= 0x3041 && r <= 0x3096, r >= 0x30a1 && r <= 0x30fa, r == 0x30fc, // kana
		r >= 0xac00 && r <= 0xd7a3: // Hangul
		return 3, !strings.ContainsRune(likeASCII, r)
	}
	return 0, false
}

// wide reports whether a shown letter takes two columns.
func wide(r rune) bool { return r >= 0x3000 }
