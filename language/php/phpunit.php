<?php
// A stand-in for PHPUnit's TestCase: the common assertions, exactly. Tests that
// use what is not here are never given to it: see php_phpunit.go.

namespace Glovebox {
    final class Skipped extends \Exception {}
}

namespace PHPUnit\Framework {
    class AssertionFailedError extends \AssertionError {}
    class ExpectationFailedException extends AssertionFailedError {}

    /** Equality as PHPUnit's comparators have it. */
    final class Equality
    {
        public static function of(mixed $expected, mixed $actual, float $delta = 0.0, bool $canonical = false, bool $ignoreCase = false, int $depth = 0): bool
        {
            if ($depth > 500) {
                throw new AssertionFailedError('values are nested too deep to be compared');
            }
            if (\is_array($expected) && \is_array($actual)) {
                if ($canonical) {
                    \sort($expected);
                    \sort($actual);
                }
                if (\count($expected) !== \count($actual)) {
                    return false;
                }
                foreach ($expected as $key => $value) {
                    if (!\array_key_exists($key, $actual) || !self::of($value, $actual[$key], $delta, $canonical, $ignoreCase, $depth + 1)) {
                        return false;
                    }
                }
                return true;
            }
            if ($expected instanceof \DateTimeInterface && $actual instanceof \DateTimeInterface) {
                return \abs((float) $expected->format('U.u') - (float) $actual->format('U.u')) <= $delta;
            }
            if (\is_object($expected) && \is_object($actual)) {
                self::judged($expected, $actual);
                if ($expected instanceof \stdClass && $actual instanceof \stdClass) {
                    return self::of((array) $expected, (array) $actual, $delta, $canonical, $ignoreCase, $depth + 1);
                }
                if ($expected instanceof \Throwable && $actual instanceof \Throwable) {
                    return $expected::class === $actual::class && $expected->getMessage() === $actual->getMessage() && $expected->getCode() === $actual->getCode();
                }
                return $expected == $actual;
            }
            if (\is_array($expected) || \is_array($actual) || (\is_object($expected) || \is_object($actual)) && (\is_bool($expected ?? false) || \is_bool($actual ?? false))) {
                return false;
            }
            if ($expected === null || $actual === null || \is_bool($expected) || \is_bool($actual)) {
                return $expected == $actual; // with null and bool PHP compares truth
            }
            $isNumber = fn (mixed $v) => \is_int($v) || \is_float($v);
            if (\is_numeric($expected) && \is_numeric($actual) && ($isNumber($expected) || $isNumber($actual))) {
                if (\is_nan((float) $expected) || \is_nan((float) $actual)) {
                    return false;
                }
                return $expected == $actual || \abs($expected - $actual) <= $delta;
            }
            if (\is_string($expected) || \is_string($actual)) {
                if (\is_object($expected) && !$expected instanceof \Stringable || \is_object($actual) && !$actual instanceof \Stringable) {
                    return false;
                }
                [$one, $other] = [(string) $expected, (string) $actual];
                return $ignoreCase ? self::lower($one) === self::lower($other) : $one === $other;
            }
            return $expected == $actual;
        }

        public static function lower(string $text): string
        {
            return \function_exists('mb_strtolower') ? \mb_strtolower($text) : \strtolower($text);
        }

        /** Identity with an object that the tests made is the program's word. */
        public static function judged(mixed $one, mixed $other): void
        {
            if (!\function_exists('Glovebox\isTheirs')) {
                return; // in one process there are no stand-ins
            }
            if (\Glovebox\isTheirs($one) && \Glovebox\isTheirs($other) && (\Glovebox\isMade($one) || \Glovebox\isMade($other))) {
                \Glovebox\judged();
            }
        }

        public static function loose(mixed $one, mixed $other): bool
        {
            self::judged($one, $other);
            return $one == $other;
        }

        public static function same(mixed $one, mixed $other): bool
        {
            self::judged($one, $other);
            if (\is_array($one) && \is_array($other) && \count($one) === \count($other)) {
                foreach ($one as $key => $value) {
                    self::same($value, $other[$key] ?? null);
                }
            }
            return $one === $other;
        }
    }

    abstract class Assert
    {
        private static int $assertions = 0;

        private static function verify(bool $holds, string $message, string $standard): void
        {
            self::$assertions++;
            if (!$holds) {
                throw new ExpectationFailedException(($message === '' ? '' : "$message: ") . $standard);
            }
        }
        private static function text(mixed $value): string { return \Glovebox\show($value, false); }
        private static function both(mixed $expected, mixed $actual, string $how): string
        {
            return 'expected ' . self::text($expected) . ", $how " . self::text($actual);
        }
        private static function listOf(iterable $values): array { return \is_array($values) ? $values : \iterator_to_array($values, false); }
        private static function has(iterable $haystack, \Closure $is): bool
        {
            foreach ($haystack as $value) {
                if ($is($value)) {
                    return true;
                }
            }
            return false;
        }
        private static function counted(mixed $value): int
        {
            if ($value instanceof \Traversable && !$value instanceof \Countable) {
                return \iterator_count($value);
            }
            return \count($value);
        }
        public static function getCount(): int { return self::$assertions; }
        public function addToAssertionCount(int $count): void { self::$assertions += $count; }

        public static function assertSame(mixed $expected, mixed $actual, string $message = ''): void { self::verify(Equality::same($expected, $actual), $message, self::both($expected, $actual, 'got')); }
        public static function assertNotSame(mixed $expected, mixed $actual, string $message = ''): void { self::verify(!Equality::same($expected, $actual), $message, self::both($expected, $actual, 'got the same')); }
        public static function assertEquals(mixed $expected, mixed $actual, string $message = ''): void { self::verify(Equality::of($expected, $actual), $message, self::both($expected, $actual, 'got')); }
        public static function assertNotEquals(mixed $expected, mixed $actual, string $message = ''): void { self::verify(!Equality::of($expected, $actual), $message, self::both($expected, $actual, 'got the equal')); }
        public static function assertEqualsWithDelta(mixed $expected, mixed $actual, float $delta, string $message = ''): void { self::verify(Equality::of($expected, $actual, $delta), $message, self::both($expected, $actual, 'got')); }
        public static function assertNotEqualsWithDelta(mixed $expected, mixed $actual, float $delta, string $message = ''): void { self::verify(!Equality::of($expected, $actual, $delta), $message, self::both($expected, $actual, 'got')); }
        public static function assertEqualsCanonicalizing(mixed $expected, mixed $actual, string $message = ''): void { self::verify(Equality::of($expected, $actual, canonical: true), $message, self::both($expected, $actual, 'got')); }
        public static function assertNotEqualsCanonicalizing(mixed $expected, mixed $actual, string $message = ''): void { self::verify(!Equality::of($expected, $actual, canonical: true), $message, self::both($expected, $actual, 'got')); }
        public static function assertEqualsIgnoringCase(mixed $expected, mixed $actual, string $message = ''): void { self::verify(Equality::of($expected, $actual, ignoreCase: true), $message, self::both($expected, $actual, 'got')); }
        public static function assertNotEqualsIgnoringCase(mixed $expected, mixed $actual, string $message = ''): void { self::verify(!Equality::of($expected, $actual, ignoreCase: true), $message, self::both($expected, $actual, 'got')); }
        public static function assertTrue(mixed $value, string $message = ''): void { self::verify($value === true, $message, self::both(true, $value, 'got')); }
        public static function assertNotTrue(mixed $value, string $message = ''): void { self::verify($value !== true, $message, 'got true'); }
        public static function assertFalse(mixed $value, string $message = ''): void { self::verify($value === false, $message, self::both(false, $value, 'got')); }
        public static function assertNotFalse(mixed $value, string $message = ''): void { self::verify($value !== false, $message, 'got false'); }
        public static function assertNull(mixed $value, string $message = ''): void { self::verify($value === null, $message, self::both(null, $value, 'got')); }
        public static function assertNotNull(mixed $value, string $message = ''): void { self::verify($value !== null, $message, 'expected anything but null'); }
        public static function assertEmpty(mixed $value, string $message = ''): void { self::verify($value instanceof \Countable ? \count($value) === 0 : empty($value), $message, 'expected an empty value, got ' . self::text($value)); }
        public static function assertNotEmpty(mixed $value, string $message = ''): void { self::verify($value instanceof \Countable ? \count($value) !== 0 : !empty($value), $message, 'expected a value that is not empty, got ' . self::text($value)); }
        public static function assertCount(int $count, mixed $value, string $message = ''): void { $n = self::counted($value); self::verify($count === $n, $message, self::both($count, $n, 'counted')); }
        public static function assertNotCount(int $count, mixed $value, string $message = ''): void { $n = self::counted($value); self::verify($count !== $n, $message, "counted $n"); }
        public static function assertSameSize(mixed $expected, mixed $actual, string $message = ''): void { self::assertCount(self::counted($expected), $actual, $message); }
        public static function assertContains(mixed $needle, iterable $haystack, string $message = ''): void { self::verify(self::has($haystack, fn ($v) => Equality::same($needle, $v)), $message, self::text($needle) . ' is not in ' . self::text($haystack)); }
        public static function assertNotContains(mixed $needle, iterable $haystack, string $message = ''): void { self::verify(!self::has($haystack, fn ($v) => Equality::same($needle, $v)), $message, self::text($needle) . ' is in ' . self::text($haystack)); }
        public static function assertContainsEquals(mixed $needle, iterable $haystack, string $message = ''): void { self::verify(self::has($haystack, fn ($v) => Equality::loose($needle, $v)), $message, self::text($needle) . ' is not in ' . self::text($haystack)); }
        public static function assertNotContainsEquals(mixed $needle, iterable $haystack, string $message = ''): void { self::verify(!self::has($haystack, fn ($v) => Equality::loose($needle, $v)), $message, self::text($needle) . ' is in ' . self::text($haystack)); }
        public static function assertContainsOnlyInstancesOf(string $class, iterable $haystack, string $message = ''): void { self::verify(!self::has($haystack, fn ($v) => !$v instanceof $class), $message, "something is no instance of $class"); }
        public static function assertArrayHasKey(mixed $key, mixed $array, string $message = ''): void { self::verify(self::hasKey($key, $array), $message, 'no key ' . self::text($key)); }
        public static function assertArrayNotHasKey(mixed $key, mixed $array, string $message = ''): void { self::verify(!self::hasKey($key, $array), $message, 'there is a key ' . self::text($key)); }
        private static function hasKey(mixed $key, array|\ArrayAccess $array): bool { return \is_array($array) ? \array_key_exists($key, $array) : $array->offsetExists($key); }
        public static function assertInstanceOf(string $class, mixed $value, string $message = ''): void { self::verify($value instanceof $class, $message, self::text($value) . " is no instance of $class"); }
        public static function assertNotInstanceOf(string $class, mixed $value, string $message = ''): void { self::verify(!$value instanceof $class, $message, self::text($value) . " is an instance of $class"); }
        public static function assertGreaterThan(mixed $limit, mixed $value, string $message = ''): void { self::verify($value > $limit, $message, self::text($value) . ' is not greater than ' . self::text($limit)); }
        public static function assertGreaterThanOrEqual(mixed $limit, mixed $value, string $message = ''): void { self::verify($value >= $limit, $message, self::text($value) . ' is less than ' . self::text($limit)); }
        public static function assertLessThan(mixed $limit, mixed $value, string $message = ''): void { self::verify($value < $limit, $message, self::text($value) . ' is not less than ' . self::text($limit)); }
        public static function assertLessThanOrEqual(mixed $limit, mixed $value, string $message = ''): void { self::verify($value <= $limit, $message, self::text($value) . ' is greater than ' . self::text($limit)); }
        public static function assertStringContainsString(string $needle, string $text, string $message = ''): void { self::verify(\str_contains($text, $needle), $message, self::text($text) . ' does not contain ' . self::text($needle)); }
        public static function assertStringNotContainsString(string $needle, string $text, string $message = ''): void { self::verify(!\str_contains($text, $needle), $message, self::text($text) . ' contains ' . self::text($needle)); }
        public static function assertStringContainsStringIgnoringCase(string $needle, string $text, string $message = ''): void { self::verify(\str_contains(Equality::lower($text), Equality::lower($needle)), $message, self::text($text) . ' does not contain ' . self::text($needle)); }
        public static function assertStringNotContainsStringIgnoringCase(string $needle, string $text, string $message = ''): void { self::verify(!\str_contains(Equality::lower($text), Equality::lower($needle)), $message, self::text($text) . ' contains ' . self::text($needle)); }
        public static function assertStringStartsWith(string $start, string $text, string $message = ''): void { self::verify(\str_starts_with($text, $start), $message, self::text($text) . ' does not start with ' . self::text($start)); }
        public static function assertStringStartsNotWith(string $start, string $text, string $message = ''): void { self::verify(!\str_starts_with($text, $start), $message, self::text($text) . ' starts with ' . self::text($start)); }
        public static function assertStringEndsWith(string $end, string $text, string $message = ''): void { self::verify(\str_ends_with($text, $end), $message, self::text($text) . ' does not end with ' . self::text($end)); }
        public static function assertStringEndsNotWith(string $end, string $text, string $message = ''): void { self::verify(!\str_ends_with($text, $end), $message, self::text($text) . ' ends with ' . self::text($end)); }
        public static function assertMatchesRegularExpression(string $pattern, string $text, string $message = ''): void { self::verify(\preg_match($pattern, $text) === 1, $message, self::text($text) . " does not match $pattern"); }
        public static function assertDoesNotMatchRegularExpression(string $pattern, string $text, string $message = ''): void { self::verify(\preg_match($pattern, $text) === 0, $message, self::text($text) . " matches $pattern"); }
        public static function assertRegExp(string $pattern, string $text, string $message = ''): void { self::assertMatchesRegularExpression($pattern, $text, $message); }
        public static function assertJson(string $text, string $message = ''): void { \json_decode($text); self::verify(\json_last_error() === \JSON_ERROR_NONE, $message, self::text($text) . ' is no JSON'); }
        public static function assertJsonStringEqualsJsonString(string $expected, string $actual, string $message = ''): void
        {
            self::assertJson($expected, $message);
            self::assertJson($actual, $message);
            self::verify(Equality::of(\json_decode($expected), \json_decode($actual)), $message, self::both($expected, $actual, 'got'));
        }
        public static function assertNan(mixed $value, string $message = ''): void { self::verify(\is_float($value) && \is_nan($value), $message, self::text($value) . ' is not NAN'); }
        public static function assertInfinite(mixed $value, string $message = ''): void { self::verify(\is_float($value) && \is_infinite($value), $message, self::text($value) . ' is finite'); }
        public static function assertFinite(mixed $value, string $message = ''): void { self::verify(\is_int($value) || \is_float($value) && \is_finite($value), $message, self::text($value) . ' is not finite'); }
        public static function assertIsArray(mixed $value, string $message = ''): void { self::verify(\is_array($value), $message, self::text($value) . ' is no array'); }
        public static function assertIsString(mixed $value, string $message = ''): void { self::verify(\is_string($value), $message, self::text($value) . ' is no string'); }
        public static function assertIsInt(mixed $value, string $message = ''): void { self::verify(\is_int($value), $message, self::text($value) . ' is no int'); }
        public static function assertIsFloat(mixed $value, string $message = ''): void { self::verify(\is_float($value), $message, self::text($value) . ' is no float'); }
        public static function assertIsBool(mixed $value, string $message = ''): void { self::verify(\is_bool($value), $message, self::text($value) . ' is no bool'); }
        public static function assertIsNumeric(mixed $value, string $message = ''): void { self::verify(\is_numeric($value), $message, self::text($value) . ' is not numeric'); }
        public static function assertIsObject(mixed $value, string $message = ''): void { self::verify(\is_object($value), $message, self::text($value) . ' is no object'); }
        public static function assertIsScalar(mixed $value, string $message = ''): void { self::verify(\is_scalar($value), $message, self::text($value) . ' is no scalar'); }
        public static function assertIsNotArray(mixed $value, string $message = ''): void { self::verify(!\is_array($value), $message, 'an array'); }
        public static function assertIsNotString(mixed $value, string $message = ''): void { self::verify(!\is_string($value), $message, 'a string'); }
        public static function assertIsNotInt(mixed $value, string $message = ''): void { self::verify(!\is_int($value), $message, 'an int'); }
        public static function assertIsNotFloat(mixed $value, string $message = ''): void { self::verify(!\is_float($value), $message, 'a float'); }
        public static function assertIsNotBool(mixed $value, string $message = ''): void { self::verify(!\is_bool($value), $message, 'a bool'); }
        public static function assertIsNotNumeric(mixed $value, string $message = ''): void { self::verify(!\is_numeric($value), $message, 'numeric'); }
        public static function assertIsNotObject(mixed $value, string $message = ''): void { self::verify(!\is_object($value), $message, 'an object'); }
        public static function fail(string $message = ''): never { throw new AssertionFailedError($message); }
        public static function markTestSkipped(string $message = ''): never { throw new \Glovebox\Skipped($message); }
        public static function markTestIncomplete(string $message = ''): never { throw new \Glovebox\Skipped($message); }
    }

    abstract class TestCase extends Assert
    {
        private ?string $expected = null;
        private array $messages = [];
        private int|string|null $expectedCode = null;
        private ?string $output = null;
        private ?string $outputPattern = null;
        private bool $silent = false;
        private string $method = '';

        public function __construct(string $name = '') {}
        protected function setUp(): void {}
        protected function tearDown(): void {}
        public static function setUpBeforeClass(): void {}
        public static function tearDownAfterClass(): void {}
        public function getName(): string { return $this->method; }
        public function name(): string { return $this->method; }
        public function expectException(string $class): void { $this->expected = $class; }
        public function expectExceptionMessage(string $message): void { $this->messages[] = fn (string $text) => self::assertStringContainsString($message, $text); }
        public function expectExceptionMessageMatches(string $pattern): void { $this->messages[] = fn (string $text) => self::assertMatchesRegularExpression($pattern, $text); }
        public function expectExceptionCode(int|string $code): void { $this->expectedCode = $code; }
        public function expectOutputString(string $text): void { $this->output = $text; }
        public function expectOutputRegex(string $pattern): void { $this->outputPattern = $pattern; }
        public function expectNotToPerformAssertions(): void { $this->silent = true; }

        final public function runTest(string $method, array $arguments): void
        {
            $this->method = $method;
            static $ready = [];
            if (!isset($ready[static::class])) {
                $ready[static::class] = true;
                static::setUpBeforeClass();
            }
            $before = self::getCount();
            \ob_start();
            $level = \ob_get_level();
            $thrown = $printed = null;
            try {
                $this->setUp();
                $this->$method(...$arguments);
            } catch (\Throwable $error) {
                $thrown = $error;
            } finally {
                while (\ob_get_level() > $level) {
                    \ob_end_clean();
                }
                $printed = \ob_get_level() === $level ? \ob_get_clean() : null;
                $this->tearDown();
            }
            if ($this->output !== null || $this->outputPattern !== null) {
                $this->verifyOutput($thrown, $printed);
            } else {
                echo $printed;
            }
            if ($this->expected === null && $this->messages === [] && $this->expectedCode === null) {
                if ($thrown !== null) {
                    throw $thrown;
                }
                if (self::getCount() === $before && !$this->silent) {
                    self::fail('the test made no assertion');
                }
                return;
            }
            if ($thrown instanceof AssertionFailedError || $thrown instanceof \Glovebox\Skipped || $thrown === null) {
                throw $thrown ?? new AssertionFailedError('expected ' . ($this->expected ?? 'an exception') . ', none was thrown');
            }
            if ($this->expected !== null && !$thrown instanceof $this->expected) {
                throw $thrown;
            }
            foreach ($this->messages as $verify) {
                $verify($thrown->getMessage());
            }
            if ($this->expectedCode !== null) {
                self::assertSame($this->expectedCode, $thrown->getCode());
            }
        }

        private function verifyOutput(?\Throwable $thrown, ?string $printed): void
        {
            if ($thrown !== null) {
                return;
            }
            if ($printed === null) {
                self::fail('the test closed the output that it expects');
            }
            if ($this->output !== null) {
                self::assertSame($this->output, $printed);
            } else {
                self::assertMatchesRegularExpression($this->outputPattern, $printed);
            }
        }
    }
}
