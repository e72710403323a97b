package language

import (
	"slices"
	"strings"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/internal/lazyre"
)

// The words of Bash known to the reader of tests.

var bashBuiltins = words(`. : [ alias bg bind break builtin caller cd command compgen complete compopt continue declare dirs
	disown echo enable eval exec exit export false fc fg getopts hash help history jobs kill let local logout mapfile
	popd printf pushd pwd read readarray readonly return set shift shopt source suspend test times trap true type
	typeset ulimit umask unalias unset wait`)

// bashAbsent are programs that tests may want but no Bash box contains. The program
// under test never stands in for one of them.
var bashAbsent = words(`python python2 python3 perl ruby node nodejs npm php lua go gcc cc clang make git curl wget ssh scp
	docker sudo su apt apt-get yum brew openssl sqlite3 mysql psql rsync zip unzip xmllint yq expect socat nc tput clear
	numdiff ndiff wdiff dwdiff sdiff diff3 colordiff ksh zsh dash fish busybox parallel shellcheck strace gdb ip ifconfig ping netstat lsof pgrep pkill killall flock`)

// bashOrnaments are programs in bashAbsent that tests can do without.
var bashOrnaments = words(`tput clear sudo`)

// bashOwnState are variables that control a shell.
var bashOwnState = words(`PATH IFS BASH_ENV ENV PS0 PS1 PS2 PS3 PS4 PROMPT_COMMAND SHELLOPTS BASHOPTS GLOBIGNORE LD_PRELOAD
	LD_LIBRARY_PATH CDPATH FIGNORE HISTFILE TMPDIR HOME LANG LC_ALL LC_CTYPE LC_COLLATE LC_NUMERIC POSIXLY_CORRECT
	BASH_COMPAT BASH_XTRACEFD EXECIGNORE FUNCNEST RANDOM SRANDOM SECONDS TZ TIMEFORMAT BASH_ARGV0 COMP_WORDBREAKS`)

// bashKnown are variables set by a shell or a framework. None of them holds program
// output.
var bashKnown = words(`BASH BASHPID BASH_ARGC BASH_COMMAND BASH_LINENO BASH_SOURCE BASH_SUBSHELL BASH_VERSINFO BASH_VERSION
	DIRSTACK EPOCHREALTIME EPOCHSECONDS EUID FUNCNAME GROUPS HOSTNAME HOSTTYPE IFS LINENO MACHTYPE OLDPWD OPTERR OPTIND
	OSTYPE PATH PIPESTATUS PPID PWD RANDOM SECONDS SHELL SHELLOPTS SHLVL SRANDOM UID USER LOGNAME HOME LANG TERM TMPDIR
	LC_ALL PS4 COLUMNS LINES status BATS_RUN_SKIPPED`)

// bashSaid are variables holding text that was read or matched.
var bashSaid = words(`REPLY MAPFILE BASH_REMATCH OPTARG output lines stderr stderr_lines _`)

// bashPure are commands with output determined by their words and their input
// alone.
var bashPure = words(`: true false echo printf seq basename dirname pwd date uname whoami id expr tr cut sed awk sort uniq wc
	head tail rev tac cat grep egrep fgrep readlink realpath cd compgen command type hostname nproc yes bc fold paste nl [ test`)

// bashFilters are tools that treat their input as data.
var bashFilters = words(`cat sort uniq wc head tail tr cut rev tac nl od xxd hexdump md5sum sha1sum sha256sum sha512sum cksum sum
	column paste fold fmt expand unexpand base64 base32 jq comm diff cmp join grep egrep fgrep sed awk gawk mawk tee read
	mapfile readarray while basename dirname seq expr sleep date true false test [ printf echo numfmt tsort shuf split`)

// bashWriters are tools that create or change files.
var bashWriters = words(`mktemp touch mkdir mkfifo cp mv ln tee dd truncate install split csplit rm rmdir chmod tar unlink`)

// bashAssertions matches the names of commands with which tests judge.
var bashAssertions = lazyre.New(`^(?:assert|refute|expect)|^(?:fail|pass|run|skip|check|verify|load|ok|not_ok|setup|teardown|bats_load_library|startSkipping|suite_addTest)$`)

// bashAsserting matches names defined only by frameworks.
var bashAsserting = lazyre.New(`^(?:assert|refute)(?:_|[A-Z]|$)|^bats_|^bats_load_library$|^suite_addTest$|^(?:start|end|is)Skipping$`)

func words(s string) map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(s) {
		m[w] = true
	}
	return m
}

var bashIdentifier = lazyre.New(`[A-Za-z_][A-Za-z0-9_]*`)

// bashOperand matches the names in an arithmetic expression, but not the digits of
// a number such as 0xff.
var bashOperand = lazyre.New(`(?:^|[^A-Za-z0-9_#@])([A-Za-z_][A-Za-z0-9_]*)`)

// bashTestFunction matches functions called by name, by a framework.
var bashTestFunction = lazyre.New(`^test|^(?:setup|teardown|setup_file|teardown_file|setup_suite|teardown_suite|setUp|tearDown|oneTimeSetUp|oneTimeTearDown|suite|main|candidate)$`)

// bashIsName reports whether s is a valid name of a function or variable.
func bashIsName(s string) bool {
	return s != "" && bashIdentifier().FindString(s) == s
}

// bashCommandName matches possible names of a program's functions, bashSignal the
// names of signals.
var (
	bashCommandName = lazyre.New(`^[A-Za-z_./][A-Za-z0-9_./:-]*$`)
	bashSignal      = lazyre.New(`^(?:SIG)?(?:HUP|INT|QUIT|KILL|TERM|ALRM|USR1|USR2)$`)
)

// bashIsTool reports whether name is a tool that a box may have.
func bashIsTool(name string) bool {
	return slices.Contains(bashNeeds, name) || slices.Contains(bashTools, name) || name == "bash" || name == "sh"
}

// bashFree are tool names that no test judges by and any program may use.
var bashFree = words(`sum join split link unlink yes arch fmt pr csplit numfmt`)

// bashSafeSet matches shell options with no effect on calls of the program.
var bashSafeSet = lazyre.New(`^(?:[-+][eEuvxTh]*o? ?(?:errexit|errtrace|functrace|nounset|pipefail|xtrace|verbose)?(?: |$))*$`)

// isBatsLibrary reports whether a test file is a copy of the Bats assertion
// libraries.
func isBatsLibrary(f glovebox.File) bool {
	return strings.Contains(string(f.Data), "batslib_err()") && strings.Contains(string(f.Data), "assert_output()")
}
