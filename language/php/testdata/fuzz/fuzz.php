<?php
// Feeds mutated frames to one end of the link, or mutated code to what reads the
// tests ("text"): fuzz.php END SEED SECONDS TRIES. Each frame must end with a value or a
// refusal: no warning, no fatal error, no hang, and nothing that it names is called.
// Code that parses must do so when it is rewritten.

namespace Glovebox;

const HOME = '/opt/glovebox/php/';
require HOME . 'wire.php';
require HOME . 'exam.php';
require HOME . 'stubs.php';
require HOME . 'phpunit.php';
require HOME . 'rewrite.php';

\ini_set('memory_limit', '1500M');
[, $end, $seed, $seconds, $tries] = $argv;
\mt_srand((int) $seed);

final class Refused extends \Exception {}

function link(): Link
{
    return $GLOBALS['link'];
}

function call(string $name, array $arguments): mixed
{
    return link()->use($name, 'call', $name, $arguments);
}

function canary(): never
{
    \fwrite(\STDERR, "something of a frame was called\n");
    exit(3);
}

\set_error_handler(function (int $level, string $text, string $file, int $line): bool {
    if (\str_ends_with($file, '/wire.php') && \error_reporting() & $level) {
        \fwrite(\STDERR, "$text at $file:$line\n");
        exit(4);
    }
    return true;
});

function one(array $from): mixed
{
    return $from[\mt_rand(0, \count($from) - 1)];
}

/** Any value of JSON, mostly with a tag of ours. */
function piece(int $depth = 0): mixed
{
    $text = fn () => one(['', 'x', 'canary', 'Glovebox\\canary', 'PHPUnit\\Framework\\TestCase', 'exit', 'DateTime', 'now', 'UTC', "');canary();//", '${canary()}', "\xc3\xa9", 'gloveboxSides', '__invoke', 'Countable', 'Throwable', 'Exception', 'Iterator', '0', '-INF', '9e999']);
    $number = fn () => one([0, 1, 2, 3, -1, 7, 255, \PHP_INT_MAX, \PHP_INT_MIN, \mt_rand(), 0.5, -0.0, 1e300]);
    $list = function () use ($depth) {
        $all = [];
        for ($n = $depth > 4 ? 0 : \mt_rand(0, 4); $n > 0; $n--) {
            $all[] = piece($depth + 1);
        }
        return $all;
    };
    $entries = fn () => \array_map(fn ($v) => [\mt_rand(0, 9) ? one([$text(), $number()]) : $v, $v], $list());
    $more = $depth < 6 ? piece(...) : fn () => null;
    return match (\mt_rand(0, 21)) {
        0 => null, 1 => true, 2 => $number(), 3, 4 => $text(),
        5 => ['l', $list()], 6 => ['a', $entries()], 7 => ['j', one([$list(), [$text() => $text()], $text()])],
        8 => ['x', \base64_encode($text())], 9 => ['d', one(['NAN', 'INF', '-INF', $text()])],
        10 => ['o', $more($depth + 1), \mt_rand(-1, 6), one([true, false, 1])], 11 => ['h', \mt_rand(-1, 4)],
        12 => ['t', one(['DateTime', 'DateTimeImmutable', 'X']), one(['2020-01-02T03:04:05.000000+00:00', $text()]), one(['UTC', 'Europe/Paris', $text()])],
        13 => ['z', one(['UTC', $text()])], 14 => ['g', one(['12345678901234567890', $text()])], 15 => ['v', $more($depth + 1)],
        16 => ['f', \mt_rand(-1, 9)], 17 => ['E', $text(), $text(), \mt_rand(0, 9)],
        18, 19 => ['i', \mt_rand(-1, 20), $text(), \array_map(fn () => $text(), \range(0, \mt_rand(0, 4)))],
        20 => ['e', $text(), [$text(), $text()], $text(), \mt_rand(-1, 9), $text(), one([null, $more($depth + 1)]), \mt_rand(0, 40), one([['a', []], $more($depth + 1)])],
        default => $list(),
    };
}

/** Changes a part of a value. */
function mutate(mixed $value, int $depth = 0): mixed
{
    if (!\is_array($value) || $value === [] || $depth > 8 || \mt_rand(0, 5) === 0) {
        return piece();
    }
    $key = one(\array_keys($value));
    switch (\mt_rand(0, 9)) {
        case 0:
            unset($value[$key]);
            return one([$value, \array_values($value)]);
        case 1:
            $value[] = $value[$key];
            return $value;
        case 2:
            $to = one(\array_keys($value));
            [$value[$key], $value[$to]] = [$value[$to], $value[$key]];
            return $value;
    }
    $value[$key] = mutate($value[$key], $depth + 1);
    return $value;
}

/** The bytes of a frame, mostly as they should be. */
function frame(mixed $message): string
{
    $body = (string) \json_encode($message, \JSON_PARTIAL_OUTPUT_ON_ERROR | \JSON_PRESERVE_ZERO_FRACTION);
    for ($n = \mt_rand(0, 9) < 3 ? \mt_rand(1, 6) : 0; $n > 0 && $body !== ''; $n--) {
        $at = \mt_rand(0, \strlen($body) - 1);
        $body = match (\mt_rand(0, 3)) {
            0 => \substr_replace($body, \chr(\mt_rand(0, 255)), $at, 1),
            1 => \substr($body, 0, $at) . \substr($body, $at + \mt_rand(1, 9)),
            2 => \substr($body, 0, $at) . \substr($body, \mt_rand(0, $at), \mt_rand(1, 40)) . \substr($body, $at),
            3 => \substr($body, 0, $at) . one(['[', ']', '"', '\\u0000', '\\ud800', '{', '}', ',', '1e999', '-', \str_repeat('[', 3000)]) . \substr($body, $at),
        };
    }
    $size = \mt_rand(0, 30) ? \strlen($body) : one([0, \strlen($body) + 1, 1 << 31, 0xffffffff, \mt_rand(0, 99)]);
    return \pack('N', $size) . $body;
}

/** Does with a value what tests do. */
function touch(mixed $value, int $depth = 0): void
{
    $doing = [fn () => $value == 1, fn () => $value == [1], fn () => $value == $value, fn () => [$value] <=> [2], fn () => \count($value), fn () => (string) $value, fn () => isset($value['x']), fn () => isset($value->x),
        fn () => $value->x, fn () => $value->m(1), fn () => \is_object($value) ? $value(1) : null, fn () => clone $value, fn () => show($value), fn () => shown('json_encode', $value), fn () => \PHPUnit\Framework\Equality::of($value, one([1, 'x', new \stdClass, $value])),
        function () use ($value, $depth) { $n = 0; foreach (each($value) as $k => $v) { if ($n++ > 5 || $depth > 2) { break; } touch($v, $depth + 1); } }];
    for ($n = 0; $n < 3; $n++) {
        try {
            one($doing)();
        } catch (Refused $refused) {
            throw $refused;
        } catch (\Throwable) {
        }
    }
}

/** A frame by the real encoder: real values, objects among them. */
function packed(Link $other): mixed
{
    $real = [1, 'x', ['a' => 1, 'b' => [1.5, null]], [\NAN], "\xff", new \stdClass, (object) ['a' => [1]], new \ArrayObject([1]), new \DateTime('2020-01-01'), new \Exception('x', 3, new \Error('y')),
        fn () => 1, new \DateInterval('P1D'), new \SplStack, [new \stdClass, [new \DateTimeZone('UTC')]]];
    return $other->pack(one([one($real), [one($real), one($real)], ['k' => one($real)]]));
}

function parses(string $code): bool
{
    try {
        \token_get_all($code, \TOKEN_PARSE);
        return true;
    } catch (\Throwable) {
        return false;
    }
}

function expression(int $depth = 0): string
{
    $e = fn () => expression($depth + 1);
    $compared = fn () => $e() . one([' < ', ' > ', '<=', '>=', ' < /* > */ ', ' == ', ' != ', ' === ', ' <=> ', '<>']) . $e();
    return match (\mt_rand($depth > 4 ? 20 : ($depth === 0 ? -6 : 0), 25)) {
        -6, -5, -4, -3 => $compared(), -2 => $compared() . one([' && ', ' || ', ' and ', ' ?? ', ' & ']) . $compared(), -1 => $compared() . ' ? ' . $compared() . ' : ' . $compared(),
        0, 1, 2, 3, 4, 5 => '(' . $compared() . ')',
        6, 7 => $e() . one([' + ', ' - ', ' . ', ' * ', ' ** ', ' && ', ' || ', ' and ', ' ?? ', ' & ', ' instanceof X . ']) . $e(),
        8 => '(' . $e() . ')', 9 => '!' . $e(), 10 => '(int) ' . $e(), 11 => '-' . $e(), 12 => '(' . $e() . ' ? ' . $e() . ' : ' . $e() . ')',
        13 => 'f(' . $e() . ', $a)', 14 => '$o?->m(' . $e() . ')[0]->{"x"}', 15 => '[' . $e() . ', "k" => ' . $e() . ']', 16 => '(fn ($x) => ' . $e() . ')',
        17 => 'match (true) { ' . $e() . ' => ' . $e() . ', default => 1 }', 18 => '(function () { return ' . $e() . '; })(1)', 19 => one(['max', '\\min', 'intval', 'print_r', 'json_encode', 'assertEquals', 'new X']) . '($a, ' . $e() . ')',
        20 => '$a', 21 => '1.5', 22 => "'x < y'", 23 => '"t {$a->b(1)} $c[0] > ${d}"', 24 => 'X::Y', 25 => "<<<T\n a \$b > {\$c['d']}\n T",
    };
}

function statement(int $depth = 0): string
{
    [$e, $s] = [expression(...), fn () => $depth > 3 ? ';' : statement($depth + 1)];
    return match (\mt_rand(0, 9)) {
        0 => 'if (' . $e() . ') { ' . $s() . ' } ' . $s(), 1 => 'for ($i = 0; ' . $e() . '; $i++) ' . $s(), 2 => 'foreach (' . $e() . ' as $k => $v) { ' . $s() . ' }',
        3 => 'return ' . $e() . ';', 4 => '$x = ' . $e() . ";\n", 5 => 'echo ' . $e() . ', ' . $e() . ';', 6 => 'if (' . $e() . ') ' . $s() . ' else ' . $s(),
        7 => 'switch (' . $e() . ') { case ' . $e() . ': ' . $s() . ' break; }', 8 => '$f = function () use (&$a) { ' . $s() . ' }; ' . $s(), 9 => $e() . ';',
    };
}

/** Code, often with tokens dropped, doubled and from elsewhere. */
function code(): string
{
    $code = "<?php\n" . statement() . statement();
    $tokens = \array_map(fn ($t) => $t->text, \PhpToken::tokenize($code));
    for ($n = \mt_rand(0, 3); $n > 0; $n--) {
        $with = \mt_rand(0, 1) ? \array_slice($tokens, \mt_rand(0, \count($tokens) - 1), \mt_rand(1, 9))
            : [one(['<', '>', '<=', '(int)', '(', ')', '{', '}', '"', '`', "<<<X\n", '$o == f($o)', 'foreach (', ' as ', 'max(', ',', '?->', '#[', '$x', '...', '::', 'match', 'fn', '=>', 'assertEquals($a, f($a))', "\0", '?>', '&'])];
        \array_splice($tokens, \mt_rand(1, \count($tokens)), \mt_rand(0, 3), $with);
    }
    return \implode('', $tokens);
}

$begin = \microtime(true);
$done = $values = $refused = 0;
$broken = function (string $reason): never {
    throw new Refused($reason);
};
// What this fuzzer found a fault with.
$found = ['<?php return $a; $f = function () use (&$a) { return 1; } < X::Y;', '<?php f($c > fn ($x) => "") == "";', '<?php $f = function (): int { return 1; } < $a;'];
while ($end === 'text' && $done < (int) $tries && \microtime(true) - $begin < (float) $seconds) {
    $code = \array_pop($found) ?? code();
    $after = rewrite($code, []);
    $done++;
    if (parses($code)) {
        $values++;
        if (!parses($after)) {
            \fwrite(\STDERR, "it does not parse any more:\n$code\n---\n$after\n");
            exit(6);
        }
    } else {
        $refused++;
    }
    \file_put_contents('/workspace/text.php', $code);
    new TestFile('text.php');
}
while ($end !== 'text' && $done < (int) $tries && \microtime(true) - $begin < (float) $seconds) {
    $in = \fopen('php://memory', 'w+');
    $out = \fopen('php://memory', 'w+');
    $other = new Link(\fopen('php://memory', 'r'), $out, $broken, fn () => null);
    $isHarness = $end === 'harness';
    if ($isHarness) {
        $link = peer($in, $out, $broken, true);
        $messages = [];
        for ($n = \mt_rand(1, 12); $n > 0; $n--) {
            $ask = \mt_rand(0, 4) === 0;
            $messages[] = $ask ? ['q', 1, one(['invoke', 'method', 'get', 'set', 'isset', 'items', 'x']), \mt_rand(0, 4), [[0, one([packed($other), 'expectException', 'x'])], [1, piece()]]]
                : ['r', \count(\array_filter($messages, fn ($m) => ($m[0] ?? '') === 'r')) + 1, \mt_rand(0, 1), one([packed($other), piece()]), '', one([[], [], [[0, piece()]]])];
        }
    } else {
        $link = new Link($in, $out, $broken, function (string $op, mixed $target, array $arguments) {
            touch($arguments);
            return $arguments[0] ?? null;
        });
        $link->follows = true;
        $link->standIn = fn (int $id) => new \ArrayObject();
        $link->enumCase = fn () => null;
        $link->throwable = fn () => new \Exception();
        $messages = [['q', 1, one(['call', 'method']), one(['f', 1, null]), [[0, packed($other)], [1, piece()], ['x', piece()]]]];
    }
    foreach ($messages as $message) {
        \fwrite($in, frame(\mt_rand(0, 2) ? mutate($message) : $message));
    }
    \rewind($in);
    $at = \microtime(true);
    try {
        if ($isHarness) {
            Standing::$doom = null;
            $plain = new \stdClass();
            $plain->x = 1;
            for ($n = 0; $n < 3; $n++) {
                $value = $link->use('fuzz', 'call', 'f', [[1, 'x'], $plain, fn ($x = 0) => $x, new \PHPUnit\Framework\AssertionFailedError('x')]);
                $values += $n === 0 ? 1 : 0;
                touch($value);
            }
            \Glovebox\stubs([[one(['f', 'canary', 'x;canary()']), piece()]], [piece()], ['C' => $plain], ['f', 'canary', 'C']);
        } else {
            while (($message = $link->read()) !== null) {
                $link->answer($message);
                $values++;
            }
        }
    } catch (\Throwable) {
        $refused++;
    }
    $done++;
    if (\microtime(true) - $at > 20) {
        \fwrite(\STDERR, "a frame took more than 20 s\n");
        exit(5);
    }
    \fclose($in);
    \fclose($out);
}
echo "\n$done executions, $values with values, $refused refused, ", \memory_get_peak_usage() >> 20, " MiB\n";
exit(0);
