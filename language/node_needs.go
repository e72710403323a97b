package language

import (
	"cmp"
	"encoding/json"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/internal/lazyre"
)

// The needs of tests are read from their text alone, before anything is started:
// modules, frameworks, and the program in their own process.

// nodeModules are Node.js's own modules.
var nodeModules = strings.Fields("assert async_hooks buffer child_process cluster console constants crypto dgram diagnostics_channel dns " +
	"domain events fs http http2 https inspector module net os path perf_hooks process punycode querystring readline repl " +
	"stream string_decoder sys timers tls trace_events tty url util v8 vm wasi worker_threads zlib")

// nodeMain are the names tests may use for the program's main file.
var nodeMain = []string{"", "solution", "main", "index", "program", "candidate"}

// nodeFolders are the folders in which tests may name the main file without a dot.
var nodeFolders = []string{"src", "lib", "app", "dist"}

// nodeLibraries are well-known libraries that judge, compare or help. A program is
// never taken for one of them, whatever its name.
var nodeLibraries = strings.Fields("chai lodash underscore ramda should expect expect.js must unexpected sinon jasmine qunit tap tape ava uvu " +
	"vitest jest mocha cypress deep-equal fast-deep-equal dequal is-equal deep-eql deep-diff deep-object-diff jsondiffpatch diff power-assert assert-plus " +
	"is-deep-equal shallowequal shallow-equal equals nano-equal lodash-es lodash.isequal lodash.clonedeep rambda remeda fast-check jsverify testcheck " +
	"proxyquire rewire nock supertest numeric mathjs decimal.js big.js bignumber.js moment dayjs date-fns luxon immutable immer rxjs axios " +
	"zod joi yup ajv jsdom cheerio react")

// nodeStandIn lists the supported functions of our stand-in for Jest, Vitest and
// Mocha.
var nodeStandIn = struct{ mock, expect, matchers []string }{
	strings.Fields("fn setTimeout useRealTimers clearAllMocks resetAllMocks restoreAllMocks"),
	strings.Fields("objectContaining arrayContaining stringContaining stringMatching any anything closeTo not assertions hasAssertions fail"),
	strings.Fields("toBe toEqual toStrictEqual toBeTruthy toBeFalsy toBeNull toBeUndefined toBeDefined toBeNaN toBeGreaterThan " +
		"toBeGreaterThanOrEqual toBeLessThan toBeLessThanOrEqual toBeCloseTo toBeInstanceOf toBeTypeOf toMatch toMatchObject " +
		"toContain toContainEqual toHaveLength toHaveProperty toHaveBeenCalled toHaveBeenCalledTimes toHaveBeenCalledWith " +
		"toHaveBeenLastCalledWith toHaveBeenNthCalledWith toHaveBeenCalledOnce toHaveReturned toHaveReturnedTimes toHaveReturnedWith " +
		"toHaveLastReturnedWith toHaveNthReturnedWith toThrow toThrowError toBeCalled toBeCalledTimes toBeCalledWith lastCalledWith"),
}

var (
	nodeMock    = lazyre.New(`\b(jest|vi)\s*\.\s*(\w+)`)
	nodeExpects = lazyre.New(`\bexpect\s*\.\s*(\w+)`)
	nodeExpect  = lazyre.New(`\bexpect\s*\(`)
	nodeChain   = lazyre.New(`^\s*\.\s*(\w+)`)
	nodeForms   = lazyre.New(`\b(?:test|it|describe)\s*\.\s*(extend|skipIf|runIf|sequential|shuffle|fails|for)\s*\(`)
	nodeReal    = lazyre.New(`\b(?:mock|t\.mock)\.(?:method|module|timers|getter|setter|property)\b|\bt\.assert\.snapshot\b`)
	nodeSpy     = lazyre.New(`\.\s*(mockReturnThis|mockName|getMockName|withImplementation)\s*\(|\.mock\s*\.\s*(lastCall|instances|contexts|invocationCallOrder|settledResults)\b`)
	nodeJSDOM   = lazyre.New(`@(?:jest|vitest)-environment\s+(\S+)`)
	nodeOthers  = lazyre.New(`(?:^|[^.\w$])(chai|sinon|should|QUnit|jasmine)\s*\.`)
	nodeTaken   = lazyre.New(`\bimport\s*(?:[\w$]+\s*,\s*)?\{([^}]*)\}\s*from\s*['"]([^'"]+)['"]`)
	nodeLower   = lazyre.New(`(?:^|,)\s*[a-z_$]`)
	nodeMocha   = lazyre.New(`\bthis\s*\.\s*(retries|currentTest|runnable)\b`)
)

// nodeWants are the requirements of a suite.
type nodeWants struct {
	// framework is "jest", "vitest", "mocha" or "node:test" if only the real
	// framework supports the feature what; "" if ours suffices.
	framework, what string
	// code is the code of all files.
	code string
}

// readNodeWants reads the requirements of tests, or the reason why they cannot run
// here.
func readNodeWants(tc *Toolchain, p *glovebox.Program, tests []glovebox.File) (nodeWants, *Unrunnable) {
	var w nodeWants
	var all strings.Builder
	imports := map[string]bool{}
	var missing []string
	chai := "" // the chai feature used by the tests
	lacks := func(name, what string) {
		if name == "chai" && tc.Tools["mocha"] != "" && tc.Tools["chai"] != "" {
			chai = what
		} else if !slices.Contains(missing, name) {
			missing = append(missing, name)
		}
	}
	for _, f := range tests {
		if !isNodeModule(f.Path) {
			continue
		}
		text := readNodeText(f.Data)
		all.WriteString(text.Code + "\n;")
		for _, name := range text.Imports {
			imports[strings.TrimPrefix(name, "node:")] = true
			if !text.Optional[name] && !nodeThere(p, name) {
				lacks(name, name)
			}
		}
		if m := nodeJSDOM().FindSubmatch(f.Data); m != nil && string(m[1]) != "node" {
			lacks(string(m[1]), "")
		}
	}
	w.code = all.String()
	if strings.Trim(w.code, " \t\r\n;") == "" {
		return w, &Unrunnable{Reason: "the tests are empty: there is no code in their files"}
	}
	if name := nodeHelper(p, tests); name != "" && len(missing) == 0 {
		return w, notHere(name, p.Main, "solution")
	}
	if m := nodeOthers().FindStringSubmatch(w.code); m != nil && len(missing) == 0 && !imports[m[1]] && !defines(w.code, m[1]) {
		lacks(m[1], m[1])
	}
	matchers := expectChains(w.code)
	if len(missing) == 0 && slices.ContainsFunc(matchers, func(m string) bool { return m == "to" || m == "be" }) {
		lacks("chai", "expect(…).to of chai")
	}
	if chai != "" && (imports["vitest"] || imports["@jest/globals"] || imports["test"] || nodeMock().MatchString(w.code)) {
		missing = append(missing, "chai") // next to another framework
	}
	if len(missing) > 0 {
		return w, &Unrunnable{Reason: "the tests need " + strings.Join(missing, ", ") + ", which is not here", Missing: missing}
	}

	if chai != "" {
		w.framework, w.what = "mocha", chai
		return w, nil
	}
	if m := nodeMocha().FindString(w.code); m != "" && len(imports) > 0 && !strings.Contains(w.code, "class ") {
		w.framework, w.what = "mocha", m
		return w, nil
	}
	framework := "jest"
	if imports["vitest"] {
		framework = "vitest"
	}
	need := func(name, what string) {
		if w.what == "" {
			w.framework, w.what = name, what
		}
	}
	for _, m := range nodeMock().FindAllStringSubmatch(w.code, -1) {
		if m[1] == "vi" {
			framework = "vitest"
		}
		if !slices.Contains(nodeStandIn.mock, m[2]) && !defines(w.code, m[1]) {
			need(framework, m[1]+"."+m[2])
		}
	}
	if m := nodeSpy().FindStringSubmatch(w.code); m != nil && strings.Contains(w.code, ".fn(") {
		need(framework, m[1]+m[2])
	}
	if !defines(w.code, "expect") {
		for _, m := range nodeExpects().FindAllStringSubmatch(w.code, -1) {
			if !slices.Contains(nodeStandIn.expect, m[1]) {
				need(framework, "expect."+m[1])
			}
		}
		for _, m := range matchers {
			if strings.HasPrefix(m, "to") && !slices.Contains(nodeStandIn.matchers, m) {
				need(framework, m)
			}
		}
	}
	if m := nodeForms().FindStringSubmatch(w.code); m != nil && imports["vitest"] {
		need("vitest", "test."+m[1])
	}
	if m := nodeReal().FindString(w.code); m != "" && imports["test"] {
		need("node:test", m)
	}
	return w, nil
}

// defines reports whether code itself defines a name with a declaration.
func defines(code, name string) bool {
	return regexp.MustCompile(`\b(?:const|let|var|function|class)\s+` + name + `\b`).MatchString(code)
}

// expectChains returns the last word of each chain after expect(…) in code.
func expectChains(code string) []string {
	var found []string
	for _, at := range nodeExpect().FindAllStringIndex(code, -1) {
		depth, n := 1, at[1]
		for ; n < len(code) && depth > 0; n++ {
			switch code[n] {
			case '(', '[', '{':
				depth++
			case ')', ']', '}':
				depth--
			}
		}
		for rest := code[n:]; ; {
			m := nodeChain().FindStringSubmatch(rest)
			if m == nil {
				break
			}
			rest = rest[len(m[0]):]
			if m[1] != "not" && m[1] != "resolves" && m[1] != "rejects" {
				found = append(found, m[1])
				break
			}
		}
	}
	return found
}

// nodeThere reports whether a module named by tests is available. Node.js never
// resolves a bare name to a file of the program. So a bare name means a library,
// except for the program's own package and the names of its main file.
func nodeThere(p *glovebox.Program, name string) bool {
	bare := strings.TrimPrefix(name, "node:")
	first, rest, _ := strings.Cut(bare, "/")
	switch {
	case name == "", bare != name, strings.HasPrefix(name, "."), strings.HasPrefix(name, "/"), strings.HasPrefix(name, "file:"), name[0] == '#':
		return true
	case slices.Contains(nodeModules, first), slices.Contains([]string{"@jest/globals", "vitest", "mocha"}, name):
		return true
	case slices.Contains(nodeLibraries, first), strings.HasPrefix(name, "@"):
		return false
	case slices.Contains(nodeMain, nodeEnding().ReplaceAllString(cmp.Or(rest, bare), "")) && (rest == "" || slices.Contains(nodeFolders, first)):
		return true
	}
	own := nodePackageOf(p)
	return own != "" && strings.HasPrefix(bare+"/", own+"/")
}

// nodeHelper returns a missing file that tests import next to the program, or "".
// If the tests never use a known name of the program, any missing file may mean the
// program.
func nodeHelper(p *glovebox.Program, tests []glovebox.File) string {
	bare := func(name string) string { return strings.TrimSuffix(nodeEnding().ReplaceAllString(name, ""), "/index") }
	here := map[string]bool{}
	for _, f := range slices.Concat(p.Files, tests) {
		here[bare(f.Path)], here[f.Path] = true, true
	}
	found, program := "", false
	for _, f := range tests {
		if !isNodeModule(f.Path) {
			continue
		}
		text := readNodeText(f.Data)
		// TypeScript omits an import of types. Type names begin with a capital.
		types := map[string]bool{}
		if slices.Contains(typeScriptFiles, path.Ext(f.Path)) {
			for _, m := range nodeTaken().FindAllStringSubmatch(string(f.Data), -1) {
				types[m[2]] = !nodeLower().MatchString(m[1])
			}
		}
		for _, name := range text.Imports {
			file := bare(path.Join(path.Dir(f.Path), name))
			switch {
			case !strings.HasPrefix(name, "."):
			case here[file] || here[path.Join(path.Dir(f.Path), name)]:
				program = program || file == bare(p.Main)
			case slices.Contains(nodeMain, path.Base(file)), path.Base(file) == bare(path.Base(p.Main)):
				program = true
			case !text.Optional[name] && !types[name]:
				found = cmp.Or(found, name)
			}
		}
	}
	if !program || p.Main == "" {
		return ""
	}
	return found
}

// nodePackageOf returns the name in the program's package.json, unless a library
// has the same name.
func nodePackageOf(p *glovebox.Program) string {
	for _, f := range p.Files {
		var own struct{ Name string }
		if f.Path == "package.json" && json.Unmarshal(f.Data, &own) == nil && !slices.Contains(nodeLibraries, own.Name) {
			return own.Name
		}
	}
	return ""
}

// nodeNeeds are uses possible only in the program's own process.
var nodeNeeds = []struct {
	pattern func() *regexp.Regexp
	what    string
}{
	{lazyre.New(`\b(?:console\.(?:log|error|warn|info)|process\.std(?:out|err)\.write|Math\.random|Date\.now|global(?:This)?\.\w+)\s*=[^=]`),
		"the tests replace parts of the language"},
	{lazyre.New(`\brequire\.cache\b|\breadFileSync\(`),
		"the tests load or start the program by themselves"},
	{lazyre.New(`\.prototype\b|\.__proto__\b|\bReflect\.|\bgetOwnProperty`),
		"the tests look into the program's classes"},
	{lazyre.New(`\beval\(|\bFunction\(`),
		"the tests make code from text"},
}

var (
	nodeExtends = lazyre.New(`\bextends\s+([\w$]+)`)
	nodeBuiltin = lazyre.New(`^(?:Array|Object|Map|Set|Promise|Function|EventEmitter|\w*Error)$`)
)

// needsProcess returns the reason why tests need the program in their own process,
// or "".
func (w nodeWants) needsProcess(tests []glovebox.File) string {
	for _, sign := range nodeNeeds {
		if sign.pattern().MatchString(w.code) {
			return sign.what
		}
	}
	for _, f := range tests {
		for _, name := range readNodeText(f.Data).Imports {
			if name = strings.TrimPrefix(name, "node:"); name == "child_process" || name == "vm" || name == "worker_threads" {
				return "the tests load or start the program by themselves"
			}
		}
	}
	for _, m := range nodeExtends().FindAllStringSubmatch(w.code, -1) {
		if !nodeBuiltin().MatchString(m[1]) && !defines(w.code, m[1]) {
			return "the tests extend a class of the program"
		}
	}
	return ""
}
