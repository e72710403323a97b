package language

import "testing"

// FuzzPHPText reads any text as tests: whatever it is, the form is decided.
func FuzzPHPText(f *testing.F) {
	for _, seed := range []string{
		"<?php use A\\{B, C}; class T extends \\PHPUnit\\Framework\\TestCase { use U; #[Test, TestWith([1])] function a() { $this->assertX(<<<'E'\n x\n E); } }",
		"<?php /* new ReflectionClass */ // (array) $$x\n# exec(\n'eval', \"{$a->b()}\"; `ls`; ?> text <?= $x ?>",
		"<?php '", "<?php <<<X\n", "<?php /**", "<?php #[", "<?php require __DIR__ . '/a.php'; X::$y;",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		read := readPHP([][]byte{[]byte(text), []byte("<?php "), []byte(text)})
		read.needsProcess()
		read.unitNeeds()
		read.otherFrameworks()
		read.missing(nil)
	})
}

// TestPHPText has code that is none, and code that is.
func TestPHPText(t *testing.T) {
	for text, want := range map[string]string{
		"<?php // new ReflectionClass\nf();":                             "",
		"<?php /* eval($x) */ # exec()\nf('system($x)');":                "",
		"<?php f(<<<X\n  exec(1);\n  X);":                                "",
		"text exec(1) $$x <?php f();":                                    "",
		"<?php $o->exec(1); X::system(2); function exec() {}":            "",
		"<?php f(); ?> eval($x) <?php g();":                              "",
		"<?php \\exec('ls');":                                            "the tests start the program by themselves",
		"<?php // x ?> <?php eval('1');":                                 "the tests run code that they make",
		"<?php EVAL ('1');":                                              "the tests run code that they make",
		"<?php $x = new class implements Shape {};":                      "the tests extend a class of the program",
		"<?php namespace A { use B\\C; } class D { use E; }":             "the tests extend a class of the program",
		"<?php interface I extends Countable {} class J implements I {}": "",
		"<?php assert(X::$y === 1);":                                     "the tests use the program's static properties",
		"<?php class X { static $y; } assert(X::$y === null);":           "",
		"<?php ${'a'} = 1;":                                              "the tests make variables of values",
		"<?php include $x;":                                              "the tests load files whose names they make",
	} {
		if got := readPHP([][]byte{[]byte(text)}).needsProcess(); got != want {
			t.Errorf("%s: %q, not %q", text, got, want)
		}
	}
}
