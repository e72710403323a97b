package language

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/gloveboxhq/glovebox"
	"github.com/gloveboxhq/glovebox/internal/lazyre"
)

// How PHP's tests run is decided here, from their text alone.

// phpCalls are functions useful to tests only in the program's own process.
var phpCalls = []struct {
	names func() *regexp.Regexp
	what  string
}{
	{lazyre.New(`(?i)^(?:method_exists|property_exists|get_class_methods|get_object_vars|get_class_vars|get_mangled_object_vars|get_parent_class|class_implements|class_parents|class_uses|is_iterable|settype)$`), "the tests look into the program's objects"},
	{lazyre.New(`(?i)^(?:shell_exec|exec|system|passthru|proc_open|popen|pcntl_\w+)$`), "the tests start the program by themselves"},
	{lazyre.New(`(?i)^(?:file_put_contents|tempnam|tmpfile|sys_get_temp_dir|fopen|mkdir|touch|unlink|symlink|chdir|stream_\w+_register)$`), "the tests share files with the program"},
	{lazyre.New(`(?i)^(?:mt_srand|srand|setlocale|date_default_timezone_set|ini_set|putenv|error_reporting|set_error_handler|mb_internal_encoding|bcscale|set_include_path|spl_autoload_register|stream_wrapper_register)$`), "the tests set what the program's process goes by"},
	{lazyre.New(`(?i)^(?:unserialize|create_function)$`), "the tests make objects of text"},
	{lazyre.New(`(?i)^(?:extract|parse_str)$`), "the tests make variables of values"},
	{lazyre.New(`(?i)^eval$`), "the tests run code that they make"},
}

var (
	phpReplaces = lazyre.New(`(?i)^(?:createMock|createStub|createPartialMock|createConfiguredMock|createConfiguredStub|createTestProxy|getMockBuilder|getMockForAbstractClass|getMockForTrait|prophesize)$`)
	phpIterator = lazyre.New(`(?i)^\\?(?:Traversable|Iterator|IteratorAggregate|Generator|JsonSerializable|Closure|ArrayObject|ArrayIterator)$`)
	phpShows    = lazyre.New(`(?i)^\\?(?:var_export|print_r|var_dump|json_encode|serialize|unserialize|eval|extract)$`)
	phpState    = lazyre.New(`^\$(?:GLOBALS|_SERVER|_ENV|_GET|_POST|_SESSION|_COOKIE|_REQUEST|_FILES)$`)
	// phpOwn matches names in extends, implements and use clauses that do not
	// belong to the program.
	phpOwn = lazyre.New(`(?i)TestCase$|^(?:Exception|ErrorException|Error|TypeError|ValueError|ArithmeticError|DivisionByZeroError|ArgumentCountError|AssertionError|UnhandledMatchError|JsonException|LogicException|BadFunctionCallException|BadMethodCallException|DomainException|InvalidArgumentException|LengthException|OutOfRangeException|RuntimeException|OutOfBoundsException|OverflowException|RangeException|UnderflowException|UnexpectedValueException|ArrayObject|ArrayIterator|stdClass|Countable|ArrayAccess|Iterator|IteratorAggregate|OuterIterator|RecursiveIterator|SeekableIterator|FilterIterator|IteratorIterator|Traversable|JsonSerializable|Stringable|Serializable|Throwable|UnitEnum|BackedEnum|DateTime\w*|DateInterval|Spl\w+)$`)
)

// needsProcess returns the reason why tests need the program in their own process,
// or "".
func (t *phpText) needsProcess() string {
	for i, token := range t.tokens {
		next := t.at(i + 1)
		switch token.kind {
		case phpWord:
			name := strings.TrimPrefix(token.text, "\\")
			for _, c := range phpCalls {
				if t.isCall(i) && c.names().MatchString(name) && !t.functions[strings.ToLower(name)] {
					return c.what
				}
			}
			switch {
			case t.isMember(i) && next.is("(") && phpReplaces().MatchString(name), phpLast(name) == "mockery" && next.is("::"):
				return "the tests replace parts of the program"
			case strings.HasPrefix(strings.ToLower(name), "reflection"):
				return "the tests look into the program's classes"
			case token.is("global") && next.kind == phpVariable:
				return "the tests use the program's variables"
			case phpIterator().MatchString(token.text) && (t.at(i-1).is("instanceof") || next.is("::") && t.at(i+2).is("class")):
				return "the tests ask for a kind of PHP's own objects"
			case token.is("array") && t.at(i-1).is("(") && next.is(")"):
				return "the tests make arrays of objects"
			case next.is("::") && t.at(i+2).kind == phpVariable && !token.is("self", "static", "parent") && !t.classes[phpLast(name)]:
				return "the tests use the program's static properties"
			case token.is("include", "include_once", "require", "require_once") && !t.isMember(i) && t.computed(i+1):
				return "the tests load files whose names they make"
			}
		case phpVariable:
			if phpState().MatchString(token.text) {
				return "the tests use the program's variables"
			}
		case phpString:
			if phpShows().MatchString(token.text) {
				return "the tests name functions that look into values"
			}
		case phpPunct:
			switch {
			case token.text == "`":
				return "the tests start the program by themselves"
			case token.text == "$":
				return "the tests make variables of values"
			}
		}
	}
	for _, base := range t.bases {
		last := phpLast(base)
		if !t.classes[last] && !phpOwn().MatchString(base[strings.LastIndexByte(base, '\\')+1:]) && !t.isFramework(base) {
			return "the tests extend a class of the program"
		}
	}
	return t.shared()
}

// computed reports whether the expression from i to its end has a variable.
func (t *phpText) computed(i int) bool {
	for depth := 0; i < len(t.tokens) && !t.at(i).is(";", "") && depth >= 0; i++ {
		if t.at(i).kind == phpVariable {
			return true
		}
		if t.at(i).is("(") {
			depth++
		} else if t.at(i).is(")") {
			depth--
		}
	}
	return false
}

// missing returns the PHP files loaded by the tests with a literal name, but
// provided by nobody. A single missing name means the program.
func (t *phpText) missing(files []glovebox.File) []string {
	var found []string
	for i := range t.tokens {
		if !t.at(i).is("include", "include_once", "require", "require_once") || t.isMember(i) || t.computed(i+1) {
			continue
		}
		name := ""
		for j := i + 1; j < len(t.tokens) && !t.at(j).is(";", ""); j++ {
			if t.at(j).kind == phpString {
				name += t.at(j).text
			}
		}
		base := path.Base(name)
		if path.Ext(base) != ".php" || base == "autoload.php" || slices.Contains(phpNames, base) || slices.Contains(found, base) ||
			slices.ContainsFunc(files, func(f glovebox.File) bool { return path.Base(f.Path) == base }) {
			continue
		}
		found = append(found, base)
	}
	return found
}

// isFramework reports whether a name belongs to PHPUnit.
func (t *phpText) isFramework(name string) bool {
	full := strings.TrimPrefix(name, "\\")
	if at, ok := t.imports[strings.ToLower(full)]; ok {
		full = at
	}
	return strings.HasPrefix(strings.ToLower(full), `phpunit\`)
}

// phpAsserts matches words that can make a test file fail.
var phpAsserts = lazyre.New(`(?i)assert|expect|fail|throw|exit|die|trigger_error|describe|should|^test$`)

// hasTest reports whether any part of the tests can fail: a function test…, an
// assertion, an exception.
func (t *phpText) hasTest() bool {
	for name := range t.functions {
		if strings.HasPrefix(name, "test") {
			return true
		}
	}
	return slices.ContainsFunc(t.tokens, func(token phpToken) bool {
		return token.kind == phpWord && phpAsserts().MatchString(phpLast(token.text)) || token.kind == phpDoc && strings.Contains(token.text, "@test")
	})
}

// usesPHPUnit reports whether the tests use PHPUnit.
func (t *phpText) usesPHPUnit() bool {
	for _, token := range t.tokens {
		if token.kind == phpWord && strings.HasPrefix(strings.ToLower(strings.TrimPrefix(token.text, `\`)), `phpunit\`) {
			return true
		}
	}
	return slices.ContainsFunc(t.bases, func(b string) bool { return phpLast(b) == "testcase" || phpLast(b) == "phpunit_framework_testcase" })
}

var (
	phpStandInMethod = lazyre.New(`(?m)^        (?:final )?(?:public|protected) (?:static )?function (\w+)`)
	// phpVocabulary matches the names of PHPUnit's methods for tests.
	phpVocabulary = lazyre.New(`(?i)^(?:assert\w*|expect[A-Z]\w*|mark\w+|with\w*Identical|create(?:Mock|Stub|Partial|Configured|Test)\w*|getMock\w*|prophesize|fail|addToAssertionCount|registerComparator|setLocale|iniSet|once|never|any|exactly|atLeast\w*|atMost|returnValue\w*|returnCallback|returnSelf|throwException|onConsecutiveCalls|isInstanceOf|isType|equalTo\w*|identicalTo|logical\w+|callback|anything|stringContains|matchesRegularExpression|matches|arrayHasKey|greaterThan\w*|lessThan\w*|countOf|getActualOutput\w*|getProvidedData|dataName|getDataSetAsString|hasOutput|output|setOutputCallback|provides|usesDataProvider|getStatus|status|hasFailed|requires|transformException|getResult|result)$`)
	phpAnnotated  = lazyre.New(`@(depends\w*|testWith|runInSeparateProcess|runTestsInSeparateProcesses|preserveGlobalState|before|after|beforeClass|afterClass|preCondition|postCondition|doesNotPerformAssertions|requires|backupGlobals|backupStaticAttributes|expectedException\w*)\b|@(dataProvider)\s+\\?[\w\\]+::`)
	phpAttributed = lazyre.New(`^(?i:Depends\w*|TestWith\w*|RunInSeparateProcess|RunTestsInSeparateProcesses|Before|After|BeforeClass|AfterClass|PreCondition|PostCondition|DataProviderExternal|DoesNotPerformAssertions|Requires\w+|BackupGlobals|BackupStaticProperties)$`)
	phpTen        = lazyre.New(`^(?i:Test|DataProvider\w*|Depends\w*|TestWith\w*|Before|After|BeforeClass|AfterClass|RunInSeparateProcess)$`)
)

// phpStandIn returns the methods of our stand-in for PHPUnit.
var phpStandIn = func() map[string]bool {
	text, err := phpScripts.ReadFile("php/phpunit.php")
	if err != nil {
		panic(err)
	}
	has := map[string]bool{}
	for _, m := range phpStandInMethod().FindAllSubmatch(text, -1) {
		has[strings.ToLower(string(m[1]))] = true
	}
	return has
}

// unitNeeds returns the PHPUnit features used by the tests but missing from our
// stand-in. ten reports whether the tests need PHPUnit 10.
func (t *phpText) unitNeeds() (missing []string, ten bool) {
	has := phpStandIn()
	need := func(what string) {
		if !slices.Contains(missing, what) {
			missing = append(missing, what)
		}
	}
	for i, token := range t.tokens {
		lower := strings.ToLower(token.text)
		switch {
		case token.kind == phpDoc:
			for _, m := range phpAnnotated().FindAllStringSubmatch(token.text, -1) {
				need("@" + m[1] + m[2])
			}
		case token.kind != phpWord:
		case t.isMember(i) && t.at(i+1).is("(") && phpVocabulary().MatchString(token.text) && !has[lower] && !t.functions[lower]:
			whose := t.at(i - 2)
			if whose.kind == phpVariable && whose.text == "$this" || whose.is("self", "static", "parent") || whose.kind == phpWord && t.isFramework(whose.text) {
				need(token.text + "()")
			}
		case t.inAttribute(i):
			name := token.text[strings.LastIndexByte(token.text, '\\')+1:]
			ten = ten || t.isFramework(token.text) && phpTen().MatchString(name)
			if t.isFramework(token.text) && phpAttributed().MatchString(name) {
				need("#[" + name + "]")
			}
		case strings.HasPrefix(lower, `phpunit\framework\`) || strings.HasPrefix(lower, `\phpunit\framework\`):
			last := phpLast(token.text)
			attribute := strings.Contains(lower, `\attributes\`)
			if !attribute && !slices.Contains([]string{"testcase", "assert", "assertionfailederror", "expectationfailedexception", "attributes"}, last) {
				need(token.text[strings.LastIndexByte(token.text, '\\')+1:])
			}
		}
	}
	return missing, ten
}

// inAttribute reports whether the token at i names an attribute.
func (t *phpText) inAttribute(i int) bool {
	if t.at(i - 1).is("#[") {
		return true
	}
	if !t.at(i - 1).is(",") {
		return false
	}
	for depth, j := 0, i-1; j > 0 && j > i-200; j-- {
		switch {
		case t.at(j).is(")", "]"):
			depth++
		case t.at(j).is("("):
			depth--
		case t.at(j).is("#["):
			return depth == 0
		case t.at(j).is(";", "{", "}"), depth < 0:
			return false
		}
	}
	return false
}

// phpJudges are libraries that judge or compare, by the first part of their names.
// A judging library never comes from the program.
var phpJudges = strings.Fields("Mockery Prophecy Hamcrest Codeception Behat PhpSpec Webmozart Respect Assert Tester atoum Kahlan Eris Swaggest Diff SebastianBergmann Symfony Doctrine Illuminate Carbon Laminas")

// otherFrameworks names a requirement of the tests other than PHPUnit that is
// missing here.
func (t *phpText) otherFrameworks() (reason string, missing []string) {
	for _, base := range t.bases {
		if last := phpLast(base); strings.HasSuffix(last, "testcase") && !t.classes[last] && !t.isFramework(base) {
			return "the tests extend " + base + ", which is neither theirs nor imported from PHPUnit", []string{base}
		}
	}
	for i, token := range t.tokens {
		if token.kind != phpWord {
			continue
		}
		lower := strings.ToLower(strings.TrimPrefix(token.text, `\`))
		switch {
		case t.isCall(i) && slices.Contains([]string{"it", "test", "describe"}, lower) && t.at(i+2).kind == phpString && !t.functions[lower],
			t.isCall(i) && lower == "expect" && !t.functions[lower]:
			return "the tests are Pest's, which is not here", []string{"Pest"}
		}
		for _, name := range phpJudges {
			if first, _, _ := strings.Cut(lower, `\`); first == strings.ToLower(name) && (strings.Contains(lower, `\`) || t.at(i+1).is("::") || t.at(i-1).is("use")) {
				return "the tests need " + name + ", which is not here", []string{name}
			}
		}
	}
	return "", nil
}
