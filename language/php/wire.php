<?php
// Values and calls between two processes, one turn at a time.
//
// A frame is four bytes of length and a JSON text. A request is
// ["q", seq, op, …] and its answer ["r", seq, ok, value, …]; while one side
// waits for its answer it serves the requests of the other, so callbacks are
// synchronous. Plain values travel as tagged JSON; objects stay with their
// owner, the other side gets a stand-in. Nothing received is unserialized.

declare(strict_types=1);

namespace Glovebox;

const MAX_FRAME = 32 << 20;
const MAX_DEPTH = 1000;
const MAX_ITEMS = 4000000;

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
    /** What their objects become: fn(int $id, string $class, array $traits): object. */
    public ?\Closure $standIn = null;
    /** What their enum cases and exceptions become. */
    public ?\Closure $enumCase = null;
    public ?\Closure $throwable = null;
    public int $calls = 0;

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
        $message = \json_decode($body, true, 2 * MAX_DEPTH + 20);
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
        $packed = [];
        foreach ($arguments as $key => $argument) {
            $packed[] = [$key, $this->pack($argument)];
        }
        $this->write(['q', $seq, $op, $target, $packed]);
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
        $this->depth = $this->items = 0;
        echo $this->text(\is_string($output) ? $output : $this->unpack($output));
        $result = $this->unpack($value);
        foreach ($this->entries($changes) as [$key, $changed]) {
            if (!\array_key_exists($key, $arguments)) {
                $this->broken('a malformed answer came');
            }
            $arguments[$key] = $this->unpack($changed);
        }
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
        foreach ($this->entries($packed) as [$key, $value]) {
            $arguments[$key] = $this->unpack($value);
            $before[$key] = $arguments[$key];
        }
        $ok = 1;
        \ob_start();
        $level = \ob_get_level();
        try {
            $result = ($this->serve)($op, $target, $arguments, $this);
        } catch (\Throwable $error) {
            $ok = 0;
            $result = $error;
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
                }
            }
            $this->write(['r', $seq, $ok, $this->pack($result), $this->pack($output), $changes]);
        } catch (NotPassable $error) {
            $this->depth = 0;
            $this->write(['r', $seq, 0, $this->pack(new \RuntimeException($error->getMessage())), '', []]);
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
        if (\array_is_list($value)) {
            return ['l', \array_map($this->pack(...), $value)];
        }
        $entries = [];
        foreach ($value as $key => $item) {
            $entries[] = [$this->pack($key), $this->pack($item)];
        }
        return ['a', $entries];
    }

    private function packObject(object $value): array
    {
        if (isset($this->theirIds[$value])) {
            return ['h', $this->theirIds[$value]];
        }
        if ($value instanceof \UnitEnum) {
            return ['E', $value::class, $value->name];
        }
        if ($value instanceof \Throwable) {
            return $this->packThrowable($value);
        }
        if ($value instanceof \DateTimeInterface) {
            return ['t', $value instanceof \DateTime ? 'DateTime' : 'DateTimeImmutable', $value->format('Y-m-d\TH:i:s.uP'), $value->getTimezone()->getName()];
        }
        if ($value::class === 'stdClass') {
            return ['o', $this->packArray((array) $value)];
        }
        if ($value instanceof \Closure) {
            return ['f', $this->idOf($value)];
        }
        return ['i', $this->idOf($value), $value::class, \array_values(\class_implements($value)), \method_exists($value, '__invoke')];
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
        return [
            'e', $error::class, \array_values(\class_parents($error)), $this->pack($error->getMessage()),
            \is_int($code) ? $code : 0, $where, $error->getPrevious() ? $this->packThrowable($error->getPrevious()) : null,
        ];
    }

    // Unpacking.

    public function unpack(mixed $value): mixed
    {
        if (!\is_array($value)) {
            return $value;
        }
        $this->list($value);
        if (++$this->depth > MAX_DEPTH + 10) {
            $this->broken('a value came that is nested too deep');
        }
        $result = $this->tagged($value[0] ?? null, $value[1] ?? null, $value);
        $this->depth--;
        return $result;
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
                return (string) \base64_decode($this->text($a));
            case 'l':
                return \array_map($this->unpack(...), $this->list($a));
            case 'a':
                $array = [];
                foreach ($this->list($a) as $entry) {
                    $key = $this->unpack($this->list($entry)[0] ?? null);
                    if (!\is_int($key) && !\is_string($key)) {
                        $this->broken('a malformed value came');
                    }
                    $array[$key] = $this->unpack($entry[1] ?? null);
                }
                return $array;
            case 'o':
                return (object) $this->unpack($a);
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
                return ($this->enumCase)($this->text($a), $this->text($all[2] ?? null));
            case 'e':
                return $this->unpackThrowable($all);
            case 'f':
                return $this->theirs[(int) $a] ?? $this->keep((int) $a, $this->callable((int) $a));
            case 'i':
                return $this->theirs[(int) $a] ?? $this->keep((int) $a, ($this->standIn)((int) $a, $this->text($all[2] ?? null), $this->list($all[3] ?? null)));
        }
        $this->broken('a malformed value came');
    }

    private function callable(int $id): \Closure
    {
        return fn (...$arguments) => $this->use('the callback(' . show($arguments) . ')', 'invoke', $id, $arguments);
    }

    private function unpackThrowable(array $all): \Throwable
    {
        if (\count($all) !== 7) {
            $this->broken('a malformed value came');
        }
        [, $class, $parents, $message, $code, $where, $previous] = $all;
        $parents = \array_map($this->text(...), $this->list($parents));
        $error = ($this->throwable)($this->text($class), $parents);
        $set = function (string $property, mixed $value) use ($error): void {
            $root = $error instanceof \Exception ? \Exception::class : \Error::class;
            (new \ReflectionProperty($root, $property))->setValue($error, $value);
        };
        $set('message', (string) $this->unpack($message));
        $set('code', (int) $code);
        if ($previous !== null) {
            $set('previous', $this->unpackThrowable($this->list($previous)));
        }
        wheres()[$error] = $this->text($where);
        return $error;
    }
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
