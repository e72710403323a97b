<?php
// Values and calls between two processes, one turn at a time.
//
// A frame is four bytes of length and a JSON text. A request is
// ["q", seq, op, …] and its answer ["r", seq, ok, value, …]; while one side
// waits for its answer it serves the requests of the other, so callbacks are
// synchronous. Arrays of plain values travel as JSON has them, all else as tagged
// JSON; objects stay with their owner, the other side gets a stand-in. Nothing
// received is unserialized.

declare(strict_types=1);

namespace Glovebox;

const MAX_FRAME = 32 << 20;
const MAX_DEPTH = 1000;
const MAX_ITEMS = 4000000;
const MAX_ARRAYS = 2000000;
const MAX_OPEN = 1000;
const MAX_OBJECTS = 250000;

/** Thrown for a property or a value that cannot be passed. */
final class NotPassable extends \RuntimeException {}

final class Link
{
    private int $seq = 0;
    private array $ours = [];
    private \SplObjectStorage $ids;
    private array $theirs = [];
    private \WeakMap $theirIds;
    private int $depth = 0;
    private int $items = 0;
    /** What is being asked for. */
    private string $doing = '';
    /** The last call that was answered. */
    public ?array $last = null;
    /** What their objects become: fn(int $id, string $class, array $kinds): object. */
    public ?\Closure $standIn = null;
    /** Hears of what a callback threw: fn(\Throwable $error). */
    public ?\Closure $thrown = null;
    /** Hears of a value that cannot be passed: fn(string $reason). */
    public ?\Closure $refused = null;
    /** What their enum cases and exceptions become. */
    public ?\Closure $enumCase = null;
    public ?\Closure $throwable = null;
    public int $calls = 0;
    /** Counts what may change an object of theirs. */
    public int $turn = 0;
    /** Whether plain objects of theirs change here when they change there. */
    public bool $follows = false;
    private \WeakMap $filled;
    /** How many requests are open on both sides together. */
    private int $open = 0;

    /**
     * @param resource $in
     * @param resource $out
     * @param \Closure $onBroken must not return
     * @param \Closure $serve fn(string $op, mixed $target, array $arguments): mixed
     */
    public function __construct(private $in, private $out, private \Closure $onBroken, private \Closure $serve)
    {
        $this->ids = new \SplObjectStorage();
        $this->theirIds = new \WeakMap();
        $this->filled = new \WeakMap();
    }

    /** Serves by another function from now on. */
    public function serves(\Closure $serve): void
    {
        $this->serve = $serve;
    }

    public function broken(string $reason): never
    {
        ($this->onBroken)($this->doing === '' ? $reason : "$reason during {$this->doing}");
        exit(1);
    }

    private function readFully(int $size): ?string
    {
        $data = '';
        while (\strlen($data) < $size) {
            $part = \fread($this->in, $size - \strlen($data));
            if ($part === false || $part === '') {
                return null;
            }
            $data .= $part;
        }
        return $data;
    }

    /** Does something while PHP looks for no cycles: it would walk the same large array again and again. */
    private function still(\Closure $do): mixed
    {
        $was = \gc_enabled();
        \gc_disable();
        try {
            return $do();
        } finally {
            $was && \gc_enable();
        }
    }

    public function read(): ?array
    {
        $head = $this->readFully(4);
        if ($head === null) {
            return null;
        }
        $size = \unpack('N', $head)[1];
        if ($size > MAX_FRAME) {
            $this->broken("a message of $size bytes came");
        }
        $body = $this->readFully($size);
        if ($body === null) {
            return null;
        }
        // Arrays cost most, so they are counted before any is made.
        if (\substr_count($body, '[') + \substr_count($body, '{') > MAX_ARRAYS) {
            $this->broken('a value with too many parts came');
        }
        $message = $this->still(fn () => \json_decode($body, true, 2 * MAX_DEPTH + 20));
        if (!\is_array($message) || !\array_is_list($message) || \count($message) < 3) {
            $this->broken('a malformed message came');
        }
        return $message;
    }

    private function write(array $message): void
    {
        $body = \json_encode($message, \JSON_PRESERVE_ZERO_FRACTION | \JSON_UNESCAPED_SLASHES, 2 * MAX_DEPTH + 20);
        if ($body === false || \strlen($body) > MAX_FRAME) {
            throw new NotPassable('a value is too large to be passed');
        }
        $frame = \pack('N', \strlen($body)) . $body;
        for ($at = 0; $at < \strlen($frame); $at += $n) {
            $n = @\fwrite($this->out, \substr($frame, $at));
            if (!$n) {
                $this->broken('the process ended');
            }
        }
        \fflush($this->out);
    }

    /** Asks for something; returns its value or throws its error. References in $arguments are updated. */
    public function use(string $doing, string $op, mixed $target, array $arguments): mixed
    {
        $outer = $this->doing;
        $this->doing = $outer !== '' ? $outer : $doing;
        $this->depth = 0;
        $seq = ++$this->seq;
        $this->calls += $op === 'describe' ? 0 : 1;
        $this->turn += \in_array($op, ['get', 'isset', 'properties', 'compare'], true) ? 0 : 1;
        try {
            $this->still(function () use ($arguments, $seq, $op, $target): void {
                $packed = [];
                foreach ($arguments as $key => $argument) {
                    $packed[] = [$key, $this->pack($argument)];
                }
                $this->write(['q', $seq, $op, $target, $packed]);
            });
        } catch (NotPassable $error) {
            $this->doing = $outer;
            $this->refused?->__invoke("$doing: {$error->getMessage()}");
            throw $error;
        }
        if (++$this->open > MAX_OPEN) {
            $this->broken('callbacks call each other without an end');
        }
        while (true) {
            $message = $this->read();
            if ($message === null) {
                $this->broken('the process ended');
            }
            if ($message[0] === 'q') {
                $this->answer($message);
                continue;
            }
            if ($message[0] !== 'r' || $message[1] !== $seq || \count($message) !== 6) {
                $this->broken('an answer came that nobody asked for');
            }
            break;
        }
        [, , $ok, $value, $output, $changes] = $message;
        $this->open--;
        $this->depth = $this->items = 0;
        try {
            $output = $this->text(\is_string($output) ? $output : $this->unpack($output));
            $result = $this->still(fn () => $this->unpack($value));
            $this->change($arguments, $changes);
        } catch (\Error | \Exception $error) {
            $this->broken('a malformed answer came');
        }
        echo $output;
        $this->doing = $outer;
        $this->last = [$doing, $ok, $result];
        if ($ok === 1) {
            return $result;
        }
        if (!$result instanceof \Throwable) {
            $this->broken('a malformed answer came');
        }
        throw $result;
    }

    /** Gives arguments the values that a call left in them: references and plain objects. */
    private function change(array &$arguments, mixed $changes): void
    {
        foreach ($this->entries($changes) as [$key, $changed]) {
            if (!\array_key_exists($key, $arguments)) {
                $this->broken('a malformed answer came');
            }
            if (!$arguments[$key] instanceof \stdClass) {
                $arguments[$key] = $this->unpack($changed);
                continue;
            }
            $contents = \is_array($changed) && ($changed[0] ?? null) === 'o' ? $this->unpack($changed[1] ?? null) : null;
            if (!\is_array($contents)) {
                $this->broken('a malformed answer came');
            }
            $this->refill($arguments[$key], (object) $contents);
        }
    }

    /** Answers one request of the other side. */
    public function answer(array $message): void
    {
        if (\count($message) !== 5) {
            $this->broken('a malformed request came');
        }
        [, $seq, $op, $target, $packed] = $message;
        $this->depth = $this->items = 0;
        $arguments = [];
        $before = [];
        try {
            foreach ($this->entries($packed) as [$key, $value]) {
                $arguments[$key] = $this->still(fn () => $this->unpack($value));
                $before[$key] = $arguments[$key] instanceof \stdClass ? clone $arguments[$key] : $arguments[$key];
            }
        } catch (\Error | \Exception $error) {
            $this->broken('a malformed request came');
        }
        $ok = 1;
        \ob_start();
        $level = \ob_get_level();
        try {
            $result = ($this->serve)($op, $target, $arguments, $this);
        } catch (\Throwable $error) {
            $ok = 0;
            $result = $error;
            $this->thrown?->__invoke($error);
        }
        while (\ob_get_level() > $level) {
            \ob_end_flush();
        }
        $output = \ob_get_level() === $level ? \ob_get_clean() : '';
        echo $output;
        $this->depth = 0;
        try {
            $changes = [];
            foreach ($before as $key => $value) {
                if ((\is_array($value) || \is_scalar($value) || $value === null) && $arguments[$key] !== $value) {
                    $changes[] = [$key, $this->pack($arguments[$key])];
                } elseif ($value instanceof \stdClass && $arguments[$key] instanceof \stdClass && (array) $value !== (array) $arguments[$key]) {
                    $changes[] = [$key, $this->pack($arguments[$key])];
                }
            }
            $this->still(fn () => $this->write(['r', $seq, $ok, $this->pack($result), $this->pack($output), $changes]));
        } catch (NotPassable $error) {
            $this->depth = 0;
            $this->write(['r', $seq, 0, $this->pack(new \RuntimeException($error->getMessage())), '', []]);
        }
    }

    /** Gives an object of ours the contents that a call left in it. */
    private function refill(\stdClass $ours, \stdClass $changed): void
    {
        $contents = \get_object_vars($changed);
        foreach (\array_keys(\array_diff_key(\get_object_vars($ours), $contents)) as $gone) {
            unset($ours->$gone);
        }
        foreach ($contents as $name => $value) {
            $ours->$name = $value;
        }
    }

    private function entries(mixed $list): array
    {
        $this->list($list);
        foreach ($list as $entry) {
            if (!\is_array($entry) || \count($entry) !== 2 || !\array_is_list($entry) || !(\is_int($entry[0]) || \is_string($entry[0]))) {
                $this->broken('a malformed value came');
            }
        }
        return $list;
    }

    private function list(mixed $list): array
    {
        if (!\is_array($list) || !\array_is_list($list)) {
            $this->broken('a malformed value came');
        }
        $this->items += \count($list);
        if ($this->items > MAX_ITEMS) {
            $this->broken('a value with too many parts came');
        }
        return $list;
    }

    private function text(mixed $value): string
    {
        if (!\is_string($value)) {
            $this->broken('a malformed value came');
        }
        return $value;
    }

    public function our(mixed $id): object
    {
        if (!\is_int($id) || !isset($this->ours[$id])) {
            $this->broken('an object was named that was never passed');
        }
        return $this->ours[$id];
    }

    private function idOf(object $object): int
    {
        if (!$this->ids->contains($object)) {
            $this->ids[$object] = $this->ids->count() + 1;
            $this->ours[$this->ids[$object]] = $object;
        }
        return $this->ids[$object];
    }

    public function keep(int $id, object $standIn): object
    {
        if (\count($this->theirs) >= MAX_OBJECTS) {
            $this->broken('too many objects came');
        }
        $this->theirs[$id] = $standIn;
        $this->theirIds[$standIn] = $id;
        return $standIn;
    }

    /** The id of their object that a stand-in stands for. */
    public function theirId(object $standIn): ?int
    {
        return $this->theirIds[$standIn] ?? null;
    }

    // Packing.

    public function pack(mixed $value): mixed
    {
        if ($value === null || \is_bool($value) || \is_int($value)) {
            return $value;
        }
        if (\is_float($value)) {
            return \is_finite($value) ? $value : ['d', \is_nan($value) ? 'NAN' : ($value > 0 ? 'INF' : '-INF')];
        }
        if (\is_string($value)) {
            return \preg_match('//u', $value) ? $value : ['x', \base64_encode($value)];
        }
        if (++$this->depth > MAX_DEPTH) {
            throw new NotPassable('a value is nested too deep to be passed');
        }
        $packed = \is_array($value) ? $this->packArray($value) : (\is_object($value) ? $this->packObject($value) : null);
        $this->depth--;
        return $packed;
    }

    private function packArray(array $value): array
    {
        // A method of a framework's object is passed as a function, not its object.
        if (isset($value[0], $value[1]) && $value[0] instanceof \PHPUnit\Framework\Assert && \count($value) === 2 && \is_callable($value)) {
            return ['f', $this->idOf(\Closure::fromCallable($value))];
        }
        if ($this->depth <= 1 && self::isPlain($value, 1)) {
            return ['j', $value];
        }
        $entries = [];
        if (\array_is_list($value)) {
            foreach ($value as $item) {
                $entries[] = $this->pack($item);
            }
            return ['l', $entries];
        }
        foreach ($value as $key => $item) {
            $entries[] = [$this->pack($key), $this->pack($item)];
        }
        return ['a', $entries];
    }

    /** Whether JSON has a whole array as it is. */
    private static function isPlain(array $value, int $depth): bool
    {
        foreach ($value as $key => $item) {
            if (\is_string($key) && !\preg_match('//u', $key)) {
                return false;
            }
            if (\is_array($item)) {
                if ($depth >= MAX_DEPTH || !self::isPlain($item, $depth + 1)) {
                    return false;
                }
            } elseif (\is_string($item) ? !\preg_match('//u', $item) : (\is_float($item) ? !\is_finite($item) : $item !== null && !\is_scalar($item))) {
                return false;
            }
        }
        return true;
    }

    private function packObject(object $value): array
    {
        if (isset($this->theirIds[$value]) && !$value instanceof \stdClass) {
            return ['h', $this->theirIds[$value]];
        }
        if ($value instanceof \UnitEnum) {
            return ['E', $value::class, $value->name, $this->idOf($value)];
        }
        if ($value instanceof \Throwable) {
            return $this->packThrowable($value);
        }
        if ($value instanceof \DateTimeInterface) {
            return ['t', $value instanceof \DateTime ? 'DateTime' : 'DateTimeImmutable', $value->format('Y-m-d\TH:i:s.uP'), $value->getTimezone()->getName()];
        }
        if ($value instanceof \DateTimeZone) {
            return ['z', $value->getName()];
        }
        if ($value instanceof \DateInterval && $value::class === 'DateInterval') {
            return ['v', $this->pack((array) $value)];
        }
        if ($value instanceof \GMP) {
            return ['g', \gmp_strval($value)];
        }
        if ($value::class === 'stdClass') {
            // One that the other side passed is that one, as it is now.
            $theirs = $this->theirIds[$value] ?? null;
            return ['o', $this->packArray((array) $value), $theirs ?? $this->idOf($value), $theirs === null];
        }
        if ($value instanceof \Closure) {
            return ['f', $this->idOf($value)];
        }
        $kinds = [...\class_parents($value), ...\class_implements($value), ...(\method_exists($value, '__invoke') ? ['__invoke'] : [])];
        return ['i', $this->idOf($value), $value::class, \array_values($kinds)];
    }

    private function packThrowable(\Throwable $error): array
    {
        $where = '';
        foreach ([['file' => $error->getFile(), 'line' => $error->getLine()], ...$error->getTrace()] as $frame) {
            if (\str_starts_with($frame['file'] ?? '', '/workspace/')) {
                $where = \substr($frame['file'], 11) . ':' . $frame['line'];
                break;
            }
        }
        $code = $error->getCode();
        $extra = \array_diff_key(\get_object_vars($error), \array_fill_keys(['message', 'code', 'file', 'line', 'previous', 'trace'], 0));
        return [
            'e', $error::class, \array_values([...\class_parents($error), ...\class_implements($error)]), $this->pack($error->getMessage()),
            \is_int($code) ? $code : 0, $where, $error->getPrevious() ? $this->packThrowable($error->getPrevious()) : null,
            $this->idOf($error), $this->packArray($extra),
        ];
    }

    // Unpacking.

    public function unpack(mixed $value): mixed
    {
        if (!\is_array($value)) {
            return \is_string($value) ? $this->harmless($value) : $value;
        }
        $this->list($value);
        if (++$this->depth > MAX_DEPTH + 10) {
            $this->broken('a value came that is nested too deep');
        }
        $result = $this->tagged($value[0] ?? null, $value[1] ?? null, $value);
        $this->depth--;
        return $result;
    }

    /** A text, which the tests may call: it must not name what runs them. */
    private function harmless(string $text): string
    {
        if (isset($text[7]) && \strpbrk($text[0], 'GgPp\\') !== false && \preg_match('/^\\\\?(?:Glovebox|PHPUnit)\\\\/i', $text) && (\is_callable($text) || \class_exists($text, false))) {
            $this->refused?->__invoke("the program gives the text $text, which names a part of what runs the tests");
        }
        return $text;
    }

    /** An array of plain values, as JSON has it. */
    private function whole(mixed $value, int $depth): array
    {
        if (!\is_array($value) || $depth > MAX_DEPTH) {
            $this->broken('a malformed value came');
        }
        $this->items += \count($value);
        if ($this->items > MAX_ITEMS) {
            $this->broken('a value with too many parts came');
        }
        foreach ($value as $item) {
            if (\is_string($item)) {
                $this->harmless($item);
            } elseif (\is_array($item)) {
                $this->whole($item, $depth + 1);
            }
        }
        return $value;
    }

    private function tagged(mixed $tag, mixed $a, array $all): mixed
    {
        switch ($tag) {
            case 'd':
                return match ($a) {
                    'NAN' => \NAN,
                    'INF' => \INF,
                    '-INF' => -\INF,
                    default => $this->broken('a malformed value came'),
                };
            case 'x':
                $bytes = \base64_decode($this->text($a), true);
                return $bytes === false ? $this->broken('a malformed value came') : $this->harmless($bytes);
            case 'j':
                return $this->whole($a, 1);
            case 'l':
                $array = [];
                foreach ($this->list($a) as $item) {
                    $array[] = $this->unpack($item);
                }
                return $array;
            case 'a':
                $array = [];
                foreach ($this->list($a) as $entry) {
                    $key = $this->list($entry)[0] ?? null;
                    $key = \is_int($key) ? $key : $this->unpack($key);
                    if (!\is_int($key) && !\is_string($key)) {
                        $this->broken('a malformed value came');
                    }
                    $array[$key] = $this->unpack($entry[1] ?? null);
                }
                return $array;
            case 'o':
                $contents = $this->unpack($a);
                if (!\is_array($contents) || \count($all) !== 4) {
                    $this->broken('a malformed value came');
                }
                if ($all[3] !== true) {
                    $ours = $this->our($all[2]);
                    return $ours instanceof \stdClass ? $ours : $this->broken('a malformed value came');
                }
                $object = $this->known($all[2]) ?? $this->keep($all[2], new \stdClass());
                if (!$object instanceof \stdClass) {
                    $this->broken('a malformed value came');
                }
                if (!$this->follows && isset($this->filled[$object]) && \get_object_vars($object) !== $contents) {
                    $object = $this->keep($all[2], new \stdClass()); // what came whole does not change
                }
                $this->filled[$object] = true;
                $this->refill($object, (object) $contents);
                return $object;
            case 'z':
            case 'g':
            case 'v':
                return $this->exact($tag, $a);
            case 'h':
                return $this->our($a);
            case 't':
                try {
                    $zone = new \DateTimeZone($this->text($all[3] ?? null));
                    $date = new \DateTimeImmutable($this->text($all[2] ?? null), $zone);
                    $date = $date->setTimezone($zone);
                } catch (\Exception) {
                    $this->broken('a malformed value came');
                }
                return $a === 'DateTime' ? \DateTime::createFromImmutable($date) : $date;
            case 'E':
                $case = ($this->enumCase)($this->text($a), $this->text($all[2] ?? null));
                return $case ?? $this->known($all[3] ?? null) ?? $this->keep($all[3], ($this->standIn)($all[3], $a, []));
            case 'e':
                return $this->unpackThrowable($all);
            case 'f':
                return $this->known($a) ?? $this->keep($a, $this->callable($a));
            case 'i':
                $kinds = \array_map($this->text(...), $this->list($all[3] ?? null));
                return $this->known($a) ?? $this->keep($a, ($this->standIn)($a, $this->text($all[2] ?? null), $kinds));
        }
        $this->broken('a malformed value came');
    }

    /** The stand-in for an object of theirs that came before, or null. */
    private function known(mixed $id): ?object
    {
        if (!\is_int($id)) {
            $this->broken('a malformed value came');
        }
        return $this->theirs[$id] ?? null;
    }

    /** Exact values that are objects in PHP. */
    private function exact(string $tag, mixed $value): object
    {
        try {
            switch ($tag) {
                case 'z':
                    return new \DateTimeZone($this->text($value));
                case 'g':
                    return \gmp_init($this->text($value));
            }
            $parts = $this->unpack($value);
            if (!\is_array($parts) || \array_filter($parts, fn ($part) => $part !== null && !\is_scalar($part)) !== []) {
                $this->broken('a malformed value came');
            }
            return \DateInterval::__set_state($parts);
        } catch (\Exception | \Error) {
            $this->broken('a malformed value came');
        }
    }

    private function callable(int $id): \Closure
    {
        return fn (...$arguments) => $this->use('the callback(' . show($arguments) . ')', 'invoke', $id, $arguments);
    }

    private function unpackThrowable(array $all): \Throwable
    {
        if (\count($all) !== 9 || !\is_int($all[4])) {
            $this->broken('a malformed value came');
        }
        [, $class, $parents, $message, $code, $where, $previous, $id, $extra] = $all;
        $error = $this->known($id);
        if ($error instanceof \Throwable) {
            return $error;
        }
        $parents = \array_map($this->text(...), $this->list($parents));
        $error = $this->keep($id, ($this->throwable)($this->text($class), $parents));
        $set = function (string $property, mixed $value) use ($error): void {
            $root = $error instanceof \Exception ? \Exception::class : \Error::class;
            (new \ReflectionProperty($root, $property))->setValue($error, $value);
        };
        $set('message', $this->text($this->unpack($message)));
        $set('code', $code);
        $extra = $this->unpack($extra);
        if (\is_array($extra) && \method_exists($error, 'gloveboxCarries')) {
            $error->gloveboxCarries($extra);
        }
        if ($previous !== null) {
            if (++$this->depth > MAX_DEPTH) {
                $this->broken('a value came that is nested too deep');
            }
            $set('previous', $this->unpackThrowable($this->list($previous)));
            $this->depth--;
        }
        wheres()[$error] = $this->text($where);
        return $error;
    }
}

/** What a warning or a notice becomes under PHPUnit 9. */
final class Warning extends \RuntimeException {}

/** Makes errors of warnings and notices of files below a folder, as PHPUnit 9 does. $first may take one for itself. */
function convertErrors(string $folder, ?\Closure $first = null): void
{
    \set_error_handler(function (int $level, string $text, string $file) use ($folder, $first): bool {
        if ($first?->__invoke($text) === true) {
            return true;
        }
        if (($level & \error_reporting() & ~(\E_DEPRECATED | \E_USER_DEPRECATED)) !== 0 && \str_starts_with($file, $folder)) {
            throw new Warning($text, $level);
        }
        return false;
    });
}

/** Where errors of the other side were thrown. */
function wheres(): \WeakMap
{
    static $map = new \WeakMap();
    return $map;
}

/** Shows values, shortly. */
function show(mixed $value, bool $list = true): string
{
    $one = function (mixed $v, int $depth) use (&$one): string {
        if (\is_array($v)) {
            if ($depth > 3) {
                return '[…]';
            }
            $parts = [];
            foreach (\array_slice($v, 0, 20, true) as $key => $item) {
                $parts[] = (\array_is_list($v) ? '' : $one($key, 0) . ' => ') . $one($item, $depth + 1);
            }
            return '[' . \implode(', ', $parts) . (\count($v) > 20 ? ', …' : '') . ']';
        }
        if (\is_object($v)) {
            return $v instanceof \Throwable ? $v::class . ': ' . $v->getMessage() : ($v instanceof \stdClass ? '{' . $one((array) $v, $depth + 1) . '}' : 'object of ' . $v::class);
        }
        return \is_string($v) && \strlen($v) > 200 ? \var_export(\substr($v, 0, 200), true) . '…' : \var_export($v, true);
    };
    $text = $list && \is_array($value) ? \implode(', ', \array_map(fn ($v) => $one($v, 0), $value)) : $one($value, 0);
    return \strlen($text) > 600 ? \substr($text, 0, 600) . '…' : $text;
}
