package language

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox"
)

// phpShapes is a right program with objects of the kinds that people write.
const phpShapes = `<?php
interface Shape { function area(): float; }
class Pt { private $x; private $y; public $tag = 'p';
  function __construct($x, $y) { $this->x = $x; $this->y = $y; }
  function plus(Pt $o): Pt { return new Pt($this->x + $o->x, $this->y + $o->y); }
  static function of($x, $y): static { return new static($x, $y); }
  function x() { return $this->x; } }
final class Pt3 extends Pt { function z() { return 3; } }
function mk($x, $y) { return new Pt($x, $y); }
function mk3() { return new Pt3(1, 2); }
class Stack implements Countable, IteratorAggregate, ArrayAccess { private $a = [];
  function push($v) { $this->a[] = $v; return $this; } function pop() { return array_pop($this->a); }
  function count(): int { return count($this->a); } function getIterator(): Iterator { return new ArrayIterator($this->a); }
  function offsetExists($k): bool { return isset($this->a[$k]); } function offsetGet($k): mixed { return $this->a[$k]; }
  function offsetSet($k, $v): void { if ($k === null) $this->a[] = $v; else $this->a[$k] = $v; } function offsetUnset($k): void { unset($this->a[$k]); } }
class Broke extends RuntimeException { public $need = 5; private $by; function __construct($m, $by) { parent::__construct("broke: $m", 9); $this->by = $by; } function by() { return $this->by; } }
class VeryBroke extends Broke {}
function spend($n) { if ($n > 10) throw new Broke("no $n", $n); if ($n < 0) throw new VeryBroke('neg', $n); return $n; }
function half($n) { if ($n > 20) throw new Broke('no ' . intdiv($n, 2), intdiv($n, 2)); return intdiv($n, 2); }
function area(Shape $s) { return $s->area(); }
function bump(stdClass $o) { $o->n++; return $o; }
function bumped(stdClass $o) { $c = clone $o; $o->n++; $c->n++; $c->was = $o->n - 1; return $c; }
function text($v) { return (string) $v; }
function gen($n) { for ($i = 0; $i < $n; $i++) yield $i => $i * $i; }
function typed(int $n) { return $n; }
function hello($w) { echo "Hello $w\n"; }
function apply(callable $f, ...$a) { try { return $f(...$a); } catch (Throwable $e) { return null; } }
class Tag implements Stringable, JsonSerializable { public $n = 1; function __toString(): string { return 'tag'; } function jsonSerialize(): mixed { return ['t' => $this->n]; } }
function tag() { return new Tag; }
class Few implements Countable, IteratorAggregate { function count(): int { return 3; } function getIterator(): Iterator { return new ArrayIterator([4, 4, 4]); } }
function few() { return new Few; }
function odd($n) { return $n / 2; }
function copied(stdClass $o) { return clone $o; }
function decoded($s) { return strrev($s); }
function encoded($s) { return strrev($s); }
function at($a, $k) { return $a[$k]; }
class Box { public $a = 1; public $b = [1]; private $c = 2; static $made = 0; }
function box() { return new Box; }
function sorted(array $xs) { sort($xs); return $xs; }
function shorten(array &$xs) { array_pop($xs); return count($xs); }
function near($a, $b) { return abs($a - $b) < 0.01; }
function keyed() { return new ArrayObject(['a1' => 1, 'b2' => 2]); }
`

// TestPHPExams runs tests in the shapes that people write, with the right
// program and with wrong ones.
func TestPHPExams(t *testing.T) {
	apart, judged, together := glovebox.ProofOutOfProcess, glovebox.ProofCandidateJudged, glovebox.ProofInProcess
	unit := func(body string) string {
		return "<?php\nuse PHPUnit\\Framework\\TestCase;\nfinal class ShapesTest extends TestCase {\n" + body + "\n}\n"
	}
	for _, c := range []struct {
		name, tests string
		// from and to make the program wrong.
		from, to string
		proof    glovebox.Proof
		pass     bool
		// why is a part of the reason of a failure.
		why string
	}{
		{"made objects are equal", `<?php assert(new Pt(1, 2) == mk(1, 2)); assert(mk(1, 2) != new Pt(1, 3));`, "", "", judged, true, ""},
		{"made objects are not equal", `<?php assert(new Pt(1, 2) == mk(1, 2));`, "return new Pt($x, $y)", "return new Pt($x, 9)", apart, false, "assert"},
		{"in_array", `<?php assert(in_array(new Pt(1, 2), [mk(3, 4), mk(1, 2)])); assert(!in_array(new Pt(9, 9), [mk(3, 4)]));`, "", "", judged, true, ""},
		{"in_array, wrong", `<?php assert(in_array(new Pt(1, 2), [mk(3, 4), mk(1, 2)]));`, "return new Pt($x, $y)", "return new Pt(0, 0)", apart, false, "assert"},
		{"array_search and arrays", `<?php assert(array_search(new Pt(3, 4), [mk(1, 2), mk(3, 4)]) === 1); assert([mk(1, 2), 5] == [new Pt(1, 2), 5]);`, "", "", judged, true, ""},
		{"order", `<?php assert(new Pt(1, 2) < mk(1, 3)); assert((mk(2, 2) <=> new Pt(1, 9)) === 1);`, "", "", judged, true, ""},
		{"static methods make", `<?php assert(Pt::of(1, 2) == mk(1, 2));`, "", "", judged, true, ""},
		{"two results, caught", `<?php try { $x = [mk(1, 2)] == [mk(1, 2)]; } catch (Throwable $e) {} assert(mk(1, 2)->x() === 1);`, "", "", apart, false, "two objects that the program returned"},
		{"plain values of objects", `<?php $p = (new Pt(1, 2))->plus(new Pt(1, 1)); assert($p->x() === 2 && $p->tag === 'p');`, "", "", apart, true, ""},
		{"an object that PHP takes for one", `<?php assert(spend(1) == 1);`, "return $n; }\nfunction half", "return new Pt(1, 1); }\nfunction half", apart, false, "could not be converted"},
		{"json of an object", `<?php assert(json_encode(box()) === '{"a":1,"b":[1]}'); assert(json_encode([tag()]) === '[{"t":1}]');`, "", "", apart, true, ""},
		{"json of an object is not empty", `<?php assert(json_encode(box()) === '{}');`, "", "", apart, false, "assert"},
		{"array of an object", `<?php assert((array) box() === []);`, "", "", together, false, "assert"},
		{"array of an object, right", `<?php assert(count((array) box()) === 3);`, "", "", together, true, ""},
		{"foreach of an object", `<?php $seen = []; foreach (box() as $k => $v) { $seen[$k] = $v; } assert($seen === ['a' => 1, 'b' => [1]]);`, "", "", apart, true, ""},
		{"var_export of an object", `<?php assert(str_contains(var_export(box(), true), "'a' => 1")); assert(print_r(box(), true) !== print_r(mk(1, 2), true));`, "", "", apart, true, ""},
		{"clone", `<?php $s = (new Stack)->push(1); $t = clone $s; $t->push(2); assert(count($s) === 1 && count($t) === 2);`, "", "", apart, true, ""},
		{"count, iteration, elements", `<?php $s = new Stack; $s[] = 4; $s->push(5); assert(count($s) === 2 && isset($s[1]) && !isset($s[2]) && $s[0] === 4); assert(iterator_to_array($s) === [4, 5]);`, "", "", apart, true, ""},
		{"made comes back", `<?php $s = new Stack; $p = new Pt(1, 2); $s->push($p); assert($s->pop() === $p);`, "", "", judged, true, ""},
		{"no kind that it is not", `<?php assert(mk(1, 2) instanceof Countable);`, "", "", apart, false, "assert"},
		{"parents that are not named", `<?php assert(mk3() instanceof Pt && mk3()->z() === 3 && mk3()->x() === 1);`, "", "", apart, true, ""},
		{"generators", `<?php foreach (gen(3) as $k => $v) { assert($v === $k * $k); } $g = gen(2); assert($g->current() === 0); $g->next(); assert($g->current() === 1); assert([...gen(3)] === [0, 1, 4]);`, "", "", apart, true, ""},
		{"generators by kind", `<?php assert(gen(3) instanceof Generator);`, "", "", together, true, ""},
		{"exceptions carry", `<?php try { spend(11); assert(false); } catch (Broke $e) { assert($e->getMessage() === 'broke: no 11' && $e->getCode() === 9 && $e->need === 5 && $e->by() === 11); }`, "", "", apart, true, ""},
		{"exceptions that are not named", `<?php try { spend(-1); assert(false); } catch (RuntimeException $e) { assert($e->need === 5 && $e->by() === -1 && !($e instanceof LogicException)); }`, "", "", apart, true, ""},
		{"exceptions of the tests", `<?php class Mine extends Exception {} $r = apply(function () { throw new Mine('x'); }); assert($r === null);`, "", "", apart, true, ""},
		{"a made exception", `<?php $e = new Broke('x', 3); assert($e->getMessage() === 'broke: x' && $e->by() === 3);`, "", "", apart, true, ""},
		{"swallowed", `<?php apply(function ($v) { assert($v === 2); }, 1); assert(spend(1) === 1);`, "", "", apart, false, "in a function of the tests"},
		{"plain objects are changed", `<?php $o = new stdClass; $o->n = 1; $r = bump($o); assert($o->n === 2 && $r === $o);`, "", "", apart, true, ""},
		{"classes for the program", `<?php class Sq implements Shape { function area(): float { return 4.0; } } assert(area(new Sq) === 4.0); assert(area(new class implements Shape { function area(): float { return 1.0; } }) === 1.0);`, "", "", together, true, ""},
		{"a class named in a comment", "<?php // class Sq extends Shape\n/* new ReflectionClass */ assert(spend(1) === 1, 'exec(x) $$x (array)');", "", "", apart, true, ""},
		{"text of an object", `<?php assert((string) tag() === 'tag' && tag() . '!' === 'tag!' && strlen(tag()) === 3);`, "", "", apart, true, ""},
		{"strict types", `<?php declare(strict_types=1); try { typed('5'); assert(false, 'not strict'); } catch (TypeError $e) { assert(typed(5) === 5); }`, "", "", apart, true, ""},
		{"loose types", `<?php assert(typed('5') === 5);`, "", "", apart, true, ""},
		{"static properties", `<?php Box::$made = 4; assert(Box::$made === 4);`, "", "", together, true, ""},
		{"text as a callable", `<?php assert(call_user_func('Pt::of', 1, 2)->x() === 1 && call_user_func(['Pt', 'of'], 3, 2)->x() === 3 && array_map('spend', [1]) === [1]);`, "", "", apart, true, ""},
		{"text of the tests as a callable", `<?php class Own { static function twice($n) { return $n * 2; } } assert(apply('Own::twice', 2) === 4 && apply(['Own', 'twice'], 3) === 6 && apply([new Own, 'twice'], 4) === 8);`, "", "", apart, true, ""},
		{"an interface of exceptions", `<?php try { throw apply(fn () => new VeryBroke('x', 1)); } catch (Worry $e) { assert($e->by() === 1); } try { spend(-1); assert(false); } catch (Worry $e) { assert($e->by() === -1); }`, "class Broke extends RuntimeException", "interface Worry extends Throwable {} class Broke extends RuntimeException implements Worry", apart, true, ""},
		{"code that is made", `<?php eval('$x = ' . spend(3) . ';'); assert($x === 3);`, "", "", together, true, ""},
		{"a size and what is given", `<?php $f = few(); assert(count($f) === 3); $n = 0; foreach ($f as $v) { assert($v === 4); $n++; } assert(iterator_to_array(few()) === [4, 4, 4]);`, "", "", apart, true, ""},
		{"the right size and nothing in it", `<?php $f = few(); assert(count($f) === 3); foreach ($f as $v) { assert($v === 4); }`, "new ArrayIterator([4, 4, 4])", "new ArrayIterator([])", apart, false, "whose count is not that"},
		{"the right size after nothing was in it", `<?php $f = few(); foreach ($f as $v) { assert($v === 4); } assert(count($f) === 3);`, "new ArrayIterator([4, 4, 4])", "new ArrayIterator([])", apart, false, "whose count is not that"},
		{"the right size, and none at the second reading", `<?php $f = few(); assert(count($f) === 3); for ($i = 0; $i < count($f); $i++) { assert(half(4) === 2); }`, "int { return 3; }", "int { static $n = 0; return $n++ ? 0 : 3; }", apart, false, "whose count is not that"},
		{"the right size and nothing in it, caught", `<?php try { $f = few(); assert(count($f) === 3); foreach ($f as $v) { assert($v === 4); } } catch (Throwable $e) {} assert(half(4) === 2);`, "new ArrayIterator([4, 4, 4])", "new ArrayIterator([])", apart, false, "whose count is not that"},
		{"NaN that is ordered", `<?php if (abs(odd(3) - 1.5) > 1e-9) { throw new Exception('no'); }`, "return $n / 2;", "return NAN;", apart, false, "not a number"},
		{"a number that is ordered", `<?php if (abs(odd(3) - 1.5) > 1e-9) { throw new Exception('no'); } assert(odd(4) >= 2 && !(odd(4) < 2.0) && max(odd(2), 3) === 3);`, "", "", apart, true, ""},
		{"NaN that is ordered in a list", `<?php if ([abs(odd(3) - 1.5)] > [1e-9]) { throw new Exception('no'); }`, "return $n / 2;", "return NAN;", apart, false, "not a number"},
		{"NaN under the greatest", `<?php assert(max(0.0, abs(odd(3) - 1.5)) < 1e-9);`, "return $n / 2;", "return NAN;", apart, false, "not a number"},
		{"NaN by a helper, caught", `<?php function near($a, $b) { return !(abs($a - $b) > 1e-9); } try { near(odd(3), 1.5); } catch (Throwable $e) {} assert(half(4) === 2);`, "return $n / 2;", "return NAN;", apart, false, "not a number"},
		{"NaN as an int", `<?php if ((int) (abs(odd(3) - 1.5) * 1e6) !== 0) { throw new Exception('no'); }`, "return $n / 2;", "return NAN;", apart, false, "not a number"},
		{"NaN as an int, by a function", `<?php assert(intval(1e6 * abs(odd(3) - 1.5)) === 0);`, "return $n / 2;", "return NAN;", apart, false, "not a number"},
		{"numbers as ints", `<?php $o = (object) ['a' => ['x' => 2.5]]; assert((int) odd(5) === 2 && (int) $o->a['x'] ** 2 === 6 && -(int) '3' < (int) -odd(3) + 2 && intval(odd(7)) === 3);`, "", "", apart, true, ""},
		{"brackets in texts", `<?php $n = 2; foreach (["{{$n}}", "($n)", ")$n("] as $t) { assert(odd(3) > 1 && "{{$t}}" === "{{$t}}"); } if ($n > 1) { assert(odd(5) < 3); }`, "", "", apart, true, ""},
		{"NaN that is wanted", `<?php assert(is_nan(odd(3)) && odd(3) !== odd(3));`, "return $n / 2;", "return NAN;", apart, true, ""},
		{"a copy of an object", `<?php $o = (object) ['n' => 1]; assert($o == copied($o)); assert($o !== copied($o));`, "", "", apart, true, ""},
		{"an emptied object", `<?php $o = (object) ['n' => 1]; assert($o == copied($o));`, "{ return clone $o; }", "{ unset($o->n); return new stdClass; }", apart, false, "assert"},
		{"an emptied object, the other way around", `<?php $o = (object) ['n' => 1]; assert(copied($o) == $o);`, "{ return clone $o; }", "{ unset($o->n); return new stdClass; }", apart, false, "assert"},
		{"a copy that is the first object that came", `<?php $o = (object) ['n' => 1]; assert($o == copied($o)); assert($o !== copied($o));`, "{ return clone $o; }", "{ static $first; return $first ??= $o; }", apart, false, "assert"},
		{"an object that is read after the comparison", `<?php $o = (object) ['n' => 1]; $p = (object) ['n' => 2]; assert(bumped($o) != $o); assert($o->n === 2 && $p == copied($o));`, "", "", apart, true, ""},
		{"a text that a call takes away", `<?php $s = 'abc'; assert(decoded(encoded($s)) === $s);`, "function encoded($s) { return strrev($s); }", "function encoded(&$s) { return $s = ''; }", apart, false, "assert"},
		{"a text there and back", `<?php $s = 'abc'; assert(decoded(encoded($s)) === $s);`, "", "", apart, true, ""},
		{"two results of functions", `<?php assert(mk(1, 2) == mk(1, 2)); assert(mk(1, 2)->x() === 1);`, "", "", judged, true, ""},
		{"two results in variables", `<?php $a = mk(1, 2); $b = mk(1, 3); assert($a != $b); assert($a->x() === 1);`, "", "", judged, true, ""},
		{"two results, wrong", `<?php assert(mk(1, 2) == mk(1, 2));`, "return new Pt($x, $y)", "static $n = 0; return new Pt($x, $n++)", apart, false, "assert"},
		{"two results in a list", `<?php assert([mk(1, 2)] == [mk(1, 2)]);`, "", "", apart, false, "two objects that the program returned"},
		{"warnings of tests without a framework", `<?php assert(at([1], 3) === null);`, "", "", apart, true, ""},
		{"seeds", `<?php mt_srand(3); assert(spend(3) === 3);`, "", "", together, true, ""},

		{"unit", unit(`function testA() { $this->assertEquals(new Pt(1, 2), mk(1, 2)); $this->assertNotEquals(new Pt(1, 3), mk(1, 2)); } function testB() { $this->assertSame(3, spend(3)); }`), "", "", judged, true, ""},
		{"unit, wrong", unit(`function testA() { $this->assertEquals(new Pt(1, 2), mk(1, 2)); }`), "return new Pt($x, $y)", "return new Pt(1, 1)", apart, false, "expected"},
		{"unit, one that comes back", unit(`function testA() { $s = new Stack; $p = new Pt(1, 2); $s->push($p); $this->assertContainsEquals($p, [$s->pop()]); }`), "", "", judged, true, ""},
		{"unit, a number, and what returns itself", unit(`function testA() { $want = 7; $s = new Stack(); $s->push($want); $this->assertTrue($s->pop() === $want); }`), "", "", apart, true, ""},
		{"unit, a number, and what returns nothing", unit(`function testA() { $want = 7; $s = new Stack(); $s->push($want); $this->assertTrue($s->pop() === $want); }`), "$this->a[] = $v; return $this;", "$this->a[] = $v;", apart, true, ""},
		{"unit, an object that comes back or another", unit(`function testA() { $p = new Pt(1, 2); $s = new Stack(); $s->push($p); $this->assertNotSame($p, clone $s->pop()); }`), "", "", judged, true, ""},
		{"unit, a helper that compares", unit(`private function same($got, $want) { $this->assertTrue($got === $want); } function testA() { $s = new Stack(); $s->push(3); $this->same($s->pop(), 3); }`), "", "", apart, true, ""},
		{"unit, a provider and a comparison", unit(`/** @dataProvider rows */ function testA($in, $want) { $s = new Stack(); $s->push($in); $this->assertTrue($want === $s->pop()); } static function rows() { return [[1, 1], [2, 2]]; }`), "", "", apart, true, ""},
		{"unit, a list that is sorted after", unit(`function testA() { $xs = [3, 1, 2]; $got = sorted($xs); sort($xs); $this->assertSame($xs, $got); }`), "", "", apart, true, ""},
		{"unit, a list that is emptied, sorted after", unit(`function testA() { $xs = [3, 1, 2]; $got = sorted($xs); sort($xs); $this->assertSame($xs, $got); }`), "function sorted(array $xs) {", "function sorted(array &$xs) { $xs = [];", apart, false, "expected"},
		{"unit, a list that is emptied, summed after", unit(`function testA() { $xs = [3, 1, 2]; $got = sorted($xs); $this->assertSame(array_sum($xs), array_sum($got)); }`), "function sorted(array $xs) {", "function sorted(array &$xs) { $xs = [];", apart, false, "expected"},
		{"unit, a list that is emptied, walked after", unit(`function testA() { $xs = [3, 1, 2]; $got = sorted($xs); $n = 0; foreach ($xs as $x) { $n += $x; } $this->assertEquals($n, array_sum($got)); }`), "function sorted(array $xs) {", "function sorted(array &$xs) { $xs = [];", apart, false, "expected"},
		{"unit, a list that is emptied, counted after", unit(`function testA() { $xs = [3, 1, 2]; $this->assertSame(count(sorted($xs)), count($xs)); }`), "function sorted(array $xs) {", "function sorted(array &$xs) { $xs = [];", apart, false, "expected"},
		{"a list that is emptied, in a table", `<?php foreach ([['in' => [2, 1]], ['in' => [4]]] as $c) { if (array_sum(sorted($c['in'])) !== array_sum($c['in'])) { throw new Exception('wrong'); } }`, "function sorted(array $xs) {", "function sorted(array &$xs) { $xs = [];", apart, false, "wrong"},
		{"unit, a list that is changed and read", unit(`function testA() { $xs = [3, 1, 2]; $n = shorten($xs); $this->assertSame([3, 1], $xs); $this->assertSame(2, $n); }`), "", "", apart, true, ""},
		{"unit, a list that is changed and read, and compared", unit(`function testA() { $xs = [3, 1, 2]; $n = shorten($xs); $this->assertSame([3, 1], $xs); $this->assertSame(count($xs), $n); }`), "", "", judged, true, ""},
		{"unit, a list that is changed twice", unit(`function testA() { $xs = [3, 1, 2]; shorten($xs); $this->assertSame(1, shorten($xs)); $this->assertSame([3], $xs); }`), "", "", apart, true, ""},
		{"unit, keys of an object", unit(`function testA() { $got = keyed(); $this->assertCount(2, $got); $this->assertArrayHasKey('a1', $got); $this->assertTrue(isset($got['a1'], $got['b2']) && !isset($got['c'])); }`), "", "", apart, true, ""},
		{"unit, keys of an object that has all", unit(`function testA() { $got = keyed(); $this->assertCount(2, $got); $this->assertArrayHasKey('a1', $got); }`), "return new ArrayObject(['a1' => 1, 'b2' => 2]);", "return new class implements ArrayAccess, Countable { function offsetExists($k): bool { return true; } function offsetGet($k): mixed { return 1; } function offsetSet($k, $v): void {} function offsetUnset($k): void {} function count(): int { return 2; } };", apart, false, "nor does it give its keys"},
		{"unit, keys of an object that has all and gives others", unit(`function testA() { $got = keyed(); $this->assertTrue(isset($got['a1'])); }`), "return new ArrayObject(['a1' => 1, 'b2' => 2]);", "return new class([1, 2]) extends ArrayObject { function offsetExists($k): bool { return true; } };", apart, false, "got false"},
		{"unit, a comparison of the program's", unit(`function testA() { $this->assertTrue(near(odd(5), 2.5)); } function testB() { $ok = near(odd(5), 2.5); $this->assertSame(true, $ok); }`), "", "", judged, true, ""},
		{"a comparison of the program's", `<?php $got = sorted([2, 1]); if (!near($got[0], 1)) { throw new Exception('wrong'); }`, "", "", judged, true, ""},
		{"a comparison of the program's, kept", `<?php $got = odd(5); $ok = spend(1) === 1 && near($got, 2.5); echo $ok ? 'ok' : exit(1);`, "", "", judged, true, ""},
		{"what the program says of the tests' own", `<?php $s = new Stack; $s->push(2); assert(near(2, 2.0) && !near(spend(1) === 1 ? 3 : 4, 9) && isset($s[0]));`, "", "", judged, true, ""},
		{"there and back", `<?php $xs = [2, 3]; assert($xs === sorted(sorted($xs)) && 3 === spend(spend(3)));`, "", "", apart, true, ""},
		{"a predicate", `<?php foreach ([2, 4] as $n) { assert(near($n, $n)); } assert(!near(2, 3) && spend(1) === 1);`, "", "", apart, true, ""},
		{"a library that compares", "<?php use Webmozart\\Assert\\Check; assert(Check::same(spend(1), 1));", "", "", "", false, "no exam: the tests need Webmozart"},
		{"unit, an infinite number", unit(`function testA() { $r = half(4) * 1e308 * 1e308; $this->assertTrue(half(4) > 1); if ($r < 3) { $this->fail(); } }`), "", "", apart, false, "infinite"},
		{"unit, an infinite number that is spoken of", unit(`function testA() { $r = half(4) * INF; $this->assertTrue(half(4) > 1); if ($r < 3) { $this->fail(); } }`), "", "", apart, true, ""},
		{"unit, output", unit(`function testA() { $this->expectOutputString("Hello you\n"); hello('you'); }`), "", "", apart, true, ""},
		{"unit, output, wrong", unit(`function testA() { $this->expectOutputString("Hello you\n"); hello('you'); }`), "Hello $w", "Hi $w", apart, false, "expected"},
		{"unit, messages", unit(`function testA() { $this->expectException(Broke::class); $this->expectExceptionMessageMatches('/no \d+/'); $this->expectExceptionCode(9); spend(12); }`), "", "", apart, true, ""},
		{"unit, texts of numbers", unit(`function testA() { $this->assertEquals('1000', text(1000)); $this->assertEquals(1000, text(1000)); }`), "", "", apart, true, ""},
		{"unit, texts of numbers, wrong", unit(`function testA() { $this->assertEquals('1000', text(1000)); }`), "return (string) $v", "return '1e3'", apart, false, "expected"},
		{"unit, lists of texts, wrong", unit(`function testA() { $this->assertEquals(['1'], [text(1)]); }`), "return (string) $v", "return '01'", apart, false, "expected"},
		{"unit, two results", unit(`function testA() { $this->assertEquals(mk(1, 2), mk(1, 2)); } function testB() { $this->assertSame(3, spend(3)); }`), "", "", judged, true, ""},
		{"unit, two results, wrong", unit(`function testA() { $this->assertEquals(mk(1, 2), mk(1, 2)); }`), "return new Pt($x, $y)", "static $n = 0; return new Pt($x, $n++)", apart, false, "expected"},
		{"unit, an emptied object", unit(`function testA() { $o = (object) ['n' => 1]; $this->assertEquals($o, copied($o)); $this->assertEquals(copied($o), $o); }`), "{ return clone $o; }", "{ unset($o->n); return new stdClass; }", apart, false, "expected"},
		{"unit, provider", unit(`/** @dataProvider rows */ function testA($in, $want) { $this->assertSame($want, spend($in)); } static function rows() { return [[1, 1], 'two' => [2, 2]]; }`), "", "", apart, true, ""},
		{"unit, depends", unit(`function testA() { $this->assertSame(1, spend(1)); return 4; } /** @depends testA */ function testB($n) { $this->assertSame(4, spend($n)); }`), "", "", together, true, ""},
		{"unit, depends, wrong", unit(`function testA() { $this->assertSame(1, spend(1)); return 4; } /** @depends testA */ function testB($n) { $this->assertSame(4, spend($n)); }`), "return $n; }\nfunction half", "return 1; }\nfunction half", together, false, ""},
		{"unit, mocks", unit(`function testA() { $s = $this->createMock(Shape::class); $s->method('area')->willReturn(2.5); $this->assertSame(2.5, area($s)); }`), "", "", together, true, ""},
		{"unit, the tests' own object", unit(`function up($s) { return strtoupper($s); } function testA() { $this->assertSame('AB', apply([$this, 'up'], 'ab')); }`), "", "", apart, true, ""},
		{"unit, the tests' own object is used", unit(`function testA() { $this->assertSame(1, apply(fn ($o) => 1, $this)); }`), "try { return $f(...$a); }", "try { $a[0]->expectException('Exception'); throw new Exception('x'); }", apart, false, "object of the tests themselves"},
		{"unit, a method of ours", unit(`private function assertX($n) { $this->assertSame($n, spend($n)); } function testA() { $this->assertX(4); }`), "", "", apart, true, ""},
		{"unit, a method that PHPUnit has not", unit(`function testA() { $this->assertWhatever(4); }`), "", "", together, false, "unrunnable"},
		{"unit, attributes of version 10", strings.Replace(unit(`#[TestWith([1])] function testA($n) { $this->assertSame(1, spend($n)); }`), "<?php", "<?php use PHPUnit\\Framework\\Attributes\\TestWith;", 1), "", "", "", false, "no exam"},
		{"a name of the program", `<?php require_once __DIR__ . '/../src/Shapes.php'; require 'vendor/autoload.php'; assert(spend(3) === 3);`, "", "", apart, true, ""},
		{"files that are not here", `<?php require 'helper.php'; require 'cases.php'; assert(spend(3) === 3);`, "", "", "", false, "no exam: the tests load helper.php and cases.php"},
		{"a class of tests that nobody runs", `<?php class MyTest { function testA() { assert(spend(1) === 2); } }`, "", "", apart, false, "no assertion ran"},
		{"a class of tests with a base of the program", `<?php class MyTest extends BaseTestCase { function testA() { $this->assertSame(1, spend(1)); } }`, "function text(", "class BaseTestCase { function __call($n, $a) {} } function text(", "", false, "no exam: the tests extend BaseTestCase"},
		{"exceptions that extend the program's", `<?php class Mine extends Broke {} try { throw new Mine('x', 2); } catch (Broke $e) { assert($e->by() === 2); }`, "", "", together, true, ""},
		{"pest", `<?php it('spends', function () { expect(spend(1))->toBe(1); });`, "", "", "", false, "no exam: the tests are Pest's"},
		{"no code", `<?php // nothing`, "", "", "", false, "no exam: the tests are empty"},
		{"no PHP", "def test():\n    assert f(1) == 2\n", "", "", apart, false, "unrunnable: the tests do not parse"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			tc, _ := rigTool(t, PHP)
			if tc.Tools["phpunit"] == "" && strings.HasPrefix(c.name, "unit") && c.proof != apart && c.proof != judged {
				t.Skip("PHPUnit is not installed: apt-get install phpunit")
			}
			program := strings.Replace(phpShapes, c.from, c.to, 1)
			if c.from != "" && program == phpShapes {
				t.Fatal("the program is not made wrong")
			}
			file := "tests.php"
			if strings.HasPrefix(c.name, "unit") {
				file = "ShapesTest.php"
			}
			v := rigExam(t, PHP, one(PHP, program), Tests{Files: []glovebox.File{{Path: file, Data: []byte(c.tests)}}})
			if v.pass != c.pass || v.worth() != c.proof && c.pass || v.proof != c.proof && c.proof != judged || !strings.Contains(v.why, c.why) {
				t.Errorf("pass %t, proof %s, worth %s: %s\nharness: %s%s%s\ncandidate: %s%s%s", v.pass, v.proof, v.worth(), v.why,
					v.harness.report, v.harness.stdout, v.harness.stderr, v.candidate.report, v.candidate.stdout, v.candidate.stderr)
			}
		})
	}
}

// TestPHPTree runs the tests of a program in the shape of a repository, by
// PHPUnit itself where it is here.
func TestPHPTree(t *testing.T) {
	for name, c := range map[string]struct {
		body, more string
		pass       bool
	}{
		"right": {"$a + $b", "", true},
		"wrong": {"$a * $b", "", false},
		"exits": {"0", "exit(0);\n", false},
	} {
		t.Run(name, func(t *testing.T) {
			tc, _ := rigTool(t, PHP)
			file := func(name, text string) glovebox.File { return glovebox.File{Path: name, Data: []byte(text)} }
			v := rigExam(t, PHP, &glovebox.Program{Language: "php", Files: []glovebox.File{
				file("composer.json", `{"autoload":{"psr-4":{"Shop\\":"src/"}}}`),
				file("src/helpers.php", "<?php\nfunction one() { return 1; }\n"),
				file("src/Cart.php", "<?php\nnamespace Shop;\n"+c.more+"class Cart\n{\n    public function add(int $a, int $b): int { return "+c.body+"; }\n}\n"),
			}}, Tests{Files: []glovebox.File{file("tests/CartTest.php", "<?php\nuse PHPUnit\\Framework\\TestCase;\nuse Shop\\Cart;\nrequire_once __DIR__ . '/../src/helpers.php';\nclass CartTest extends TestCase\n{\n    public function testAdd(): void\n    {\n        $this->assertSame(3, (new Cart())->add(1, 2));\n        $this->assertSame(1, one());\n    }\n}\n")}})
			framework := strings.Contains(v.candidate.report, `"framework":"PHPUnit `+tc.Tools["phpunit"]+`"`)
			if v.pass != c.pass || v.proof != glovebox.ProofInProcess || tc.Tools["phpunit"] != "" && !framework {
				t.Errorf("pass %t, proof %s: %s\n%s%s", v.pass, v.proof, v.why, v.candidate.report, v.candidate.stderr)
			}
		})
	}
}

// TestPHPWarnings has a warning of the program, and one of the tests: PHPUnit 9
// makes failures of them, later ones do not.
func TestPHPWarnings(t *testing.T) {
	const tests = "<?php\nuse PHPUnit\\Framework\\TestCase;\nfinal class ShapesTest extends TestCase {\nfunction testA() { %s }\n}\n"
	tc, _ := rigTool(t, PHP)
	for name, c := range map[string]struct {
		body string
		pass bool
	}{
		"of the program":            {`$this->assertNull(at([1], 3));`, false},
		"of the program, silenced":  {`$this->assertNull(@at([1], 3));`, false},
		"of the program, not there": {`$this->assertSame(1, at([1], 0));`, true},
		"of the tests":              {`$a = [at([1], 0)]; $this->assertNull($a[2]);`, false},
		"of the tests, silenced":    {`$a = [at([1], 0)]; $this->assertNull(@$a[2]);`, true},
		"expected":                  {`$this->expectException(RuntimeException::class); at([1], 3);`, false},
	} {
		for _, version := range []string{"9.6.7", "10.5.0", ""} {
			t.Run(name+" "+version, func(t *testing.T) {
				there := *tc
				there.Tools = map[string]string{"phpunit": version}
				exam, err := PHP.Exam(&there, one(PHP, phpShapes), Tests{Files: []glovebox.File{{Path: "ShapesTest.php", Data: fmt.Appendf(nil, tests, c.body)}}, Nonce: rigNonce})
				if err != nil {
					t.Fatal(err)
				}
				want := c.pass || version != "9.6.7"
				if name == "expected" {
					want = version == "9.6.7"
				}
				if v := rigSit(t, PHP, exam); v.pass != want || v.proof != glovebox.ProofOutOfProcess {
					t.Errorf("pass %t: %s\n%s%s", v.pass, v.why, v.harness.report, v.candidate.stderr)
				}
			})
		}
	}
}
