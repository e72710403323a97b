package language

import (
	"fmt"
	"strings"
	"testing"
)

// TestModuleAsserts: what an assertion of Node.js refuses is refused on QuickJS.
// Each is one that a wrong answer once passed, or its neighbour.
func TestModuleAsserts(t *testing.T) {
	wrong := []string{
		"assert.doesNotMatch(undefined, /secret/)",
		"assert.doesNotMatch({ toString: () => 'secret' }, /secret/)",
		"assert.match({ toString: () => 'right' }, /right/)",
		"assert.deepEqual(new Set([{ a: 1 }]), new Set([undefined]))",
		"assert.deepStrictEqual(new Set([{ a: 1 }]), new Set([undefined]))",
		"assert.deepStrictEqual(new Set([{ a: 1 }, { a: 1 }]), new Set([{ a: 1 }, { a: 2 }]))",
		"assert.deepStrictEqual(new Map([[{ a: 1 }, 1]]), new Map([[undefined, 1]]))",
		"assert.deepStrictEqual(new URL('http://wrong/'), new URL('http://right/'))",
		"assert.deepEqual([new URL('http://right/#a')], [new URL('http://right/#b')])",
		"assert.deepEqual({}, new URLSearchParams('a=1'))",
		"assert.deepStrictEqual(new DataView(new ArrayBuffer(2)), new DataView(new Uint8Array([0, 1]).buffer))",
		"assert.deepStrictEqual(new DataView(new ArrayBuffer(2)), new DataView(new ArrayBuffer(3)))",
		"assert.deepStrictEqual(Object.create(DataView.prototype), new DataView(new ArrayBuffer(2)))",
	}
	var program strings.Builder
	program.WriteString("const assert = require('node:assert');\nconst passed = [];\n")
	for _, w := range wrong {
		fmt.Fprintf(&program, "try { %s; passed.push(%q); } catch {}\n", w, w)
	}
	program.WriteString(`assert.deepStrictEqual(new Set([[1], undefined]), new Set([undefined, [1]]));
assert.deepStrictEqual([new URL('http://a/b')], [new URL('http://a/b')]);
assert.deepStrictEqual(new DataView(new Uint8Array([7, 1]).buffer, 1), new DataView(new Uint8Array([1]).buffer));
assert.doesNotMatch('open', /secret/);
console.log(passed.join('\n'));
`)
	got := rigPlan(t, moduleJavaScript, one(moduleJavaScript, program.String()), "")
	if got.exit != 0 || strings.TrimSpace(got.stdout) != "" {
		t.Errorf("exit code %d, %s; these passed:\n%s", got.exit, got.stderr, got.stdout)
	}
}
