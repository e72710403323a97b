<?php
// What the tests see in place of the program's functions, classes and objects.
// All names are ones that the tests use; all else in the generated code is ours.

declare(strict_types=1);

namespace Glovebox;

/** The methods of stand-ins for objects of the program. */
trait Remote
{
    public function __call(string $name, array $arguments): mixed
    {
        if (\strtolower($name) === 'count' && $arguments === []) {
            return counted($this);
        }
        return remote($this, "->$name(" . show($arguments) . ')', 'method', [$name, ...$arguments]);
    }
    public static function __callStatic(string $name, array $arguments): mixed
    {
        $result = link()->use(static::class . "::$name(" . show($arguments) . ')', 'static', static::class, [$name, ...$arguments]);
        if (isTheirs($result)) {
            made($result); // the tests spell it with the name of the class
        }
        return $result;
    }
}

/** What an enum cannot have. */
trait RemoteObject
{
    use Remote;
    /** PHP compares objects by their properties: see Probe. */
    protected array $gloveboxSides = [];
    public function __construct(mixed ...$arguments)
    {
        $object = link()->use('new ' . static::class . '(' . show($arguments) . ')', 'new', static::class, $arguments);
        $id = \is_object($object) ? link()->theirId($object) : null;
        $this->gloveboxTakes($id ?? link()->broken('a constructor made no object'));
        made($this);
    }
    public function __get(string $name): mixed { return remote($this, "->$name", 'get', [$name]); }
    public function __set(string $name, mixed $value): void { remote($this, "->$name = …", 'set', [$name, $value]); }
    public function __isset(string $name): bool { return remote($this, "->$name", 'isset', [$name]) === true; }
    public function __unset(string $name): void { remote($this, "unset(->$name)", 'unset', [$name]); }
    public function __clone(): void
    {
        $original = null;
        foreach ($this->gloveboxSides as $side) {
            $original ??= $side instanceof Probe ? $side->owner() : null;
        }
        $isMade = isMade($original);
        $object = link()->use('clone ' . named($this), 'clone', id($original), []);
        $id = \is_object($object) ? link()->theirId($object) : null;
        $this->gloveboxTakes($id ?? link()->broken('a clone is no object'));
        if ($isMade) {
            made($this);
        }
    }
    public function __serialize(): array { doom('the tests serialize an object of the program, which stays in its process: compare what its methods return'); }
    public function __unserialize(array $data): void { doom('the tests unserialize an object of the program'); }
    public function __debugInfo(): array { doom('the tests print an object of the program inside of another value: print it alone'); }
    public function gloveboxTakes(int $id): void
    {
        link()->keep($id, $this);
        $this->gloveboxSides = sides($this);
    }
}

/** The methods of stand-ins for exceptions. What an exception carries crossed with it. */
trait RemoteThrowable
{
    use Remote;
    private array $gloveboxCarried = [];
    public function __construct(mixed ...$arguments)
    {
        $error = link()->use('new ' . static::class . '(' . show($arguments) . ')', 'new', static::class, $arguments);
        if (!$error instanceof \Throwable || link()->theirId($error) === null) {
            link()->broken('a constructor made no exception');
        }
        $this->message = $error->getMessage();
        $this->code = $error->getCode();
        $this->gloveboxCarried = \method_exists($error, 'gloveboxCarries') ? $error->gloveboxCarries() : [];
        link()->keep(link()->theirId($error), $this);
        made($this);
    }
    public function __get(string $name): mixed
    {
        return \array_key_exists($name, $this->gloveboxCarried) ? $this->gloveboxCarried[$name] : remote($this, "->$name", 'get', [$name]);
    }
    public function __isset(string $name): bool { return isset($this->gloveboxCarried[$name]); }
    public function gloveboxCarries(?array $values = null): array { return $this->gloveboxCarried = $values ?? $this->gloveboxCarried; }
}

/**
 * PHP's ==, <, <=>, in_array, sort and the like compare two objects of a class
 * property by property, and call nothing of theirs. A stand-in's property is a
 * list in which, for each bit of its number, one of two places is this object
 * and the other a text. Two stand-ins differ in a bit: there, PHP compares the
 * text of the one with the probe of the other, and then the other way around.
 * It asks both probes for their text, first one, then the other: the second
 * knows both objects, and its text says how they compare.
 */
final class Probe
{
    private static ?object $first = null;
    private \WeakReference $owner;

    public function __construct(object $owner)
    {
        $this->owner = \WeakReference::create($owner);
    }

    public function owner(): object
    {
        return $this->owner->get();
    }

    public function __toString(): string
    {
        $mine = $this->owner->get();
        if (self::$first === null || self::$first === $mine) {
            self::$first = $mine;
            return '5';
        }
        $other = self::$first;
        self::$first = null;
        return (string) (5 + order($mine, $other));
    }
}

const SIDES = 24;

/** How many classes the program's objects may have that the tests do not name. */
const MAX_KINDS = 1000;

/** What PHP compares of a stand-in. */
function sides(object $standIn): array
{
    static $number = 0;
    $probe = new Probe($standIn);
    $sides = [];
    for ($bit = ++$number % (1 << SIDES), $n = 0; $n < SIDES; $n++, $bit >>= 1) {
        $sides[] = $bit & 1 ? $probe : '5';
        $sides[] = $bit & 1 ? '5' : $probe;
    }
    return $sides;
}

/** How two objects of the program compare: -1, 0 or 1. */
function order(object $one, object $other): int
{
    if (!isMade($one) && !isMade($other) && !Standing::$between) {
        doom('the tests compare two objects that the program returned (' . named($one) . ', ' . named($other) . '), and the program would decide that: compare their values, or with one that the tests make by new');
    }
    judged();
    $order = link()->use('comparing ' . named($one) . ' with ' . named($other), 'compare', id($one), [$other]);
    return \is_int($order) ? \max(-1, \min(1, $order)) : doom('a comparison of two objects gave no number');
}

/**
 * The harness's end of a link.
 *
 * @param resource $in
 * @param resource $out
 */
function peer($in, $out, \Closure $broken): Link
{
    // Of the tests' objects the candidate may use what is public.
    $serve = function (string $op, mixed $target, array $arguments, Link $link): mixed {
        $object = $link->our($target);
        if ($object instanceof \Closure && $op !== 'invoke') {
            throw new \Error('a closure can only be called');
        }
        // What a framework's class has is the tests' own, not the program's.
        if ($object instanceof \PHPUnit\Framework\Assert && ($op !== 'method' || \method_exists(\PHPUnit\Framework\TestCase::class, (string) $arguments[0]))) {
            doom('the program uses the object of the tests themselves');
        }
        return match ($op) {
            'invoke' => $object(...$arguments),
            'method' => $object->{$arguments[0]}(...\array_slice($arguments, 1)),
            'get' => $object->{$arguments[0]},
            'set' => $object->{$arguments[0]} = $arguments[1],
            'isset' => isset($object->{$arguments[0]}),
            'items' => $object instanceof \Traversable ? \iterator_to_array($object) : \get_object_vars($object),
            default => $link->broken('an unknown request came'),
        };
    };
    $link = new Link($in, $out, $broken, $serve);
    $link->enumCase = function (string $class, string $case) use ($link): mixed {
        if (\enum_exists($class, false) && \defined("$class::$case") && (new \ReflectionClass($class))->isUserDefined()) {
            return \constant("$class::$case");
        }
        return null;
    };
    // What fails in a function of the tests fails, though the program caught it.
    $link->thrown = function (\Throwable $error): void {
        if ($error instanceof \AssertionError || $error instanceof Skipped) {
            Standing::$doom ??= 'in a function of the tests that the program called: ' . $error->getMessage();
        }
    };
    $link->refused = function (string $reason): void {
        Standing::$doom ??= $reason;
    };
    // What ends a test in a way of its own, such as skipping it, does not travel.
    $link->throwable = function (string $class, array $parents): \Throwable {
        $kind = stubbed()[\strtolower($class)] ?? null;
        if ($kind === null || !\is_a($kind, \Throwable::class, true)) {
            $isOwn = \class_exists($class, false) && \is_a($class, \Throwable::class, true) && (new \ReflectionClass($class))->isInternal();
            $kind = $isOwn ? $class : kindOf($class, [...$parents, 'Throwable']);
        }
        $error = (new \ReflectionClass($kind))->newInstanceWithoutConstructor();
        named($error, $class);
        return $error;
    };
    $link->standIn = function (int $id, string $class, array $kinds): object {
        $kind = stubbed()[\strtolower($class)] ?? null;
        if ($kind === null || !\class_exists($kind, false) || \enum_exists($kind, false) || \is_a($kind, \Throwable::class, true)) {
            $kind = kindOf($class, \in_array('Throwable', $kinds, true) ? [] : $kinds);
        }
        $standIn = (new \ReflectionClass($kind))->newInstanceWithoutConstructor();
        named($standIn, $class);
        $standIn->gloveboxTakes($id);
        return $standIn;
    };
    return $link;
}

/** Notes an object that the tests' own text made, by new or by a static method. */
function made(object $standIn): void
{
    makes()[$standIn] = true;
}

function isMade(object $theirs): bool
{
    return isset(makes()[$theirs]);
}

function makes(): \WeakMap
{
    static $map = new \WeakMap();
    return $map;
}

/** Whether a value is a stand-in for an object of the program. */
function isTheirs(mixed $value): bool
{
    return \is_object($value) && !$value instanceof \stdClass && !$value instanceof \Closure && link()->theirId($value) !== null;
}

/** Whether a stand-in is somewhere in a value. */
function hasTheirs(mixed $value): bool
{
    if (\is_array($value) || $value instanceof \stdClass) {
        foreach ((array) $value as $part) {
            if (hasTheirs($part)) {
                return true;
            }
        }
        return false;
    }
    return isTheirs($value);
}

/** A value that PHP walks over by itself: of an object of the program it would see nothing. */
function walked(mixed $value): mixed
{
    if (isTheirs($value)) {
        doom('the tests walk over the properties of ' . named($value) . ', an object of the program, in a way that asks it nothing: use foreach, or (array)');
    }
    return $value;
}

/** Methods that stubs get for the interfaces and magic methods of their class. */
const METHODS = [
    'Countable' => 'public function count(): int { return \Glovebox\counted($this); }',
    'IteratorAggregate' => 'public function getIterator(): \Iterator { return \Glovebox\iterate($this); }',
    'ArrayAccess' => 'public function offsetExists(mixed $k): bool { return \Glovebox\member($this, $k); }
        public function offsetGet(mixed $k): mixed { return \Glovebox\remote($this, "[…]", "method", ["offsetGet", $k]); }
        public function offsetSet(mixed $k, mixed $v): void { \Glovebox\remote($this, "[…]", "method", ["offsetSet", $k, $v]); }
        public function offsetUnset(mixed $k): void { \Glovebox\remote($this, "[…]", "method", ["offsetUnset", $k]); }',
    'JsonSerializable' => 'public function jsonSerialize(): mixed { return \Glovebox\remote($this, "->jsonSerialize()", "method", ["jsonSerialize"]); }',
    'Stringable' => 'public function __toString(): string { return \Glovebox\remote($this, "->__toString()", "method", ["__toString"]); }',
    '__invoke' => 'public function __invoke(mixed ...$a): mixed { return \Glovebox\remote($this, "(…)", "invoke", $a); }',
];

/** Asks for something to be done with their object. */
function remote(object $standIn, string $doing, string $op, array $arguments): mixed
{
    if ($standIn instanceof \UnitEnum) {
        $case = $standIn::class . '::' . $standIn->name;
        return link()->use("$case$doing", 'caseMethod', $case, $arguments);
    }
    return link()->use(named($standIn) . $doing, $op, id($standIn), $arguments);
}

function id(object $standIn): int
{
    return link()->theirId($standIn) ?? link()->broken('an object was never made');
}

/**
 * What a result said of its size and how much it gave, until something may have
 * changed it. An object that contradicts itself is no list, and the tests would
 * look at nothing of it.
 */
function sized(object $standIn, string $what, int $n): void
{
    static $known = new \WeakMap();
    if (isMade($standIn)) {
        return;
    }
    $said = $known[$standIn] ?? null;
    if ($said === null || $said['turn'] !== link()->turn) {
        $said = ['turn' => link()->turn];
    }
    // One that gives what it has away counts less after that.
    if (($said['count'] ?? $n) !== $n || isset($said['given']) && $n > $said['given']) {
        doom('the program returned ' . named($standIn) . ', whose count is not that of what it gives');
    }
    $known[$standIn] = [...$said, $what => $n];
}

function counted(object $standIn): mixed
{
    $turn = link()->turn;
    $n = remote($standIn, '->count()', 'method', ['count']);
    link()->turn = $turn;
    if (\is_int($n)) {
        sized($standIn, 'count', $n);
    }
    return $n;
}

/**
 * Whether their object has an element of a key. Of a result the keys are searched
 * here, as those of an array; one that gives none would decide what the tests assert.
 */
function member(object $standIn, mixed $key): bool
{
    if (isMade($standIn)) {
        return remote($standIn, '[…]', 'method', ['offsetExists', $key]) === true;
    }
    if (!$standIn instanceof \Traversable) {
        doom('the tests ask whether ' . named($standIn) . ', which the program returned, has the key ' . show($key, false) . ', and it is no array, nor does it give its keys');
    }
    foreach ($standIn as $k => $value) {
        if ((\is_int($k) || \is_string($k)) && (string) $k === (string) (\is_scalar($key) ? $key : '')) {
            return true;
        }
    }
    return false;
}

/** Walks their object, lazily. */
function iterate(object $standIn): \Iterator
{
    $still = function (\Closure $ask): mixed {
        $turn = link()->turn;
        $answer = $ask();
        link()->turn = $turn;
        return $answer;
    };
    $iterator = $still(fn () => link()->use('iterating over ' . named($standIn), 'iterator', id($standIn), []));
    if (!isTheirs($iterator)) {
        link()->broken('an iterator is no object');
    }
    $id = id($iterator);
    $ask = fn (string $method) => $still(fn () => link()->use("iterating, $method()", 'method', $id, [$method]));
    [$n, $turn] = [0, link()->turn];
    for ($ask('rewind'); $ask('valid') === true; $ask('next')) {
        yield $ask('key') => $ask('current');
        $n++;
    }
    if (link()->turn === $turn) { // nothing was called for what it gave
        sized($standIn, 'given', $n);
        if ($standIn instanceof \Countable && !isMade($standIn)) {
            \count($standIn);
        }
    }
}

/** What is ordered, or made an int. Each answer about a NaN is false, and as an int it is 0. */
function ordered(mixed $value): mixed
{
    if (\is_float($value) && \is_nan($value) || \is_array($value) && \in_array(true, \array_map(fn ($v) => \is_float($v) && \is_nan($v), $value), true)) {
        doom('the tests order a value that is not a number (NAN), or make it an int');
    }
    if (\is_float($value) && \is_infinite($value) && !Standing::$infinite) {
        doom('the tests order an infinite number, or make it an int, and do not speak of infinity');
    }
    return $value;
}

/** max and min, which pass over a NaN, and intval. */
function extreme(string $function, mixed ...$arguments): mixed
{
    return $function(...\array_map(ordered(...), $arguments));
}

/**
 * What the program gets of a variable that is compared with what comes of it: never
 * the variable itself, and of a plain object what it was is kept. Compared is a copy
 * of before the call.
 */
function given(mixed $value): mixed
{
    if ($value instanceof \stdClass) {
        before()[$value] = clone $value;
    }
    return $value;
}

function copied(mixed $value): mixed
{
    return $value instanceof \stdClass ? clone $value : $value;
}

function kept(mixed $value): mixed
{
    return $value instanceof \stdClass ? before()[$value] ?? $value : $value;
}

/** What plain objects were before the program got them. */
function before(): \WeakMap
{
    static $map = new \WeakMap();
    return $map;
}

/** What foreach walks in the tests: of an object that is no iterator, its public properties. */
function each(mixed $value): mixed
{
    return isTheirs($value) && !$value instanceof \Traversable ? link()->use('foreach over ' . named($value), 'properties', id($value), []) : $value;
}

/** The same, for foreach by reference. */
function &eachOf(mixed &$value): mixed
{
    if (isTheirs($value) && !$value instanceof \Traversable) {
        doom('the tests change the properties of an object of the program by a foreach with a reference');
    }
    return $value;
}

/** Functions that show a value; an object of the program is shown by the program. */
function shown(string $function, mixed ...$arguments): mixed
{
    $value = $arguments[0] ?? null;
    if (isTheirs($value) && !$value instanceof \UnitEnum && !$value instanceof \Throwable) {
        return link()->use("$function(" . named($value) . ')', 'call', $function, $arguments);
    }
    if ($function === 'json_encode' && hasTheirs($value)) {
        $arguments[0] = jsonable($value);
    } elseif (hasTheirs($value) && !$value instanceof \Throwable && !$value instanceof \UnitEnum) {
        return $function === 'serialize' ? doom('the tests serialize an object of the program') : show($value, false);
    }
    return $function(...$arguments);
}

/** A value with the JSON of the program's objects in their place. */
function jsonable(mixed $value): mixed
{
    if (\is_array($value) || $value instanceof \stdClass) {
        $parts = \array_map(jsonable(...), (array) $value);
        return \is_array($value) ? $parts : (object) $parts;
    }
    if (!isTheirs($value) || $value instanceof \UnitEnum) {
        return $value;
    }
    $text = link()->use('json_encode(' . named($value) . ')', 'call', 'json_encode', [$value]);
    return \json_decode(\is_string($text) ? $text : 'null');
}

/** The name of a stand-in's class, as the program told it. */
function named(object $standIn, ?string $name = null): string
{
    static $names = [];
    if ($name !== null) {
        $names[$standIn::class] = $name;
    }
    return $names[$standIn::class] ?? $standIn::class;
}

/** The class of stand-ins for a class that the tests do not name. */
function kindOf(string $class, array $kinds): string
{
    static $known = [];
    $key = $class . "\0" . \implode("\0", $kinds);
    if (isset($known[$key])) {
        return $known[$key];
    }
    if (\count($known) >= MAX_KINDS) {
        link()->broken('objects of too many classes came');
    }
    $parent = null;
    $implements = $methods = [];
    $isError = \in_array('Throwable', $kinds, true);
    foreach ($kinds as $kind) {
        $stub = stubbed()[\strtolower($kind)] ?? null;
        if ($stub !== null && \class_exists($stub, false)) {
            $parent ??= $stub;
        } elseif ($stub !== null) {
            $implements[] = "\\$stub";
        } elseif (!$isError && isset(METHODS[$kind])) {
            $implements[] = $kind === '__invoke' ? null : "\\$kind";
            $methods[] = METHODS[$kind];
        } elseif ($isError && $parent === null && \class_exists($kind, false) && (new \ReflectionClass($kind))->isInternal() && \is_a($kind, \Throwable::class, true)) {
            $parent = $kind;
        } elseif (!$isError && $kind === 'Iterator') {
            $implements[] = '\\IteratorAggregate';
            $methods[] = METHODS['IteratorAggregate'];
        }
    }
    $name = 'Kind' . (\count($known) + 1);
    $trait = $parent !== null && isset(stubbed()[\strtolower($parent)]) ? '' : 'use \\Glovebox\\' . ($isError ? 'RemoteThrowable' : 'RemoteObject') . ';';
    $extends = $parent === null ? ($isError ? 'extends \\Exception' : '') : "extends \\$parent";
    $list = \implode(', ', \array_unique(\array_filter($implements)));
    $list = $list === '' ? '' : "implements $list";
    $methods = \implode("\n", \array_unique($methods));
    eval("namespace Glovebox\\Kinds { class $name $extends $list { $trait\n$methods } }");
    return $known[$key] = "Glovebox\\Kinds\\$name";
}

/** The classes that are stubs: their names by those in lower case. */
function stubbed(?string $name = null): array
{
    static $all = [];
    if ($name !== null) {
        $all[\strtolower($name)] = $name;
    }
    return $all;
}

/** Names that mean something to a framework of tests, or in another PHP. */
const TAKEN = '/^(?:phpunit|glovebox|mockery|prophecy|hamcrest|pest|codeception|sebastianbergmann|kahlan)(?:\\\\|$)'
    . '|(?:^|\\\\)(?:assert\w*|\w*testcase|verify|test|it|describe|context|expect|uses|beforeeach|aftereach|beforeall|afterall|dataset|todo'
    . '|(?:intl|grapheme|normalizer|idn|numfmt|datefmt|msgfmt|openssl|sodium|posix|pcntl|curl|simplexml|sqlite|apcu|xdebug)_\w+'
    . '|bc(?:add|ceil|comp|div|divmod|floor|mod|mul|pow|powmod|round|scale|sqrt|sub)|json_validate|str_(?:in|de)crement'
    . '|array_(?:find|find_key|any|all|first|last)|fpow|intlchar|numberformatter|collator|normalizer|transliterator)$/i';

/** Extensions that a box may lack, by the beginning of their functions' names. */
const EXTENSIONS = ['mb_' => 'mbstring', 'gmp_' => 'gmp', 'ctype_' => 'ctype', 'iconv_' => 'iconv', 'dom_' => 'dom'];

/** Whether a word means something that is not the program's. */
function isTaken(string $name): bool
{
    $short = \strtolower(split($name)[1]);
    foreach (EXTENSIONS as $begin => $extension) {
        if (\str_starts_with($short, $begin) && !\extension_loaded($extension)) {
            return true;
        }
    }
    return (bool) \preg_match(TAKEN, $name);
}

/** Makes the stubs for what the program said it defines. */
function stubs(array $functions, array $classes, array $constants, array $names): void
{
    $known = \array_fill_keys(\array_map(\strtolower(...), $names), true);
    $valid = fn (mixed $name) => \is_string($name) && isset($known[\strtolower($name)])
        && \preg_match('/^[A-Za-z_]\w*(?:\\\\[A-Za-z_]\w*)*$/D', $name) && !isTaken($name);
    foreach ($functions as [$name, $references]) {
        if ($valid($name)) {
            stubFunction($name, \array_map(fn ($r) => $r === true, \array_slice(\array_values($references), 0, 100)));
        }
    }
    $byName = [];
    foreach ($classes as $class) {
        if ($valid($class[0] ?? null)) {
            $byName[\strtolower($class[0])] = $class;
        }
    }
    foreach ($byName as $class) {
        stubClass($class, $byName);
    }
    foreach ($constants as $name => $value) {
        if ($valid($name) && !\defined($name) && !hasTheirs($value)) {
            \define($name, $value);
        }
    }
}

/** The namespace and the last part of a name. */
function split(string $name): array
{
    $at = \strrpos($name, '\\');
    return $at === false ? ['', $name] : [\substr($name, 0, $at), \substr($name, $at + 1)];
}

function stubFunction(string $name, array $references): void
{
    // PHP's own functions stay PHP's, in a namespace of the tests too.
    [$space, $short] = split($name);
    if (\function_exists($name) || (\function_exists($short) && (new \ReflectionFunction($short))->isInternal())) {
        return;
    }
    $quoted = \var_export($name, true);
    if (!\in_array(true, $references, true)) {
        eval("namespace $space { function $short(mixed ...\$a): mixed { return \\Glovebox\\call($quoted, \$a); } }");
        return;
    }
    $parameters = [];
    $collected = '';
    foreach ($references as $n => $reference) {
        $parameters[] = ($reference ? '&' : '') . "\$p$n = null";
        $collected .= "if (\\func_num_args() > $n) { \$a[] = &\$p$n; } ";
    }
    $parameters = \implode(', ', $parameters);
    eval("namespace $space { function $short($parameters, mixed ...\$rest): mixed { \$a = []; $collected foreach (\$rest as \$k => \$v) { if (\\is_int(\$k)) { \$a[] = \$v; } else { \$a[\$k] = \$v; } } return \\Glovebox\\call($quoted, \$a); } }");
}

function stubClass(array $class, array $byName): void
{
    [$name, $kind, $parents, $interfaces, $constants, $cases, $methods] = $class;
    if (\class_exists($name) || \interface_exists($name)) {
        return;
    }
    stubbed($name);
    [$space, $short] = split($name);
    $isError = \in_array('Throwable', $interfaces, true);
    $implements = [];
    $body = '';
    foreach ($interfaces as $interface) {
        if (\is_string($interface) && isset($byName[\strtolower($interface)])) {
            stubClass($byName[\strtolower($interface)], $byName);
            $implements[] = '\\' . $byName[\strtolower($interface)][0];
        } elseif ($isError || !\is_string($interface)) {
            continue;
        } elseif (isset(METHODS[$interface])) {
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
    $word = fn (mixed $k) => (bool) \preg_match('/^[A-Za-z_]\w*$/D', (string) $k);
    foreach ($kind === 'enum' ? $cases : [] as $case => $value) {
        if (\preg_match('/^[A-Za-z_]\w*$/D', (string) $case)) {
            $body .= "case $case" . ($value === null ? '' : ' = ' . \var_export($value, true)) . ";\n";
        }
    }
    foreach ($constants as $key => $value) {
        if ($word($key) && !isset($cases[$key]) && !hasTheirs($value)) {
            $body .= "const $key = " . \var_export($value, true) . ";\n";
        }
    }
    if ($kind === 'enum') {
        $first = \reset($cases);
        $type = \is_int($first) ? ': int' : (\is_string($first) ? ': string' : '');
        eval("namespace $space { enum $short$type " . ($list ? "implements $list" : '') . " { use \\Glovebox\\Remote;\n$body } }");
        return;
    }
    $extends = '';
    $parentIsStub = false;
    foreach ($parents as [$parent, $own]) {
        if ($own === true && isset($byName[\strtolower((string) $parent)])) {
            stubClass($byName[\strtolower($parent)], $byName);
            $extends = 'extends \\' . $byName[\strtolower($parent)][0];
            $parentIsStub = true;
            break;
        }
        if ($own === false && \class_exists((string) $parent, false) && \is_a((string) $parent, \Throwable::class, true) && (new \ReflectionClass($parent))->isInternal()) {
            $extends = 'extends \\' . (new \ReflectionClass($parent))->getName();
            break;
        }
    }
    if (!$isError && \in_array('__invoke', $methods, true)) {
        $body .= METHODS['__invoke'] . "\n";
    }
    $body .= $parentIsStub ? '' : 'use \\Glovebox\\' . ($isError ? 'RemoteThrowable' : 'RemoteObject') . ";\n";
    eval("namespace $space { class $short $extends " . ($list ? "implements $list" : '') . " {\n$body } }");
}
