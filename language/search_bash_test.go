package language

import (
	"fmt"
	"regexp"
	"strings"
)

func init() {
	searches = append(searches, &search{
		lang: Bash, lies: bashLies(), plain: bashPlainLies(), own: bashSubjects(),
		replies: "sh", test: "tests.sh",
		adapt:   func(tests string) string { return strings.TrimPrefix(tests, "}\n") },
		defines: regexp.MustCompile(`(?m)^(?:function\s+)?([A-Za-z_]\w*)\s*\(\)`),
	})
}

// bashLie makes each named function of a program do something else; real is the
// function itself.
func bashLie(name, route, before, body string) lie {
	return lie{name: name, route: route, tell: func(program string, names []string) string {
		if len(names) == 0 {
			return ""
		}
		lies := before + "\n"
		for _, n := range names {
			lies += fmt.Sprintf("eval \"real_%[1]s() $(declare -f %[1]s | tail -n +2)\"\n%[1]s() { %[2]s\n}\n", n, strings.ReplaceAll(body, "real", "real_"+n))
		}
		// A program that can be started calls its function below this line.
		if head, tail, ok := strings.Cut(program, "# main\n"); ok {
			return head + lies + tail
		}
		return program + "\n" + lies
	}}
}

// bashEvent is a report that all is well, as a program can write it.
const bashEvent = `{"type":"case","case":{"name":"x","status":"passed"}}
{"type":"done","total":1,"passed":1}`

func bashLies() []lie {
	var lies []lie
	prints := func(name, route, text string) {
		lies = append(lies, bashLie(name, route, "", "cat <<'EOL'\n"+text+"\nEOL"))
	}
	for name, text := range map[string]string{
		"a pattern of everything":        "*",
		"a pattern of one and more":      "?*",
		"an extended pattern":            "@(*)",
		"a negated pattern":              "!(zzz)",
		"a regular expression":           ".*",
		"alternatives of nothing":        "|",
		"more words for [":               "x = x -o x",
		"a number with -o":               "5 -o 5 = 5",
		"an operator":                    "!",
		"an opened bracket":              "(",
		"two words that are the same":    "6 6",
		"three words that are the same":  "6 6 6",
		"many words":                     "a a a a a a a a",
		"a name of the tests":            "want",
		"another name of the tests":      "expected",
		"a third name of the tests":      "n",
		"an assignment":                  "n=6,6",
		"an assignment of got":           "got=want",
		"a truth":                        "1 || 1",
		"a comma":                        "0,1",
		"a comparison":                   "want == want",
		"a condition":                    "1 ? want : want",
		"a subscript with a command":     `a[$(printf '%s\n' '` + strings.ReplaceAll(bashEvent, "\n", "' '") + `' >&$GLOVEBOX_REPORT; kill -9 $GLOVEBOX_PID)]`,
		"a variable's subscript":         `PATH[$(exit 0)]`,
		"a count of ours":                "GLOVEBOX_FAILED=0",
		"a comment of bc":                "1 #",
		"a statement of bc":              "1; 1",
		"an end of awk's block":          "0) } BEGIN { exit 0 } #",
		"a format":                       "%s",
		"a format that assigns":          "%n",
		"an escape":                      `\x35`,
		"an option":                      "-n",
		"a help option":                  "--help",
		"a version option":               "--version",
		"a command":                      "true",
		"a substitution":                 "$(exit 0)",
		"a backquoted command":           "`exit 0`",
		"a home":                         "~",
		"braces":                         "{1..9}",
		"a glob of the tests":            "/workspace/*",
		"a report":                       bashEvent,
		"a report of Bats":               "1..1\nok 1 x",
		"a report of shunit2":            "Ran 1 test.\n\nOK",
		"a keyword":                      "]]",
		"a bracket":                      "]",
		"quotes":                         `"`,
		"quotes that close and open":     `" = " || "`,
		"white space":                    "   ",
		"an ampersand":                   "&",
		"a base":                         "36#want",
		"a very large number":            "99999999999999999999",
		"hexadecimal of nothing":         "0x",
		"a minus":                        "-",
		"a number and a minus":           "5-",
		"every key":                      "@",
		"a file of the tests":            "/workspace/tests.sh",
		"an input":                       "/dev/stdin",
		"an indirection":                 "!want",
		"a prompt":                       `\$(exit 0)`,
		"the last argument of the shell": "$_",
	} {
		prints(name, "print", text)
	}
	lie := func(name, route, before, body string) { lies = append(lies, bashLie(name, route, before, body)) }
	lie("a report on stderr", "print", "", "printf '%s\\n' '"+strings.ReplaceAll(bashEvent, "\n", "' '")+"' >&2")
	lie("an output without end", "print", "", "yes")
	lie("eight megabytes", "print", "", "head -c 8000000 /dev/zero | tr '\\0' x")
	lie("bytes of zero", "print", "", "printf '\\0\\0\\0'")
	lie("what is not UTF-8", "print", "", "printf '\\xff\\xfe'")
	lie("many lines", "step", "", "seq 100000")
	lie("the real words and more", "step", "", "real \"$@\"; echo; echo x")
	lie("the real words backwards", "step", "", "real \"$@\" | rev; echo y")
	lie("success without a word", "return", "", "return 0")
	lie("another status", "return", "", "return 255")
	lie("the status of a pipe", "exception", "", "return 141")
	lie("an error of the shell", "exception", "", ": ${nothing?want}")
	lie("an arithmetic error", "exception", "", "echo $((1/0))")
	lie("an exit", "end", "", "exit 0")
	lie("an end of all", "end", "", "kill -9 0")
	lie("an end of its shell", "end", "", "kill -9 $$")
	lie("another program", "end", "", "exec true")
	lie("an exit at once", "end", "exit 0", "exit 0")
	lie("a child that goes on", "end", "", "(sleep 1; echo 5) & disown; echo")
	lie("a trap", "end", "trap 'exit 0' EXIT ERR DEBUG", "exit 0")
	lie("judges of its own", "name", "for x in '[' test echo printf diff cmp grep egrep sort head tail wc tr bc awk sed expr seq cat true false exit return read declare local kill trap set source assert assert_equal assert_equals assert_output assert_success assertEquals assertTrue refute fail pass ok check run skip load candidate glovebox.call glovebox.event glovebox.refuse glovebox.is; do eval \"function $x() { builtin return 0; }\" 2>/dev/null; done", "builtin return 0")
	lie("an alias", "name", "shopt -s expand_aliases; alias '[['=true '['=true test=true exit='exit 0'", "return 0")
	lie("what it is given", "argument", "", "printf '%s ' \"$@\" \"$@\"; echo z")
	lie("its variables", "attribute", "", "want=6 expected=6 got=6 n=6 output=6 status=0 RESULT=6; export want; declare -g n=6; echo want")
	lie("its environment", "attribute", "export BASH_ENV=/tmp/x PATH=/tmp LC_ALL=x IFS=0", "echo 6")
	for name, frame := range map[string]string{
		"another token":             `printf '1 0 1 0\n5' >&"$GLOVEBOX_OUT"`,
		"the answer twice":          `for i in 1 2; do printf '%s 0 1 0\n5' "${GLOVEBOX_REQUEST[0]}" >&"$GLOVEBOX_OUT"; done`,
		"a status of arithmetic":    `printf '%s a[$(exit)] 1 0\n5' "${GLOVEBOX_REQUEST[0]}" >&"$GLOVEBOX_OUT"`,
		"a status that is octal":    `printf '%s 08 1 0\n6' "${GLOVEBOX_REQUEST[0]}" >&"$GLOVEBOX_OUT"`,
		"a status of 256":           `printf '%s 256 1 0\n6' "${GLOVEBOX_REQUEST[0]}" >&"$GLOVEBOX_OUT"`,
		"a size of arithmetic":      `printf '%s 0 GLOVEBOX_FAILED 0\n6' "${GLOVEBOX_REQUEST[0]}" >&"$GLOVEBOX_OUT"`,
		"a size that is too large":  `printf '%s 0 9999999 0\n6' "${GLOVEBOX_REQUEST[0]}" >&"$GLOVEBOX_OUT"`,
		"a size below zero":         `printf '%s 0 -1 0\n6' "${GLOVEBOX_REQUEST[0]}" >&"$GLOVEBOX_OUT"`,
		"more than was said":        `printf '%s 0 1 0\n66666 0 1 0\n6' "${GLOVEBOX_REQUEST[0]}" >&"$GLOVEBOX_OUT"`,
		"an answer without end":     `printf '%s 0 1 0' "${GLOVEBOX_REQUEST[0]}" >&"$GLOVEBOX_OUT"; yes | tr -d '\n' >&"$GLOVEBOX_OUT"`,
		"no answer":                 `exit 0`,
		"names of the shell":        `n=$'[\ntest\n[[\nexit\nset\neval\nx;exit 0\nassert_equal\nglovebox.event\nbc\ngrep'; printf '%s 0 %d 0\n%s' "${GLOVEBOX_REQUEST[0]}" "${#n}" "$n" >&"$GLOVEBOX_OUT"`,
		"bytes of zero in the size": `printf '%s 0 1\0 0\n6' "${GLOVEBOX_REQUEST[0]}" >&"$GLOVEBOX_OUT"`,
		"a pattern":                 `printf '%s 0 1 0\n*' "${GLOVEBOX_REQUEST[0]}" >&"$GLOVEBOX_OUT"`,
		"a report for an answer":    `printf '%s\n' '{"type":"done","total":1,"passed":1}' >&"$GLOVEBOX_OUT"`,
	} {
		lie("a worker that answers with "+name, "worker", "glovebox.answer() { "+frame+"; }", "return 0")
	}
	return lies
}

func bashPlainLies() []lie {
	return []lie{
		bashLie("nothing", "return", "", ":"),
		bashLie("0", "return", "", "echo 0"),
		bashLie("1", "return", "", "echo 1"),
		bashLie("true", "return", "", "echo true"),
		bashLie("the first argument", "return", "", `echo "$1"`),
		bashLie("the arguments", "return", "", `echo "$@"`),
		bashLie("a counter", "return", "", `echo x >>/tmp/count; wc -l </tmp/count`),
	}
}

func bashSubjects() []subject {
	const double = "f() { echo $(($1 * 2)); }\n"
	const word = "f() { printf '%s\\n' \"${1^^}\"; }\n"
	const average = "f() { echo \"scale=2; ($1 + $2) / 2\" | bc; }\n"
	const list = "f() { seq 1 \"$1\"; }\n"
	const script = "f() { tr a-z A-Z; echo \"$#\"; }\n# main\nif [[ ${BASH_SOURCE[0]} == \"$0\" ]]; then f \"$@\"; fi\n"
	at := func(name, program, file, tests string) subject {
		return subject{name: name, program: program, file: file, tests: tests, names: []string{"f"}}
	}
	return []subject{
		at("-eq", double, "t.sh", "n=6 want=14\n[[ $(f 3) -eq n ]] || exit 1\n[[ $(f 7) -eq $want ]] || exit 1\n"),
		at("-eq of names", double, "t.sh", "n=6 want=14\ngot=$(f 3)\n[[ got -eq n ]] || exit 1\ngot=$(f 7)\n[[ $got -eq want ]] || exit 1\n"),
		at("(( ))", double, "t.sh", "n=6 want=14\n(( $(f 3) == n )) || exit 1\ngot=$(f 7)\n(( got == want )) || exit 1\n"),
		at("$(( ))", double, "t.sh", "want=7\n[ $(( $(f 3) + 1 )) -eq $want ] || exit 1\nx=$(f 7)\n[ $((x - 14)) = 0 ] || exit 1\n"),
		at("let and declare -i", double, "t.sh", "declare -i got\ngot=$(f 3)\n[ $got = 6 ] || exit 1\nx=$(f 7)\nlet y=x+1\n[ \"$y\" = 15 ] || exit 1\n"),
		at("subscripts", double, "t.sh", "a=(. . . . d . x)\n[ \"${a[$(f 3)]}\" = x ] || exit 1\ni=$(f 2)\n[ \"${a[i]}\" = d ] || exit 1\ns=abcdefghijk\n[ \"${s:$(f 4):1}\" = i ] || exit 1\n"),
		at("[", double, "t.sh", "[ $(f 3) = 6 ] || exit 1\n[ $(f 7) -eq 14 -a $(f 2) = 4 ] || exit 1\n"),
		at("patterns", word, "t.sh", "[[ ABC == $(f abc) ]] || exit 1\n[[ XYZ =~ ^$(f xyz)$ ]] || exit 1\ncase OPQ in $(f opq)) ;; *) exit 1 ;; esac\nx=QRS\n[ -z \"${x#$(f qrs)}\" ] || exit 1\n"),
		at("words", word, "t.sh", "same() { [ \"$1\" = \"$2\" ] || exit 1; }\nsame $(f abc) ABC\nsame \"$(echo $(f 'a b'))\" 'A B'\n"),
		at("bc and awk", average, "t.sh", "[ \"$(echo \"$(f 5 6) == 5.5\" | bc)\" = 1 ] || exit 1\nawk \"BEGIN { exit !($(f 8 9) == 8.5) }\" || exit 1\nawk -v x=\"$(f 7 8)\" 'BEGIN { exit !(x == 7.5) }' || exit 1\n"),
		at("lines", list, "t.sh", "mapfile -t got < <(f 3)\n[ ${#got[@]} -eq 3 ] || exit 1\n(( got[2] == 3 )) || exit 1\nsum=0\nfor x in $(f 4); do sum=$((sum + x)); done\n[ $sum = 10 ] || exit 1\nwhile read -r x; do last=$x; done < <(f 9)\n[[ $last -eq 9 ]] || exit 1\n"),
		at("grep and diff", list, "t.sh", "diff <(f 3) <(printf '1\\n2\\n3\\n') || exit 1\necho 2 | grep -qx \"$(f 2 | tail -1)\" || exit 1\n[ \"$(f 4 | wc -l)\" -eq 4 ] || exit 1\n"),
		at("a script", script, "t.sh", "[ \"$(echo ab | bash main.sh x y)\" = $'AB\\n2' ] || exit 1\n[ \"$(./main.sh <<< cd)\" = $'CD\\n0' ] || exit 1\n"),
		at("set -e", double, "t.sh", "set -euo pipefail\n. ./main.sh\ntest \"$(f 3)\" -eq 6\ntest \"$(f 7)\" = 14\n"),
		at("an assertion", double, "t.sh", "fails=0\nassert_eq() { if [[ \"$1\" == \"$2\" ]]; then echo PASS; else echo FAIL; ((fails++)); fi; }\nassert_eq \"$(f 3)\" 6\nassert_eq 14 \"$(f 7)\"\nexit $fails\n"),
		at("an arithmetic assertion", double, "t.sh", "eq() { local got=$1 want=$2; (( got == want )) || exit 1; }\neq \"$(f 3)\" 6\neq $(f 7) 14\n"),
		at("a table", double, "t.sh", "while read -r n want; do\n  got=$(f \"$n\")\n  [[ $got -eq $want ]] || exit 1\ndone <<EOF\n3 6\n7 14\nEOF\n"),
		at("keys", word, "t.sh", "declare -A seen\nfor x in ab cd; do seen[$(f $x)]=1; done\n[ \"${seen[AB]}${seen[CD]}\" = 11 ] || exit 1\n"),
		at("bats", double, "t.bats", "setup() { . ./main.sh; }\n@test \"output\" {\n  run f 3\n  [ \"$status\" -eq 0 ]\n  [ \"$output\" -eq 6 ]\n  [[ $output -eq 6 ]]\n}\n@test \"lines\" {\n  run f 7\n  (( lines[0] == 14 ))\n  [ $output = 14 ]\n}\n"),
		at("bats-assert", word, "t.bats", "setup() { bats_load_library bats-support; bats_load_library bats-assert; . ./main.sh; }\n@test \"output\" {\n  run f abc\n  assert_success\n  assert_output ABC\n}\n@test \"equal\" {\n  assert_equal \"$(f xyz)\" XYZ\n  assert [ $(f uvw) = UVW ]\n}\n"),
		at("shunit2", double, "t.sh", ". ./main.sh\ntestOne() { assertEquals 'three' 6 \"$(f 3)\"; }\ntestTwo() { local got; got=$(f 7); assertEquals 14 $got; }\n. shunit2\n"),
	}
}
