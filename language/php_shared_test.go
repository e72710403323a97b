package language

import (
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox"
)

// phpShop is a right program that shares nothing with its tests but what is public.
const phpShop = `<?php
class P { public $x = 1; public $list = [1, 2]; public $map = ['a' => ['b' => 1]];
  function sum() { return array_sum($this->list); } function &ref() { return $this->list; } }
class Shop { private $day; private $item;
  function __construct($day = null) { $this->day = $day ? clone $day : new DateTime('2020-01-01'); $this->item = (object) ['n' => 1]; }
  function item() { return clone $this->item; } function day() { return clone $this->day; }
  function n() { return $this->item->n; } function text() { return $this->day->format('Y-m-d'); }
  function take(stdClass $s) { $this->item = clone $s; } function set($n) { $this->item->n = $n; } }
class Grid implements ArrayAccess { private $a = ['a' => ['b' => 1]]; function offsetExists($k): bool { return isset($this->a[$k]); } function &offsetGet($k): mixed { return $this->a[$k]; }
  function offsetSet($k, $v): void { $this->a[$k] = $v; } function offsetUnset($k): void { unset($this->a[$k]); } function all() { return $this->a; } }
function mk($x = 1) { $p = new P; $p->x = $x; return $p; }
function one() { static $one; return $one ??= new P; }
function &total() { static $t = 0; return $t; }
function readTotal() { return total(); }
function sorted(array $xs) { sort($xs); return $xs; }
function load() { return ['a' => [1]]; }
`

// TestPHPShared runs tests of what the program shares with them.
func TestPHPShared(t *testing.T) {
	apart, together := glovebox.ProofOutOfProcess, glovebox.ProofInProcess
	for _, c := range []struct {
		name, tests string
		// from and to make the program wrong.
		from, to string
		proof    glovebox.Proof
		pass     bool
	}{
		{"a list of an object", `$p = new P; $p->list[] = 5; assert($p->sum() === 8);`, "", "", together, true},
		{"a list of an object, wrong", `$p = new P; $p->list[] = 5; assert($p->sum() === 8);`, "array_sum($this->list)", "3", together, false},
		{"a result's list", `$p = mk(); array_push($p->list, 5); unset($p->list[0]); $p->list[1]++; rsort($p->list); assert($p->sum() === 8);`, "", "", together, true},
		{"references", `$p = new P; foreach ($p->list as &$v) { $v = 4; } $r = &$p->ref(); $r[] = 1; $t = &total(); $t = 5; assert($p->sum() === 9 && readTotal() === 5);`, "", "", together, true},
		{"elements of an element", `$g = new Grid; $g['a']['b'] = 5; assert($g->all() === ['a' => ['b' => 5]]);`, "", "", together, true},
		{"the end of a list", `$p = new P; assert(end($p->list) === 2);`, "", "", together, true},
		{"a date, leaked", `$s = new Shop; $d = $s->day(); $d->modify('+1 day'); assert($s->text() === '2020-01-01');`, "clone $this->day;", "$this->day;", together, false},
		{"a date, at once, leaked", `$s = new Shop; $s->day()->modify('+1 day'); assert($s->text() === '2020-01-01');`, "clone $this->day;", "$this->day;", together, false},
		{"a date that is given, kept", `$d = new DateTime('2020-01-01'); $s = new Shop($d); $d->setDate(2021, 1, 1); assert($s->text() === '2020-01-01');`, "clone $day", "$day", together, false},
		{"a date is another one, leaked", `$s = new Shop; assert($s->day() instanceof DateTime && $s->day() !== $s->day());`, "clone $this->day;", "$this->day;", together, false},
		{"a plain object, leaked", `$s = new Shop; $s->item()->n = 9; assert($s->item()->n === 1);`, "clone $this->item;", "$this->item;", together, false},
		{"a plain object, not spoken of, leaked", `$s = new Shop; $o = $s->item(); $o->n = 9; assert($s->n() === 1);`, "clone $this->item;", "$this->item;", together, false},
		{"a plain object that is given, kept", `$o = (object) ['n' => 2]; $s = new Shop; $s->take($o); $o->n = 4; assert($s->n() === 2);`, "clone $s", "$s", together, false},
		{"a plain object, before it changes, leaked", `$s = new Shop; $o = $s->item(); assert($o instanceof stdClass); $s->set(5); assert($o->n === 1);`, "clone $this->item;", "$this->item;", together, false},
		{"a walk over an object, wrong", `$p = new P; $q = mk(); assert(http_build_query($p) === http_build_query($q) && iterator_to_array(new ArrayIterator($p)) === (array) $q);`, "$p->x = $x", "$p->x = 3", together, false},
		{"a walk over a result", `assert(http_build_query(mk()) === http_build_query(one()));`, "$p->x = $x", "$p->x = 3", apart, false},

		{"values of properties", `$p = new P; $p->x++; $p->x += 2; $p->list = [4]; assert($p->x === 4 && $p->sum() === 4 && $p->list[0] === 4 && isset($p->map['a']['b']) && count($p->list) === 1 && in_array(4, $p->list));`, "", "", apart, true},
		{"a result's property", `$p = mk(); $p->x = 5; assert($p->x === 5 && mk()->x === 1);`, "", "", apart, true},
		{"one object", `assert(one() === one() && mk() !== mk()); one()->x = 3; assert(one()->x === 3);`, "", "", apart, true},
		{"their own", `$o = new stdClass; $o->list = []; $o->list[] = 1; $xs = ['a' => ['b' => 1]]; $xs['a']['b'] = 2; sort($xs['a']); assert(sorted($o->list) === [1] && $xs === ['a' => [2]]);`, "", "", apart, true},
		{"a list of results", `$xs = load(); $xs['a'][] = 2; sort($xs['a']); $got = sorted([2, 1]); rsort($got); assert(end($got) === 1 && load() === ['a' => [1]] && http_build_query(load()) === 'a%5B0%5D=1');`, "", "", apart, true},
		{"a date of their own", `$d = new DateTime('2020-01-01'); $d->modify('+1 day'); assert((new Shop($d))->text() === '2020-01-02');`, "", "", apart, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			if !strings.Contains(phpShop, c.from) {
				t.Fatal("nothing to replace")
			}
			p := program("php", "main.php", strings.Replace(phpShop, c.from, c.to, 1))
			v := rigExam(t, PHP, p, Tests{Files: []glovebox.File{{Path: "t.php", Data: []byte("<?php\n" + c.tests)}}})
			if v.pass != c.pass || v.worth() != c.proof {
				t.Errorf("pass %t, proof %s: %s\nharness: %s%s%s\ncandidate: %s%s", v.pass, v.worth(), v.why,
					v.harness.report, v.harness.stdout, v.harness.stderr, v.candidate.report, v.candidate.stderr)
			}
		})
	}
}

// TestPHPSharedText has the places that the reasons name, and tests in classes.
func TestPHPSharedText(t *testing.T) {
	class := func(body string) string {
		return "<?php\nuse PHPUnit\\Framework\\TestCase;\nclass XTest extends TestCase {\nprivate $list = []; private $s;\nfunction setUp(): void { $this->s = new Shop; $this->o = new ArrayObject; }\nfunction testX() {\n" + body + "\n} }"
	}
	for text, want := range map[string]string{
		"<?php\n$r = new Node(1);\n$r->children[] = new Node(2);":                                 "the tests change what the program gave them ($r->children[], line 3)",
		class(`$this->s->items['a'] = 1;`):                                                        "the tests change what the program gave them ($this->s->items['a'], line 7)",
		class(`$this->list[] = 1; $this->o->list[] = 2;`):                                         "",
		class(`$got = $this->s->item(); $got->n = 2; $this->assertSame(2, $got->n);`):             "",
		class(`$got = $this->s->item(); $got->n = 2; $this->assertSame(1, $this->s->item()->n);`): "the tests change what they share with the program ($got->n, line 7)",
		class(`$this->assertNotSame($this->s->a(), $this->s->a());`):                              "",
		class(`$d = new DateTime; $this->assertNotSame($this->s->a(), $this->s->a());`):           "the tests ask which object the program gave them ($this->s->a(), line 7)",
		class(`$a = ['x' => $this->s->list[0], fn($v) => $v->list[1] === 2]; $b = $a['x']['y'] ?? 1; $this->s->list = [1]; if ($this->s->list[0] == 1 && $this->s->list[0] <= 2) {}`): "",
		class(`foreach ($this->s->list as $k => $v) { $seen[$k][] = $v; } $it = new ArrayIterator([1]); http_build_query(['a' => 1]);`):                                               "",
		class(`$cart = $this->s->cart(); $cart->add(3); $this->s->clock()->setTime(4); $x = $this->s->sub(1);`):                                                                       "",
	} {
		if got := readPHP([][]byte{[]byte(text)}).needsProcess(); got != want {
			t.Errorf("%s: %q, not %q", text, got, want)
		}
	}
	for text, want := range map[string]bool{
		"<?php class T extends PHPUnit\\Framework\\TestCase { }":                                    false,
		"<?php class T extends PHPUnit\\Framework\\TestCase { /** @test */ function a() { f(); } }": true,
		"<?php class T extends PHPUnit\\Framework\\TestCase { #[Test] function a() { f(); } }":      true,
		"<?php f(); // assert(1)":                 false,
		"<?php function test() { f(); } test();":  true,
		"<?php if (f() !== 1) { exit(1); }":       true,
		"<?php f() === 1 or die('no');":           true,
		"<?php echo f() === 1 ? 'ok' : 'not ok';": false,
	} {
		if got := readPHP([][]byte{[]byte(text)}).hasTest(); got != want {
			t.Errorf("%s: %t", text, got)
		}
	}
}
