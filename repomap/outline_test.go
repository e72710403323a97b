package repomap

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestOutline has each language's ways to define something.
func TestOutline(t *testing.T) {
	for _, test := range []struct {
		file, src string
		want      []string // kind, depth, line-end, text
		names     string
	}{
		{"a.py", `import os
@dec(1)
class A(B, metaclass=M):
    x = 1
    @property
    def f(self, a: int = 3,
          b="x") -> str:
        def inner(): pass
        return a
    class C: pass
if os:
    async def top(*a, **k): ...
`, []string{
			"class 0 3-10 class A(B, metaclass=M)",
			`method 1 6-9 def f(self, a: int = 3, b="x") -> str`,
			"class 1 10-10 class C",
			"function 0 12-12 async def top(*a, **k)",
		}, "A f C top"},
		{"a.js", `export class A extends B { constructor(a) { super(a) } static async *g() {} get q() { return 1 } x = (a) => a; y = 2 }
function top(a, b = {}) { function inner() {} }
const f = async (a) => { }, n = 1
exports.foo = function (a) { }
Foo.prototype.bar = function bar() {}
module.exports = { m(a) {}, n: function (b) {}, k: 1 }
export default function* gen() {}
`, []string{
			"class 0 1-1 class A extends B", "method 1 1-1 constructor(a)", "method 1 1-1 static async *g()", "method 1 1-1 get q()", "function 1 1-1 x = (a)",
			"function 0 2-2 function top(a, b = {})", "function 0 3-3 f = async (a)", "function 0 4-4 exports.foo = function (a)",
			"function 0 5-5 Foo.prototype.bar = function bar()",
			"method 0 6-6 m(a)", "function 0 6-6 n: function (b)", "function 0 7-7 function* gen()",
		}, "A constructor g q x top f foo bar m n gen"},
		{"a.ts", `export interface I<T> extends J { a(x: number): string; b: string }
export type U = A | B
export enum E { A, B }
export abstract class C<T> extends D implements I { abstract foo(): void; static async bar<T>(x: T): Promise<T> { return x } }
declare function h(a: string): void
namespace N { export function k(): void {} }
export const f = async (a: number): Promise<void> => { }
`, []string{
			"type 0 1-1 interface I<T> extends J", "method 1 1-1 a(x: number): string", "type 0 2-2 type U = A | B", "type 0 3-3 enum E",
			"class 0 4-4 abstract class C<T> extends D implements I", "method 1 4-4 abstract foo(): void", "method 1 4-4 static async bar<T>(x: T): Promise<T>",
			"function 0 5-5 function h(a: string): void", "module 0 6-6 namespace N", "function 1 6-6 function k(): void", "function 0 7-7 f = async (a: number): Promise<void>",
		}, "I a U E C foo bar h N k f"},
		{"a.tsx", `export function App(p: Props): JSX.Element { return <div>{p.a}</div> }
const B: FC<P> = ({ a }) => <b>{a}</b>
`, []string{"function 0 1-1 function App(p: Props): JSX.Element", "function 0 2-2 B: FC<P> = ({ a })"}, "App B"},
		{"a.php", `<?php
namespace App\Models;
abstract class A extends T implements I {
  const X = 1;
  public function f(int $a): string { return "x"; }
  abstract protected function g();
}
interface I { public function m(); }
trait Tr { function &k() {} }
enum Suit: string { case H = 'h'; }
function top($a) { return function ($x) { }; }
`, []string{
			"class 0 3-7 abstract class A extends T implements I", "method 1 5-5 public function f(int $a): string", "method 1 6-6 abstract protected function g()",
			"type 0 8-8 interface I", "method 1 8-8 public function m()", "class 0 9-9 trait Tr", "method 1 9-9 function &k()", "type 0 10-10 enum Suit: string",
			"function 0 11-11 function top($a)",
		}, "A f g I m Tr k Suit top"},
		{"a.sh", `#!/bin/bash
foo() { echo; }
function bar-baz { echo; }
function baz() (
  echo
)
`, []string{"function 0 2-2 foo()", "function 0 3-3 function bar-baz", "function 0 4-6 function baz()"}, "foo bar-baz baz"},
		{"a.go", `package a

//line evil.go:1000000
type (
	T struct{ a int }
	U = T
)
type I interface {
	M()
}

// F is.
func F[K comparable](a K, b ...int) (int, error) { return 0, nil }
func (t *T) M() {
}
`, []string{"type 0 5-5 T struct", "type 0 6-6 U = T", "type 0 8-10 type I interface", "function 0 13-13 func F[K comparable](a K, b ...int) (int, error)", "method 0 14-15 func (t *T) M()"}, "T U I F M"},
		{"a.rb", `module M
  class A < B
    def initialize(a, b = 1) = 3
    def self.make(*args, **kw, &blk)
    end
    class << self
      def q?; end
    end
    private def pp; end
    def ==(o)
    end
  end
end
`, []string{
			"module 0 1-13 module M", "class 1 2-12 class A < B", "method 2 3-3 def initialize(a, b = 1)", "method 2 4-5 def self.make(*args, **kw, &blk)",
			"method 2 7-7 def q?", "method 2 9-9 def pp", "method 2 10-11 def ==(o)",
		}, "M A initialize make q? pp =="},
		{"a.pm", `package Foo::Bar;
use strict;
sub new { my ($class, %a) = @_; return bless {}, $class; }
sub sig($x, $y) { 1 }
package Other { sub inner { 2 } }
1;
`, []string{
			"module 0 1-1 package Foo::Bar", "function 0 3-3 sub new", "function 0 4-4 sub sig($x, $y)", "module 0 5-5 package Other", "function 1 5-5 sub inner",
		}, "Foo::Bar new sig Other inner"},
		{"a.lua", `local M = {}
function M.foo(a, b) return a end
function M:bar(x)
end
local function loc() end
M.baz = function(q) end
local z = function() end
local t = { m = function(a) end, ["x"] = 1 }
return M
`, []string{
			"function 0 2-2 function M.foo(a, b)", "function 0 3-4 function M:bar(x)", "function 0 5-5 local function loc()",
			"function 0 6-6 M.baz = function(q)", "function 0 7-7 z = function()", "function 0 8-8 m = function(a)",
		}, "foo bar loc baz z m"},
	} {
		t.Run(test.file, func(t *testing.T) {
			l := langOf(test.file, nil)
			symbols, reason := outline(l, []byte(test.src), new(uint32))
			if reason != "" {
				t.Fatal(reason)
			}
			var got, names []string
			for _, s := range symbols {
				got = append(got, fmt.Sprintf("%s %d %d-%d %s", s.Kind, s.Depth, s.Line, s.End, s.Text))
				names = append(names, s.Name)
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(test.want, "\n"))
			}
			if strings.Join(names, " ") != test.names {
				t.Errorf("names %s, want %s", names, test.names)
			}
		})
	}
}
