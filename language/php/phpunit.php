<?php
// A modest stand-in for PHPUnit's TestCase.

namespace Glovebox {
    final class Skipped extends \Exception {}
}

namespace PHPUnit\Framework {
    class AssertionFailedError extends \AssertionError {}
    class ExpectationFailedException extends AssertionFailedError {}

    abstract class Assert
    {
        private static function verify(bool $holds, string $message, string $standard): void
        {
            TestCase::$assertions++;
            if (!$holds) {
                throw new ExpectationFailedException(($message === '' ? '' : "$message: ") . $standard);
            }
        }
        private static function text(mixed $value): string { return \Glovebox\show($value, false); }
        private static function both(mixed $expected, mixed $actual, string $how): string
        {
            return 'expected ' . self::text($expected) . ", $how " . self::text($actual);
        }
        public static function assertSame(mixed $expected, mixed $actual, string $message = ''): void { self::verify($expected === $actual, $message, self::both($expected, $actual, 'got')); }
        public static function assertNotSame(mixed $expected, mixed $actual, string $message = ''): void { self::verify($expected !== $actual, $message, self::both($expected, $actual, 'got the same')); }
        public static function assertEquals(mixed $expected, mixed $actual, string $message = ''): void { self::verify($expected == $actual, $message, self::both($expected, $actual, 'got')); }
        public static function assertNotEquals(mixed $expected, mixed $actual, string $message = ''): void { self::verify($expected != $actual, $message, self::both($expected, $actual, 'got the equal')); }
        public static function assertEqualsWithDelta(mixed $expected, mixed $actual, float $delta, string $message = ''): void { self::verify(\abs($expected - $actual) <= $delta, $message, self::both($expected, $actual, 'got')); }
        public static function assertEqualsCanonicalizing(mixed $expected, mixed $actual, string $message = ''): void
        {
            \sort($expected);
            \sort($actual);
            self::verify($expected == $actual, $message, self::both($expected, $actual, 'got'));
        }
        public static function assertTrue(mixed $value, string $message = ''): void { self::verify($value === true, $message, self::both(true, $value, 'got')); }
        public static function assertFalse(mixed $value, string $message = ''): void { self::verify($value === false, $message, self::both(false, $value, 'got')); }
        public static function assertNull(mixed $value, string $message = ''): void { self::verify($value === null, $message, self::both(null, $value, 'got')); }
        public static function assertNotNull(mixed $value, string $message = ''): void { self::verify($value !== null, $message, 'expected anything but null'); }
        public static function assertEmpty(mixed $value, string $message = ''): void { self::verify(empty($value), $message, 'expected an empty value, got ' . self::text($value)); }
        public static function assertNotEmpty(mixed $value, string $message = ''): void { self::verify(!empty($value), $message, 'expected a value that is not empty, got ' . self::text($value)); }
        public static function assertCount(int $count, mixed $value, string $message = ''): void { self::verify($count === \count($value), $message, self::both($count, \count($value), 'counted')); }
        public static function assertContains(mixed $needle, iterable $haystack, string $message = ''): void { self::verify(\in_array($needle, [...$haystack], true), $message, self::text($needle) . ' is not in ' . self::text([...$haystack])); }
        public static function assertNotContains(mixed $needle, iterable $haystack, string $message = ''): void { self::verify(!\in_array($needle, [...$haystack], true), $message, self::text($needle) . ' is in ' . self::text([...$haystack])); }
        public static function assertArrayHasKey(mixed $key, mixed $array, string $message = ''): void { self::verify(isset($array[$key]) || \array_key_exists($key, (array) $array), $message, 'no key ' . self::text($key)); }
        public static function assertArrayNotHasKey(mixed $key, array $array, string $message = ''): void { self::verify(!\array_key_exists($key, $array), $message, 'there is a key ' . self::text($key)); }
        public static function assertInstanceOf(string $class, mixed $value, string $message = ''): void { self::verify($value instanceof $class, $message, "no instance of $class"); }
        public static function assertGreaterThan(mixed $limit, mixed $value, string $message = ''): void { self::verify($value > $limit, $message, self::text($value) . ' is not greater than ' . self::text($limit)); }
        public static function assertGreaterThanOrEqual(mixed $limit, mixed $value, string $message = ''): void { self::verify($value >= $limit, $message, self::text($value) . ' is less than ' . self::text($limit)); }
        public static function assertLessThan(mixed $limit, mixed $value, string $message = ''): void { self::verify($value < $limit, $message, self::text($value) . ' is not less than ' . self::text($limit)); }
        public static function assertLessThanOrEqual(mixed $limit, mixed $value, string $message = ''): void { self::verify($value <= $limit, $message, self::text($value) . ' is greater than ' . self::text($limit)); }
        public static function assertStringContainsString(string $needle, string $text, string $message = ''): void { self::verify(\str_contains($text, $needle), $message, self::text($text) . ' does not contain ' . self::text($needle)); }
        public static function assertStringNotContainsString(string $needle, string $text, string $message = ''): void { self::verify(!\str_contains($text, $needle), $message, self::text($text) . ' contains ' . self::text($needle)); }
        public static function assertStringStartsWith(string $start, string $text, string $message = ''): void { self::verify(\str_starts_with($text, $start), $message, self::text($text) . ' does not start with ' . self::text($start)); }
        public static function assertStringEndsWith(string $end, string $text, string $message = ''): void { self::verify(\str_ends_with($text, $end), $message, self::text($text) . ' does not end with ' . self::text($end)); }
        public static function assertMatchesRegularExpression(string $pattern, string $text, string $message = ''): void { self::verify(\preg_match($pattern, $text) === 1, $message, self::text($text) . " does not match $pattern"); }
        public static function assertIsArray(mixed $value, string $message = ''): void { self::verify(\is_array($value), $message, 'no array'); }
        public static function assertIsString(mixed $value, string $message = ''): void { self::verify(\is_string($value), $message, 'no string'); }
        public static function assertIsInt(mixed $value, string $message = ''): void { self::verify(\is_int($value), $message, 'no int'); }
        public static function assertIsFloat(mixed $value, string $message = ''): void { self::verify(\is_float($value), $message, 'no float'); }
        public static function assertIsBool(mixed $value, string $message = ''): void { self::verify(\is_bool($value), $message, 'no bool'); }
        public static function fail(string $message = ''): never { throw new AssertionFailedError($message); }
    }

    abstract class TestCase extends Assert
    {
        public static int $assertions = 0;
        private ?string $expected = null;
        private ?string $expectedMessage = null;
        private int|string|null $expectedCode = null;
        private bool $silent = false;

        protected function setUp(): void {}
        protected function tearDown(): void {}
        public static function setUpBeforeClass(): void {}
        public static function tearDownAfterClass(): void {}
        public function expectException(string $class): void { $this->expected = $class; }
        public function expectExceptionMessage(string $message): void { $this->expectedMessage = $message; }
        public function expectExceptionCode(int|string $code): void { $this->expectedCode = $code; }
        public function expectNotToPerformAssertions(): void { $this->silent = true; }
        public static function markTestSkipped(string $message = ''): never { throw new \Glovebox\Skipped($message); }
        public static function markTestIncomplete(string $message = ''): never { throw new \Glovebox\Skipped($message); }

        final public function runTest(string $method, array $arguments): void
        {
            static $ready = [];
            if (!isset($ready[static::class])) {
                $ready[static::class] = true;
                static::setUpBeforeClass();
            }
            $before = self::$assertions;
            $this->setUp();
            try {
                $this->$method(...$arguments);
                $thrown = null;
            } catch (\Throwable $error) {
                $thrown = $error;
            }
            $this->tearDown();
            if ($this->expected === null && $this->expectedMessage === null && $this->expectedCode === null) {
                if ($thrown !== null) {
                    throw $thrown;
                }
                if (self::$assertions === $before && !$this->silent) {
                    self::fail('the test made no assertion');
                }
                return;
            }
            if ($thrown instanceof AssertionFailedError || $thrown === null) {
                throw $thrown ?? new AssertionFailedError('expected ' . ($this->expected ?? 'an exception') . ', none was thrown');
            }
            if ($this->expected !== null && !$thrown instanceof $this->expected) {
                throw $thrown;
            }
            if ($this->expectedMessage !== null) {
                self::assertStringContainsString($this->expectedMessage, $thrown->getMessage());
            }
            if ($this->expectedCode !== null) {
                self::assertSame($this->expectedCode, $thrown->getCode());
            }
        }
    }
}
