<?php
// What the tests see in place of the program's functions and classes. All names
// are ones that the tests use; all else in the generated code is ours.

declare(strict_types=1);

namespace Glovebox;

/** The methods of stand-ins for objects of the program. */
trait Remote
{
    public function __call(string $name, array $arguments): mixed
    {
        return remote($this, $name . '(' . show($arguments) . ')', 'method', [$name, ...$arguments]);
    }
    public static function __callStatic(string $name, array $arguments): mixed
    {
        return link()->use(static::class . "::$name(" . show($arguments) . ')', 'static', static::class, [$name, ...$arguments]);
    }
}

/** What an enum cannot have. */
trait RemoteObject
{
    use Remote;
    public function __construct(mixed ...$arguments)
    {
        $doing = 'new ' . static::class . '(' . show($arguments) . ')';
        made($this, link()->use($doing, 'new', static::class, $arguments));
    }
    public function __get(string $name): mixed { return remote($this, "->$name", 'get', [$name]); }
    public function __set(string $name, mixed $value): void { remote($this, "->$name = …", 'set', [$name, $value]); }
    public function __isset(string $name): bool { return (bool) remote($this, "isset(->$name)", 'isset', [$name]); }
    public function __unset(string $name): void { remote($this, "unset(->$name)", 'unset', [$name]); }
}

/** An object of a class that the tests do not name. */
final class SomeObject implements \IteratorAggregate, \Countable, \ArrayAccess, \Stringable
{
    use RemoteObject;
    public function __invoke(mixed ...$arguments): mixed { return remote($this, '(…)', 'invoke', $arguments); }
    public function __toString(): string { return (string) remote($this, '__toString()', 'method', ['__toString']); }
    public function getIterator(): \Iterator { return iterate($this); }
    public function count(): int { return (int) remote($this, 'count()', 'method', ['count']); }
    public function offsetExists(mixed $key): bool { return (bool) remote($this, '[…]', 'method', ['offsetExists', $key]); }
    public function offsetGet(mixed $key): mixed { return remote($this, '[…]', 'method', ['offsetGet', $key]); }
    public function offsetSet(mixed $key, mixed $value): void { remote($this, '[…]', 'method', ['offsetSet', $key, $value]); }
    public function offsetUnset(mixed $key): void { remote($this, '[…]', 'method', ['offsetUnset', $key]); }
}

/** Methods that stubs get for the interfaces and magic methods of their class. */
const METHODS = [
    'Countable' => 'public function count(): int { return (int) \Glovebox\remote($this, "count()", "method", ["count"]); }',
    'IteratorAggregate' => 'public function getIterator(): \Iterator { return \Glovebox\iterate($this); }',
    'ArrayAccess' => 'public function offsetExists(mixed $k): bool { return (bool) \Glovebox\remote($this, "[…]", "method", ["offsetExists", $k]); }
        public function offsetGet(mixed $k): mixed { return \Glovebox\remote($this, "[…]", "method", ["offsetGet", $k]); }
        public function offsetSet(mixed $k, mixed $v): void { \Glovebox\remote($this, "[…]", "method", ["offsetSet", $k, $v]); }
        public function offsetUnset(mixed $k): void { \Glovebox\remote($this, "[…]", "method", ["offsetUnset", $k]); }',
    'JsonSerializable' => 'public function jsonSerialize(): mixed { return \Glovebox\remote($this, "jsonSerialize()", "method", ["jsonSerialize"]); }',
    '__toString' => 'public function __toString(): string { return (string) \Glovebox\remote($this, "__toString()", "method", ["__toString"]); }',
    '__invoke' => 'public function __invoke(mixed ...$a): mixed { return \Glovebox\remote($this, "(…)", "invoke", $a); }',
];

/** Asks for something to be done with their object. */
function remote(object $standIn, string $doing, string $op, array $arguments): mixed
{
    if ($standIn instanceof \UnitEnum) {
        $case = $standIn::class . '::' . $standIn->name;
        return link()->use("$case->$doing", 'caseMethod', $case, $arguments);
    }
    return link()->use($standIn::class . $doing, $op, id($standIn), $arguments);
}

/** Their objects that were made by new, and what stands for them. */
function made(?object $standIn, mixed $object): void
{
    $id = \is_object($object) ? link()->theirId($object) : null;
    if ($id === null) {
        link()->broken('a constructor made no object');
    }
    link()->keep($id, $standIn);
}

function id(object $standIn): int
{
    return link()->theirId($standIn) ?? link()->broken('an object was never made');
}

/** Walks their object, lazily. */
function iterate(object $standIn): \Iterator
{
    $iterator = link()->use('iterating', 'iterator', id($standIn), []);
    if (\is_array($iterator)) {
        yield from $iterator;
        return;
    }
    $id = id($iterator);
    $ask = fn (string $method) => link()->use("iterating, $method()", 'method', $id, [$method]);
    for ($ask('rewind'); $ask('valid'); $ask('next')) {
        yield $ask('key') => $ask('current');
    }
}

/** Makes the stubs for what the program said it defines. */
function stubs(array $functions, array $classes, array $constants, array $names): void
{
    $known = \array_fill_keys(\array_map(\strtolower(...), $names), true);
    $valid = fn (mixed $name) => \is_string($name) && isset($known[\strtolower($name)]) && \preg_match('/^[A-Za-z_][\w\\\\]*$/', $name);
    $split = function (string $name): array {
        $at = \strrpos($name, '\\');
        return $at === false ? ['', $name] : [\substr($name, 0, $at), \substr($name, $at + 1)];
    };
    foreach ($functions as [$name, $references]) {
        if (!$valid($name)) {
            continue;
        }
        // PHP's own functions stay PHP's, in a namespace of the tests too.
        [$space, $short] = $split($name);
        if (\function_exists($name) || (\function_exists($short) && (new \ReflectionFunction($short))->isInternal())) {
            continue;
        }
        $quoted = \var_export($name, true);
        if (!\in_array(true, $references, true)) {
            eval("namespace $space { function $short(mixed ...\$a): mixed { return \\Glovebox\\call($quoted, \$a); } }");
            continue;
        }
        $parameters = [];
        $collected = '';
        foreach (\array_values($references) as $n => $reference) {
            $parameters[] = ($reference === true ? '&' : '') . "\$p$n = null";
            $collected .= "if (\\func_num_args() > $n) { \$a[] = &\$p$n; } ";
        }
        $parameters = \implode(', ', $parameters);
        eval("namespace $space { function $short($parameters, mixed ...\$rest): mixed { \$a = []; $collected foreach (\$rest as \$k => \$v) { if (\\is_int(\$k)) { \$a[] = \$v; } else { \$a[\$k] = \$v; } } return \\Glovebox\\call($quoted, \$a); } }");
    }
    $byName = [];
    foreach ($classes as $class) {
        if ($valid($class[0] ?? null)) {
            $byName[\strtolower($class[0])] = $class;
        }
    }
    foreach ($byName as $class) {
        stubClass($class, $byName, $split);
    }
    foreach ($constants as $name => $value) {
        if ($valid($name) && !\defined($name)) {
            \define($name, $value);
        }
    }
}

/** The classes that are stubs, by their names in lower case. */
function stubbed(?string $name = null): array
{
    static $all = [];
    if ($name !== null) {
        $all[\strtolower($name)] = true;
    }
    return $all;
}

function stubClass(array $class, array $byName, \Closure $split): void
{
    [$name, $kind, $parents, $interfaces, $constants, $cases, $methods] = $class;
    if (\class_exists($name) || \interface_exists($name)) {
        return;
    }
    stubbed($name);
    [$space, $short] = $split($name);
    $implements = [];
    $body = '';
    foreach ($interfaces as $interface) {
        if (\is_string($interface) && isset($byName[\strtolower($interface)])) {
            stubClass($byName[\strtolower($interface)], $byName, $split);
            $implements[] = '\\' . $byName[\strtolower($interface)][0];
        } elseif (\is_string($interface) && isset(METHODS[$interface])) {
            $implements[] = '\\' . $interface;
            $body .= METHODS[$interface] . "\n";
        } elseif ($interface === 'Iterator') {
            $implements[] = '\\IteratorAggregate';
            $body .= METHODS['IteratorAggregate'] . "\n";
        }
    }
    $list = \implode(', ', \array_unique($implements));
    if ($kind === 'interface') {
        eval("namespace $space { interface $short " . ($list ? "extends $list" : '') . ' {} }');
        return;
    }
    $constant = fn (string $k, mixed $v) => \preg_match('/^[A-Za-z_]\w*$/', $k) ? "const $k = " . \var_export($v, true) . ";\n" : '';
    $constants = \array_filter($constants, fn ($v) => \is_scalar($v) || (\is_array($v) && !\array_filter($v, '\is_object')));
    if ($kind === 'enum') {
        $type = \is_int(\reset($cases)) ? ': int' : (\is_string(\reset($cases)) ? ': string' : '');
        foreach ($cases as $case => $value) {
            if (\preg_match('/^[A-Za-z_]\w*$/', (string) $case)) {
                $body .= "case $case" . ($type ? ' = ' . \var_export($value, true) : '') . ";\n";
            }
        }
        eval("namespace $space { enum $short$type " . ($list ? "implements $list" : '') . " { use \\Glovebox\\Remote;\n$body } }");
        return;
    }
    $extends = '';
    $parentIsStub = false;
    foreach ($parents as [$parent, $own]) {
        if ($own === true && isset($byName[\strtolower((string) $parent)])) {
            stubClass($byName[\strtolower($parent)], $byName, $split);
            $extends = 'extends \\' . $byName[\strtolower($parent)][0];
            $parentIsStub = true;
            break;
        }
        if ($own === false && \is_a((string) $parent, \Throwable::class, true)) {
            $extends = 'extends \\' . (new \ReflectionClass($parent))->getName();
            break;
        }
    }
    foreach ($constants as $key => $value) {
        $body .= $constant((string) $key, $value);
    }
    if (!\in_array('Throwable', $interfaces, true)) {
        foreach (['__toString', '__invoke'] as $magic) {
            $body .= \in_array($magic, $methods, true) ? METHODS[$magic] . "\n" : '';
        }
        $body .= $parentIsStub ? '' : "use \\Glovebox\\RemoteObject;\n";
    } else {
        $list = '';
        $body = '';
    }
    eval("namespace $space { class $short $extends " . ($list ? "implements $list" : '') . " {\n$body } }");
}
