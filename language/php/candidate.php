<?php
// The candidate's side of an exam: runs the program and serves its names.

namespace Glovebox;

require __DIR__ . '/wire.php';

/** Tells what the program defines, as far as the tests name it. */
function describe(array $names): array
{
    $wanted = \array_fill_keys(\array_map(\strtolower(...), $names), true);
    $mine = fn (string $name) => isset($wanted[\strtolower($name)]) && !\str_starts_with(\strtolower($name), 'glovebox\\');
    $functions = [];
    foreach (\get_defined_functions()['user'] as $name) {
        if (!$mine($name)) {
            continue;
        }
        $function = new \ReflectionFunction($name);
        $functions[] = [$function->getName(), \array_map(fn ($p) => $p->isPassedByReference(), $function->getParameters())];
    }
    $classes = [];
    foreach ([...\get_declared_classes(), ...\get_declared_interfaces()] as $name) {
        $class = new \ReflectionClass($name);
        if (!$class->isUserDefined() || !$mine($name)) {
            continue;
        }
        $constants = [];
        foreach ($class->getReflectionConstants(\ReflectionClassConstant::IS_PUBLIC) as $constant) {
            if (\is_scalar($constant->getValue()) || \is_array($constant->getValue())) {
                $constants[$constant->getName()] = $constant->getValue();
            }
        }
        $cases = [];
        if ($class->isEnum()) {
            foreach ($name::cases() as $case) {
                $cases[$case->name] = $case instanceof \BackedEnum ? $case->value : null;
            }
        }
        $parents = [];
        for ($p = $class->getParentClass(); $p; $p = $p->getParentClass()) {
            $parents[] = [$p->getName(), $p->isUserDefined()];
        }
        $methods = \array_map(fn ($m) => $m->getName(), $class->getMethods(\ReflectionMethod::IS_PUBLIC));
        $kind = $class->isInterface() ? 'interface' : ($class->isEnum() ? 'enum' : 'class');
        $classes[] = [$class->getName(), $kind, $parents, \array_values($class->getInterfaceNames()), $constants, $cases, $methods];
    }
    $constants = [];
    foreach (\get_defined_constants(true)['user'] ?? [] as $name => $value) {
        if (isset($wanted[\strtolower($name)]) && (\is_scalar($value) || \is_array($value))) {
            $constants[$name] = $value;
        }
    }
    return [$functions, $classes, $constants];
}

/** A stand-in for an object of the tests. */
final class TheirObject implements \IteratorAggregate, \ArrayAccess, \Countable
{
    public function __construct(private int $id, private Link $link) {}
    public function __call(string $name, array $arguments): mixed { return $this->ask('method', $name, ...$arguments); }
    public function __invoke(mixed ...$arguments): mixed { return $this->link->use('a callback', 'invoke', $this->id, $arguments); }
    public function __get(string $name): mixed { return $this->ask('get', $name); }
    public function __set(string $name, mixed $value): void { $this->ask('set', $name, $value); }
    public function __isset(string $name): bool { return (bool) $this->ask('isset', $name); }
    public function __toString(): string { return (string) $this->ask('method', '__toString'); }
    public function getIterator(): \Iterator { yield from $this->ask('items', ''); }
    public function offsetExists(mixed $key): bool { return (bool) $this->ask('method', 'offsetExists', $key); }
    public function offsetGet(mixed $key): mixed { return $this->ask('method', 'offsetGet', $key); }
    public function offsetSet(mixed $key, mixed $value): void { $this->ask('method', 'offsetSet', $key, $value); }
    public function offsetUnset(mixed $key): void { $this->ask('method', 'offsetUnset', $key); }
    public function count(): int { return (int) $this->ask('method', 'count'); }
    private function ask(string $op, mixed ...$arguments): mixed { return $this->link->use('a callback', $op, $this->id, $arguments); }
}

// Calls are as strict about types as the tests' own file: see serve.php.
$serve = function (string $op, mixed $target, array &$arguments, Link $link): mixed {
    if ($op !== 'describe') {
        throw new \LogicException('nothing was described');
    }
    if (($arguments[2] ?? false) === true) {
        convertErrors('');
    }
    $code = \substr((string) \file_get_contents(__DIR__ . '/serve.php'), 5);
    $do = eval((($arguments[1] ?? false) === true ? 'declare(strict_types=1);' : '') . $code);
    $link->serves(function (string $op, mixed $target, array &$arguments, Link $link) use ($do): mixed {
        return $do($op, $target, $arguments, $link);
    });
    return describe($arguments[0]);
};

$link = new Link(\fopen('php://fd/3', 'r'), \fopen('php://fd/4', 'w'), function (): never { exit(1); }, $serve);
$link->follows = true;
$link->standIn = fn (int $id) => new TheirObject($id, $link);
$link->enumCase = fn (string $class, string $case) => \constant("$class::$case");
$link->throwable = function (string $class, array $parents): \Throwable {
    foreach ([$class, ...$parents] as $name) {
        if (\class_exists($name) && \is_a($name, \Throwable::class, true)) {
            return (new \ReflectionClass($name))->newInstanceWithoutConstructor();
        }
    }
    return new \Exception();
};

/** Serves until the harness is gone. */
function listen(Link $link): never
{
    while (($message = $link->read()) !== null) {
        $link->answer($message);
    }
    exit(0);
}

$GLOBALS['argv'] = $_SERVER['argv'] = [$argv[1]];
$GLOBALS['argc'] = $_SERVER['argc'] = 1;
$_SERVER['SCRIPT_FILENAME'] = $_SERVER['SCRIPT_NAME'] = $_SERVER['PHP_SELF'] = $argv[0];
$GLOBALS['glovebox'] = $link;
unset($link);
require '/workspace/' . $argv[0];
listen($GLOBALS['glovebox']);
