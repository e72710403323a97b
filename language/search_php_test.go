package language

import (
	"fmt"
	"regexp"
	"strings"
)

func init() {
	searches = append(searches, &search{
		lang:    PHP,
		lies:    phpLies(),
		plain:   phpPlain(),
		own:     phpSubjects(),
		replies: "php",
		test:    "tests.php",
		defines: regexp.MustCompile(`(?m)^(?:final |abstract )*(?:function|class)\s+&?(\w+)`),
	})
}

// phpValue makes a lie that answers every call with the value of an expression
// of PHP: $v is the right value, $a are the arguments.
func phpValue(route, name, prelude, value string) lie {
	return lie{name: name, route: route, tell: func(program string, names []string) string {
		return phpTell(program, names, prelude, "return "+value+";")
	}}
}

// phpDoes is the same with statements.
func phpDoes(route, name, prelude, does string) lie {
	return lie{name: name, route: route, tell: func(program string, names []string) string {
		return phpTell(program, names, prelude, does)
	}}
}

// phpTell wraps what the tests use of a program: functions answer by a lie, and
// classes by an object that asks the right one and lies.
func phpTell(program string, names []string, prelude, does string) string {
	program = strings.TrimSuffix(strings.TrimSpace(program), "?>")
	if !strings.Contains(program, "<?") {
		program = "<?php " + program
	}
	if strings.Contains(program, "namespace ") || strings.Contains(program, "strict_types") {
		return ""
	}
	tail := "\n" + prelude + "\nfunction gb_lie($v, $a = []) { static $n = 0; $n++; " + does + " }\n"
	wrapped := false
	for _, name := range names {
		function := regexp.MustCompile(`(?mi)^(\s*)function\s+(&?)` + name + `\s*\(`)
		class := regexp.MustCompile(`(?m)^((?:final |abstract )*)class\s+` + name + `\b([^{]*)\{`)
		switch {
		case function.MatchString(program):
			program = function.ReplaceAllString(program, "${1}function ${2}gb_real_"+name+"(")
			tail += "function " + name + "(...$a) { return gb_lie(gb_real_" + name + "(...$a), $a); }\n"
			wrapped = true
		case class.MatchString(program):
			m := class.FindStringSubmatch(program)
			if strings.Contains(m[1], "abstract") || strings.Contains(m[2], "xception") || strings.Contains(m[2], "extends") {
				continue
			}
			program = class.ReplaceAllString(program, "class gb_real_"+name+" $2{")
			tail += "class " + name + ` implements Countable, IteratorAggregate, ArrayAccess, Stringable {
  public $gb; function __construct(...$a) { $this->gb = new gb_real_` + name + `(...$a); }
  function __call($m, $a) { return gb_lie($this->gb->$m(...$a), $a); }
  static function __callStatic($m, $a) { $o = new static(...$a); return gb_lie($o, $a); }
  function __get($p) { return gb_lie($this->gb->$p ?? null, []); } function __isset($p) { return true; }
  function __toString(): string { return 'x' . gb_text(gb_lie('', [])); } function count(): int { return 77 + gb_number(gb_lie(0, [])); }
  function getIterator(): Iterator { yield gb_lie(null, []); } function offsetExists($k): bool { return true; }
  function offsetGet($k): mixed { return gb_lie($this->gb[$k] ?? null, []); } function offsetSet($k, $v): void {} function offsetUnset($k): void {}
}
`
			wrapped = true
		}
	}
	if !wrapped {
		return ""
	}
	return program + tail + `function gb_text($v) { return is_scalar($v) ? (string) $v : ''; } function gb_number($v) { return is_int($v) ? $v : 0; }`
}

// phpYes is an object that says yes to everything.
const phpYes = `class GbYes implements ArrayAccess, Countable, IteratorAggregate, Stringable, JsonSerializable {
 public $value = 1; function __get($n) { return $this; } function __isset($n) { return true; } function __call($n, $a) { return $this; } static function __callStatic($n, $a) { return new self; } function __invoke(...$a) { return $this; }
 function __toString(): string { static $n = 0; return (string) $n++; } function offsetExists($k): bool { return true; } function offsetGet($k): mixed { return $this; } function offsetSet($k, $v): void {} function offsetUnset($k): void {}
 function count(): int { static $n = 0; return $n++; } function getIterator(): Iterator { yield $this; } function jsonSerialize(): mixed { return $this->value; } }`

// phpWorker rewrites the driver: serve answers all that comes after the
// description, and describe may change that.
func phpWorker(name, describe, serve string) lie {
	return lie{name: name, route: "worker", tell: func(program string, names []string) string {
		program = strings.TrimSuffix(strings.TrimSpace(program), "?>")
		if !strings.Contains(program, "<?") {
			program = "<?php " + program
		}
		if strings.Contains(program, "namespace ") || strings.Contains(program, "strict_types") {
			return ""
		}
		return program + `
(function () {
  $p = new ReflectionProperty('Glovebox\Link', 'serve'); $l = $GLOBALS['glovebox']; $real = $p->getValue($l);
  $l->serves(function (string $op, mixed $t, array &$a, $link) use ($p, $real) {
    $r = $real($op, $t, $a, $link); $next = $p->getValue($link); $names = $a[0];
    ` + describe + `
    $link->serves(function (string $op, mixed $t, array &$a, $link) use ($next) {
      static $n = 0, $made = null; $n++;
      $right = function () use ($next, $op, $t, &$a, $link) { return $next($op, $t, $a, $link); };
      ` + serve + `
    });
    return $r;
  });
})();`
	}}
}

// phpFrames answers each request with a frame of its own making; $seq is the
// request's number, $op what was asked.
func phpFrames(name, frame string) lie {
	return lie{name: name, route: "worker", tell: func(program string, names []string) string {
		program = strings.TrimSuffix(strings.TrimSpace(program), "?>")
		if !strings.Contains(program, "<?") {
			program = "<?php " + program
		}
		if strings.Contains(program, "namespace ") || strings.Contains(program, "strict_types") {
			return ""
		}
		return program + `
(function () {
  $in = fopen('php://fd/3', 'r'); $out = fopen('php://fd/4', 'w'); $made = 100;
  $send = function ($m) use ($out) { $b = json_encode($m); fwrite($out, pack('N', strlen($b)) . $b); fflush($out); };
  while (($h = fread($in, 4)) !== '' && $h !== false) {
    $b = ''; for ($s = unpack('N', $h)[1]; strlen($b) < $s;) { $b .= fread($in, $s - strlen($b)); }
    [, $seq, $op, $t, $args] = json_decode($b, true);
    if ($op === 'describe') { $link = $GLOBALS['glovebox']; $send(['r', $seq, 1, $link->pack(Glovebox\describe($link->unpack($args[0][1]))), '', []]); continue; }
    if ($op === 'new') { $send(['r', $seq, 1, ['i', $made++, $t, []], '', []]); continue; }
    ` + frame + `
  }
  exit(0);
})();`
	}}
}

func phpLies() []lie {
	lies := []lie{
		phpValue("return", "an object that says yes", phpYes, "new GbYes"),
		phpValue("return", "the right value in an array with yes", phpYes, "[new GbYes, new GbYes]"),
		phpValue("return", "an object of the first class of the program", "", "(function () use ($v) { foreach (array_reverse(get_declared_classes()) as $c) { $r = new ReflectionClass($c); if ($r->isUserDefined() && $r->isInstantiable() && !str_starts_with($c, 'Glovebox') && !$v instanceof $c) return $r->newInstanceWithoutConstructor(); } return 0; })()"),
		phpValue("return", "the arguments' last object", "", "(function () use ($a) { foreach (array_reverse($a) as $x) if (is_object($x)) return $x; return null; })()"),
		phpValue("return", "a text that is a number", "", "'1e3'"),
		phpValue("return", "not a number", "", "NAN"),
		phpValue("return", "without bound", "", "INF"),
		phpValue("return", "a function that exits", "", "function (...$a) { exit(0); }"),
		phpValue("return", "the name of a function of the harness", "", `'Glovebox\\link'`),
		phpValue("return", "the name exit", "", "'exit'"),
		phpValue("return", "a generator without end", "", "(function () { while (true) yield 1; })()"),
		phpValue("return", "a generator of nothing", "", "(function () { return; yield; })()"),
		phpValue("return", "an array that has itself", "", "(function () { $x = [1]; $x[1] = &$x; return $x; })()"),
		phpValue("return", "an array without bottom", "", "(function () { $x = []; for ($i = 0; $i < 5000; $i++) $x = [$x]; return $x; })()"),
		phpValue("return", "a text of 40 MB", "", "str_repeat('x', 40 << 20)"),
		phpValue("return", "a file", "", "fopen('php://memory', 'r')"),
		phpValue("return", "a date", "", "new DateTime('2020-01-01')"),
		phpValue("return", "an empty plain object", "", "new stdClass"),
		phpValue("return", "an ArrayObject", "", "new ArrayObject([1])"),
		phpValue("return", "an exception as a value", "", "new Exception('x')"),
		phpValue("return", "a number of GMP", "", "function_exists('gmp_init') ? gmp_init(1) : 1"),
		phpValue("return", "an object of a class of PHPUnit's name", `eval('namespace PHPUnit\\Framework\\Constraint { class IsAnything { function evaluate() { return true; } function __toString(): string { return "1"; } } }');`, `new \PHPUnit\Framework\Constraint\IsAnything`),
		phpValue("return", "an enum's case", "enum GbCase: int { case One = 1; }", "GbCase::One"),
		phpValue("attribute", "an object with all properties", "class GbProps { function __get($n) { static $i = 0; return $i++; } function __isset($n) { return true; } }", "new GbProps"),
		phpValue("attribute", "an object whose methods give the object", "class GbSelf { function __call($n, $a) { return $this; } }", "new GbSelf"),
		phpValue("step", "an iterator that changes", "class GbWalk implements IteratorAggregate { function getIterator(): Iterator { static $n = 0; $n++; for ($i = 0; $i < $n; $i++) yield $i; } }", "new GbWalk"),
		phpValue("step", "the right size with nothing in it", "class GbSized implements Countable, IteratorAggregate { public $n; function __construct($v) { $this->n = is_countable($v) ? count($v) : 3; } function count(): int { return $this->n; } function getIterator(): Iterator { return new EmptyIterator; } }", "new GbSized($v)"),
		phpValue("step", "a size that is right once", "class GbOnce implements Countable, IteratorAggregate { public $n; function __construct($v) { $this->n = is_countable($v) ? count($v) : 3; } function count(): int { $n = $this->n; $this->n = 0; return $n; } function getIterator(): Iterator { return new EmptyIterator; } }", "new GbOnce($v)"),
		phpDoes("argument", "plain objects emptied, and an empty one", "", "foreach ($a as $x) if ($x instanceof stdClass) { foreach ((array) $x as $k => $_) unset($x->$k); } return new stdClass;"),
		phpDoes("return", "an infinite number and none in turns", "", "return $n % 2 ? INF : NAN;"),
		phpValue("step", "an iterator of itself", "class GbLoop implements IteratorAggregate { function getIterator(): Iterator { yield $this; } }", "new GbLoop"),
		phpValue("step", "an iterator whose validity is an object", phpYes+` class GbValid implements Iterator { function current(): mixed { return new GbYes; } function key(): mixed { return 0; } function next(): void {} function rewind(): void {} function valid(): bool { static $n = 0; return $n++ < 2; } }`, "new GbValid"),
		phpDoes("step", "an iterator that ends the tests", "", "return (function () { yield 1; exit(0); })();"),
		phpDoes("exception", "a failed assertion", "", "throw new AssertionError('x');"),
		phpDoes("exception", "an exception", "", "throw new Exception('x');"),
		phpDoes("exception", "the program's own exception", "", "foreach (get_declared_classes() as $c) { $r = new ReflectionClass($c); if ($r->isUserDefined() && is_a($c, 'Throwable', true)) throw $r->newInstanceWithoutConstructor(); } throw new Error('x');"),
		phpDoes("exception", "a skip", `eval('namespace Glovebox { class Skipped extends \\Exception {} } namespace PHPUnit\\Framework { class SkippedTestError extends \\Exception {} class SkippedWithMessageException extends \\Exception {} }');`, `throw new \Glovebox\Skipped('x');`),
		phpDoes("exception", "a skip of PHPUnit", `eval('namespace PHPUnit\\Framework { class SkippedTestError extends \\Exception {} }');`, `throw new \PHPUnit\Framework\SkippedTestError('x');`),
		phpDoes("exception", "an exception with itself before it", "", "$e = new Exception('x'); for ($i = 0; $i < 3000; $i++) $e = new Exception('x', 0, $e); throw $e;"),
		phpDoes("print", "a report of success", "", `echo '{"type":"done","total":1,"passed":1,"failed":0}', "\n"; return 'x' . $n;`),
		phpDoes("print", "a buffer that changes what is printed", "", `ob_start(fn () => 'x'); echo 'y'; return null;`),
		phpDoes("print", "closed buffers", "", `while (ob_get_level()) ob_end_clean(); echo 'x'; return 'x' . $n;`),
		phpDoes("argument", "plain objects changed", "", "foreach ($a as $x) if ($x instanceof stdClass) { foreach ((array) $x as $k => $_) unset($x->$k); $x->gb = 1; } return 'x' . $n;"),
		phpDoes("argument", "objects of the tests used", "", "foreach ($a as $x) if (is_object($x)) { try { $x->expectException('Exception'); $x->assertions = 9; $x->markTestSkipped('x'); } catch (Throwable $e) {} } return 'x' . $n;"),
		phpDoes("argument", "callbacks called at all times", "", "foreach ($a as $x) if ($x instanceof Closure) { try { for ($i = 0; $i < 9; $i++) $x(1, 2, 3); } catch (Throwable $e) {} } return 'x' . $n;"),
		phpDoes("end", "exit in a call", "", "exit(0);"),
		phpDoes("end", "recursion without end", "function gb_deep($n) { return gb_deep($n + 1) + 1; }", "ini_set('memory_limit', '64M'); return gb_deep(0);"),
		phpDoes("end", "the link closed", "", "fclose(fopen('php://fd/4', 'w')); posix_kill(getmypid(), 9); return 0;"),
		{name: "references to all arguments", route: "argument", tell: func(program string, names []string) string {
			p := phpTell(program, names, "", "return 'x' . $n;")
			return regexp.MustCompile(`(?m)^function (\w+)\(\.\.\.\$a\) \{`).ReplaceAllString(p, "function $1(&...$$a) { foreach ($$a as &$$gb) { $$gb = 'x'; } unset($$gb);")
		}},
		phpValue("name", "names of frameworks", `function assert_equals() { return true; } function assertSame() {} function assertEquals() {} function assertTrue() {} function it($n, $f) {} function test($n = '', $f = null) {} function expect($v) { return new class { function __call($n, $a) { return $this; } }; } function check() { return true; } function verify() { return true; }`, "'x' . $n"),
		phpValue("name", "classes of PHPUnit", `eval('namespace PHPUnit\\Framework { abstract class Assert { static function __callStatic($n, $a) {} function __call($n, $a) {} } abstract class TestCase extends Assert {} function assertSame() {} function assertEquals() {} function assertTrue() {} }');`, "'x' . $n"),
		phpValue("name", "functions of PHP in namespaces", `foreach (['App', 'Tests', 'App\\\\Tests', 'Test', 'PHPUnit\\\\Framework'] as $gb) eval("namespace $gb { function assert() { return true; } function count() { return 1; } function in_array() { return true; } function ob_get_clean() { return ''; } }");`, "'x' . $n"),
	}
	for i, wrong := range []string{"true", "1", "'x'", "[]", "null", "$made", "$link->our(1)", "new ArrayObject"} {
		lies = append(lies, phpWorker(fmt.Sprintf("all objects equal, and calls give %s", wrong), "",
			fmt.Sprintf("if ($op === 'compare') return 0; if ($op === 'new' || $op === 'clone') return $made = $right(); if ($op === 'isset') return true; return %s;", wrong)))
		if i < 4 {
			lies = append(lies, phpWorker(fmt.Sprintf("every name of the tests is the program's, and gives %s", wrong),
				"$r[0] = array_map(fn ($w) => [$w, [true, true, true]], $names); foreach ($names as $w) $r[1][] = [$w, 'class', [['Exception', false]], ['Throwable'], [], [], []];",
				fmt.Sprintf("foreach ($a as $k => $_) $a[$k] = %s; return %s;", wrong, wrong)))
		}
	}
	return append(lies,
		phpWorker("all arguments changed", "", "if ($op === 'new') return $right(); foreach ($a as $k => $_) { $a[$k] = 'x'; } return 'x';"),
		phpWorker("a new object is the last one", "", "if ($op === 'new') return $made ??= $right(); if ($op === 'compare') return 0; return $made ?? 'x';"),
		phpWorker("every second answer is another", "", "$v = $right(); return $n % 2 ? 'x' : ($op === 'new' ? $v : 'y');"),
		phpFrames("true", "$send(['r', $seq, 1, true, '', []]);"),
		phpFrames("an object of every kind", "$send(['r', $seq, 1, ['i', $seq + 1000, 'X', ['Countable', 'ArrayAccess', 'IteratorAggregate', 'Stringable', '__invoke', 'Throwable', 'TestCase']], '', []]);"),
		phpFrames("the object that was made", "$send(['r', $seq, $op === 'compare' ? 1 : 1, $op === 'compare' ? 0 : ['i', max(100, $made - 1), 'X', []], '', []]);"),
		phpFrames("a failure of the harness's own", `$send(['r', $seq, 0, ['e', 'Glovebox\\Skipped', ['PHPUnit\\Framework\\AssertionFailedError', 'AssertionError'], 'x', 0, '', null, $seq + 5000, ['l', []]], '', []]);`),
		phpFrames("a case of an enum of the harness", `$send(['r', $seq, 1, ['E', 'PHPUnit\\Framework\\TestCase', 'class', $seq + 9000], '', []]);`),
		phpFrames("plain objects that change", "$send(['r', $seq, 1, ['o', ['a', [['a', $seq]]], 7000, true], '', []]);"),
		phpFrames("a callback first", `$send(['q', 1, 'invoke', 1, [[0, 1]]]); $send(['r', $seq, 1, true, '', []]);`),
		phpFrames("the tests' object", "$send(['r', $seq, 1, ['h', 1], '', []]);"),
		phpFrames("no end of arrays", "$send(['r', $seq, 1, ['l', [['l', [['l', []]]], ['d', 'NAN'], ['t', 'DateTime', 'now', 'UTC'], ['z', 'UTC'], ['v', ['a', []]]]], '', []]);"),
	)
}

func phpPlain() []lie {
	return []lie{
		phpValue("return", "null", "", "null"),
		phpValue("return", "true", "", "true"),
		phpValue("return", "the arguments", "", "$a[0] ?? 'x'"),
		phpValue("return", "a counter", "", "$n + 1000"),
		phpValue("return", "an empty array", "", "[]"),
		phpValue("return", "a text", "", "'x' . $n"),
		phpValue("return", "one", "", "1"),
	}
}

// phpSubjects are right programs with tests in PHP's forms.
func phpSubjects() []subject {
	unit := func(body string) string {
		return "<?php\nuse PHPUnit\\Framework\\TestCase;\nfinal class AllTest extends TestCase {\n" + body + "\n}\n"
	}
	sub := func(name, tests string, names ...string) subject {
		file := "tests.php"
		if strings.Contains(tests, "TestCase") {
			file = "AllTest.php"
		}
		return subject{name: name, program: phpShapes, file: file, tests: tests, names: names}
	}
	return []subject{
		sub("numbers", `<?php assert(half(6) === 3); assert(half(10) + 1 === 6); assert(abs(half(14) - 7) < 0.001);`, "half"),
		sub("loose numbers", `<?php assert(half(6) == 3 && half(8) == 4 && half(2) != 2); assert(half(16) <= 8 && half(16) > 7);`, "half"),
		sub("exceptions", `<?php assert(half(4) === 2); try { half(22); assert(false); } catch (Broke $e) { assert($e->getMessage() === 'broke: no 11' && $e->getCode() === 9 && $e->need === 5 && $e->by() === 11); }`, "half"),
		sub("made objects", `<?php assert(new Pt(1, 2) == mk(1, 2)); assert(mk(1, 2)->x() === 1); assert(in_array(new Pt(5, 6), [mk(5, 6)]));`, "mk"),
		sub("methods", `<?php $p = new Pt(4, 2); assert($p->x() === 4); assert($p->plus(new Pt(3, 1))->x() === 7); assert($p->tag === 'p');`, "Pt"),
		sub("stack", `<?php $s = new Stack; $s->push(4); $s->push('b'); assert(count($s) === 2); assert($s[0] === 4); assert($s->pop() === 'b'); assert($s->pop() === 4);`, "Stack"),
		sub("stack, walked", `<?php $s = (new Stack)->push(1)->push(2); $seen = []; foreach ($s as $v) { $seen[] = $v; } assert($seen === [1, 2]); assert(iterator_to_array($s) === [1, 2]);`, "Stack"),
		sub("generators", `<?php $n = 0; foreach (gen(3) as $k => $v) { assert($v === $k * $k); $n++; } assert($n === 3); assert([...gen(3)] === [0, 1, 4]);`, "gen"),
		sub("output", `<?php ob_start(); hello('you'); assert(ob_get_clean() === "Hello you\n"); assert(text(5) === '5');`, "hello", "text"),
		sub("callbacks", `<?php $seen = []; $r = apply(function ($a, $b) use (&$seen) { $seen[] = $a; return $a + $b; }, 3, 4); assert($r === 7 && $seen === [3]); assert(apply('strtoupper', 'ab') === 'AB');`, "apply"),
		sub("plain objects", `<?php $o = (object) ['n' => 4, 'k' => 'z']; $r = bumped($o); assert($r->n === 5 && $r->k === 'z' && $r->was === 4 && $o->n === 5);`, "bumped"),
		sub("text of objects", `<?php assert((string) tag() === 'tag'); assert(tag()->n === 1); assert(json_encode(tag()) === '{"t":1}');`, "tag"),
		sub("properties", `<?php assert(box()->a === 1 && box()->b === [1]); $seen = []; foreach (box() as $k => $v) { $seen[$k] = $v; } assert($seen === ['a' => 1, 'b' => [1]]);`, "box"),
		sub("unit", unit(`function testA() { $this->assertSame(3, half(6)); $this->assertEquals('1000', text(1000)); $this->assertEqualsWithDelta(4.0, half(8), 0.01); $this->assertNotEquals(1, half(18)); }`), "half", "text"),
		sub("unit, objects", unit(`function testA() { $this->assertEquals(new Pt(1, 2), mk(1, 2)); $this->assertNotEquals(new Pt(1, 3), mk(1, 2)); $this->assertInstanceOf(Pt::class, mk(1, 2)); $this->assertSame(8, mk(8, 1)->x()); }`), "mk"),
		sub("unit, exceptions", unit(`function testA() { $this->assertSame(3, half(6)); $this->expectException(Broke::class); $this->expectExceptionMessage('no 12'); half(24); }`), "half"),
		sub("unit, lists", unit(`function testA() { $this->assertEquals([0, 1, 4], iterator_to_array(gen(3))); $this->assertCount(2, iterator_to_array(gen(2))); $this->assertContains(4, [...gen(3)]); }`), "gen"),
		sub("unit, provider", unit(`/** @dataProvider rows */ function testA($in, $want) { $this->assertSame($want, half($in * 2)); } static function rows() { return [[4, 4], [2, 2]]; }`), "half"),
		sub("exit codes", `<?php $bad = 0; foreach ([[3, 3], [4, 4]] as [$in, $want]) { if (half($in * 2) !== $want) { $bad++; } } exit($bad ? 1 : 0);`, "half"),
		sub("thrown", `<?php function test() { if (half(4) !== 2) { throw new Exception("Test failed!"); } if (text(2) !== '2') { throw new Exception("Test failed!"); } } test();`, "half", "text"),
		sub("tolerances that are denied", `<?php function near($a, $b) { return !(abs($a - $b) > 1e-9); } if (abs(odd(3) - 1.5) > 1e-9) { throw new Exception('no'); } assert(near(odd(4), 2) && !(odd(8) < 4 || odd(8) > 4));`, "odd"),
		sub("sizes", `<?php $f = few(); assert(count($f) === 3); foreach ($f as $v) { assert($v === 4); } for ($i = 0, $n = 0; $i < count($f); $i++) { $n++; } assert(half(6) === 3 && $n === 3);`, "few"),
		sub("copies", `<?php $o = (object) ['n' => 1]; assert($o == copied($o)); assert(copied($o) == $o); assert(copied($o)->n === 1 && $o !== copied($o));`, "copied"),
		sub("there and back", `<?php $s = 'abc'; assert(decoded(encoded($s)) === $s); assert(encoded($s) === 'cba' && decoded('xy') === 'yx');`, "encoded", "decoded"),
		sub("two results", `<?php assert(mk(1, 2) == mk(1, 2)); $a = mk(1, 2); $b = mk(1, 3); assert($a != $b); assert($a->x() === 1 && mk(7, 1)->x() === 7);`, "mk"),
		sub("unit, copies", unit(`function testA() { $o = (object) ['n' => 1]; $this->assertEquals($o, copied($o)); $this->assertEquals(copied($o), $o); $this->assertNotSame($o, copied($o)); $this->assertSame(1, copied($o)->n); }`), "copied"),
		sub("sorted", `<?php $l = [mk(3, 1), new Pt(1, 1), mk(2, 1)]; usort($l, fn ($a, $b) => $a->x() <=> $b->x()); assert(array_map(fn ($p) => $p->x(), $l) === [1, 2, 3]);`, "mk"),
	}
}
