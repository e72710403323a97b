<?php
// Runs tests and reports what came of them.

declare(strict_types=1);

namespace Glovebox;

require __DIR__ . '/operands.php';
require __DIR__ . '/flow.php';

const MAX_TEXT = 2048;

/** Counts the cases and writes them as events, one JSON object a line. */
final class Report
{
    public int $total = 0;
    public int $passed = 0;
    public int $failed = 0;
    public bool $ended = false;
    /** @var resource */
    private $out;

    public function __construct(private ?string $nonce = null)
    {
        $this->out = \fopen('php://fd/5', 'w');
    }

    private function event(array $event): void
    {
        if ($this->nonce !== null) {
            $event['nonce'] = $this->nonce;
        }
        \fwrite($this->out, \json_encode($event, \JSON_INVALID_UTF8_SUBSTITUTE | \JSON_UNESCAPED_SLASHES) . "\n");
        \fflush($this->out);
    }

    public function add(string $name, string $status, string $message = '', ?int $line = null): void
    {
        if ($this->ended) {
            return;
        }
        if (Standing::$doom !== null) {
            // Whatever the tests made of it: they cannot catch this.
            [$status, $message] = ['failed', Standing::$doom];
        }
        $proof = $status === 'passed' && (Standing::$judged || Standing::$between || Standing::$told) ? 'candidate_judged' : null;
        $this->total++;
        $this->passed += $status === 'passed' ? 1 : 0;
        $this->failed += $status === 'failed' || $status === 'error' ? 1 : 0;
        $case = ['name' => $name, 'status' => $status, 'message' => \substr($message, 0, MAX_TEXT), 'line' => $line, 'proof' => $proof];
        $this->event(['type' => 'case', 'case' => \array_filter($case, fn ($v) => $v !== null && $v !== '')]);
    }

    public function broken(string $reason): void
    {
        if (!$this->ended) {
            $this->event(['type' => 'broken', 'reason' => \substr($reason, 0, MAX_TEXT)]);
        }
        $this->ended = true;
    }

    /** The tests cannot run here, whatever the program is. Comes before any case. */
    public function unrunnable(string $reason, array $missing = []): never
    {
        $this->event(['type' => 'unrunnable', 'reason' => \substr($reason, 0, MAX_TEXT), 'missing' => $missing]);
        $this->ended = true;
        exit(0);
    }

    public function done(string $framework = ''): void
    {
        if (!$this->ended) {
            $this->event(['type' => 'done', 'total' => $this->total, 'passed' => $this->passed, 'failed' => $this->failed] + ($framework === '' ? [] : ['framework' => $framework]));
        }
        $this->ended = true;
    }
}

/** Refuses test files that are no PHP, before anything of them or of the program runs. */
function parseTests(array $names, Report $report): void
{
    foreach ($names as $name) {
        try {
            \token_get_all((string) \file_get_contents("/workspace/$name"), \TOKEN_PARSE);
        } catch (\ParseError $error) {
            $report->unrunnable("the tests do not parse: $name, line {$error->getLine()}: {$error->getMessage()}");
        }
    }
}

/** How the case that runs stands, whatever the tests see of it. */
final class Standing
{
    /** Whether the program judged something in it. */
    public static bool $judged = false;
    /** Why it fails. */
    public static ?string $doom = null;
    /** Whether its text compares two results, so that the program judges. */
    public static bool $between = false;
    /** Whether its text lets the program judge in another way. */
    public static bool $told = false;
    /** Whether the tests speak of infinity. */
    public static bool $infinite = false;
}

function judged(): void
{
    Standing::$judged = true;
}

/** Fails the case that runs. The tests may catch what is thrown, and fail all the same. */
function doom(string $reason): never
{
    Standing::$doom ??= $reason;
    throw new \AssertionError($reason);
}

/** What a test file says, without running it. */
final class TestFile
{
    public array $names = [];
    public array $declared = [];
    /** The test functions that nothing in the file calls. */
    public array $uncalled = [];
    public bool $asserts = false;
    public bool $exits = false;
    /** The test functions that compare two results, "" for all. */
    private array $between;
    /** Those that let the program judge in another way. */
    private array $told;
    /** Whether it has declare(strict_types=1). */
    public bool $strict = false;
    /** Whether it may do without what the program lacks. */
    public bool $lenient = false;

    public function __construct(public string $name)
    {
        $space = '';
        $depth = 0;
        $classDepth = null;
        $waiting = false;
        $previous = null;
        $group = '';
        $imports = [];
        $tokens = \PhpToken::tokenize((string) \file_get_contents("/workspace/$name"));
        $tokens = \array_values(\array_filter($tokens, fn ($t) => !$t->isIgnorable() && !$t->is(\T_ENCAPSED_AND_WHITESPACE)));
        foreach ($tokens as $i => $token) {
            if ($token->is('{') || $token->is([\T_CURLY_OPEN, \T_DOLLAR_OPEN_CURLY_BRACES])) {
                $depth++;
                if ($waiting) {
                    $classDepth ??= $depth;
                    $waiting = false;
                }
            } elseif ($token->is('}')) {
                if ($classDepth === $depth) {
                    $classDepth = null;
                }
                $depth--;
            } elseif ($token->is([\T_CLASS, \T_INTERFACE, \T_TRAIT, \T_ENUM]) && !$previous?->is(\T_DOUBLE_COLON)) {
                $waiting = true;
            } elseif ($token->is(\T_NAMESPACE)) {
                $space = $tokens[$i + 1]?->text . '\\';
            } elseif ($token->is(\T_NS_SEPARATOR) && ($tokens[$i + 1] ?? null)?->is('{')) {
                $group = \ltrim((string) $previous?->text, '\\');
            } elseif ($token->is(';')) {
                $group = '';
            } elseif ($token->is([\T_EXIT])) {
                $this->exits = $this->asserts = true;
            } elseif ($token->is(\T_THROW)) {
                $this->asserts = true;
            } elseif ($token->is([\T_STRING, \T_NAME_QUALIFIED, \T_NAME_FULLY_QUALIFIED])) {
                $text = \ltrim($token->text, '\\');
                $this->names[$text] = $this->names[$space . $text] = true;
                if ($previous?->is(\T_USE) && $classDepth === null) {
                    $as = ($tokens[$i + 1] ?? null)?->is(\T_AS) ? $tokens[$i + 2]->text : \substr("\\$text", \strrpos("\\$text", '\\') + 1);
                    $imports[$as] = $text;
                }
                if ($group !== '') {
                    $this->names["$group\\$text"] = true;
                }
                [$first, $rest] = \explode('\\', $text, 2) + [1 => null];
                if ($rest !== null && isset($imports[$first])) {
                    $this->names["$imports[$first]\\$rest"] = true;
                }
                $this->lenient = $this->lenient || \preg_match('/^(?:function|class|enum|interface)_exists$|^is_callable$/i', $text);
                $this->asserts = $this->asserts || \preg_match('/assert|trigger_error|expect/i', $text);
                $declares = $previous?->is([\T_CLASS, \T_INTERFACE, \T_ENUM]) || ($previous?->is(\T_FUNCTION) && $classDepth === null);
                $by = $previous?->text === '&' && ($tokens[$i - 2] ?? null)?->is(\T_FUNCTION) && $classDepth === null;
                if ($declares || $by) {
                    $this->declared[\strtolower($space . $text)] = $space . $text;
                }
            }
            $previous = $token;
        }
        $this->strict = (bool) \preg_match('/\bdeclare\(strict_types=1\)/', \implode('', \array_map(fn ($t) => $t->text, \array_slice($tokens, 0, 12))));
        $operands = new Operands($tokens);
        $this->between = $operands->between();
        $this->told = (new Flow($operands))->told();
        Standing::$infinite = Standing::$infinite || \array_filter($tokens, fn ($t) => \preg_match('/\bINF\b|infinit/i', $t->text));
        foreach ($this->declared as $lower => $name) {
            $short = \strtolower(\substr($name, (int) \strrpos("\\$name", '\\')));
            $calls = 0;
            foreach ($tokens as $i => $token) {
                $calls += $token->is(\T_STRING) && \strtolower($token->text) === $short && ($tokens[$i + 1] ?? null)?->text === '(' ? 1 : 0;
            }
            if ($calls === 1 && \str_starts_with($short, 'test')) {
                $this->uncalled[] = $name;
            }
        }
        // A name in a string may be a callable: call_user_func('f').
        foreach ($tokens as $token) {
            if ($token->is(\T_CONSTANT_ENCAPSED_STRING) && \preg_match('/^[\'"]([A-Za-z_][\w\\\\]*)(?:::\w+)?[\'"]$/', $token->text, $m)) {
                $this->names[$m[1]] = $this->names[\str_replace('\\\\', '\\', $m[1])] = true;
            }
        }
    }

    /** Whether a test function compares two results; null is what runs by itself. */
    public function isBetween(?string $function): bool
    {
        return self::has($this->between, $function);
    }

    /** Whether a test function lets the program judge in another way. */
    public function isTold(?string $function): bool
    {
        return self::has($this->told, $function);
    }

    private static function has(array $functions, ?string $function): bool
    {
        $tests = \array_filter($functions, fn ($name) => \str_starts_with($name, 'test'), \ARRAY_FILTER_USE_KEY);
        return isset($tests[\strtolower((string) $function)]) || \count($tests) < \count($functions) || $function === null && $functions !== [];
    }
}

/** Begins a case of a file: how it stands before anything of it runs. */
function begin(TestFile $file, ?string $function, bool $judged): void
{
    Standing::$between = $file->isBetween($function);
    Standing::$told = $file->isTold($function);
    Standing::$judged = $judged;
    Standing::$doom = null;
}

/** One run of test files. */
final class Exam
{
    private bool $complete = false;
    /** Whether the program gives the tests names, so that they must use it. */
    public bool $supplied = false;
    /** Whether the program judged something outside of the file's cases. */
    private bool $judged = false;

    /**
     * @param list<TestFile> $files
     * @param \Closure $calls how many calls the program has answered
     * @param \Closure $last tells of the last one
     */
    public function __construct(private array $files, private Report $report, private \Closure $calls, private \Closure $last) {}

    public function run(\Closure $include): void
    {
        \register_shutdown_function($this->end(...));
        foreach ($this->files as $file) {
            $before = ($this->calls)();
            $cases = $this->report->total;
            begin($file, null, false);
            $this->guard($file->name, fn () => $include("/workspace/{$file->name}"));
            if (Standing::$doom !== null) {
                $this->report->add($file->name, 'failed');
                Standing::$doom = null;
            }
            $this->judged = Standing::$judged;
            $this->testCases($file);
            $this->testFunctions($file);
            if ($this->report->total === $cases) {
                // Tests of a function that is PHP's own never call the program.
                $mustCall = $file->lenient || $this->supplied && \count($this->files) === 1;
                $ran = $file->asserts && (!$mustCall || ($this->calls)() > $before);
                $this->report->add($file->name, $ran ? 'passed' : 'failed', $ran ? '' : 'no assertion ran');
            }
        }
        if ($this->supplied && ($this->calls)() === 0 && $this->report->failed === 0) {
            $this->report->add('tests', 'failed', 'the tests did not use the program');
        }
        $this->complete = true;
    }

    /** Runs something and reports what it throws. */
    private function guard(string $name, \Closure $run, bool $isCase = false): void
    {
        try {
            $run();
        } catch (\Throwable $error) {
            $status = $error instanceof \AssertionError || $error::class === 'Exception' ? 'failed' : 'error';
            if ($error instanceof Skipped) {
                $status = 'skipped';
            }
            $this->report->add($name, $status, $this->explain($error), $this->line($error));
            Standing::$doom = null;
            return;
        }
        if ($isCase) {
            $this->report->add($name, 'passed');
            Standing::$doom = null;
        }
    }

    /** Functions named test… that the file itself does not call. */
    private function testFunctions(TestFile $file): void
    {
        foreach ($file->uncalled as $name) {
            if (\function_exists($name) && (new \ReflectionFunction($name))->getNumberOfRequiredParameters() === 0) {
                begin($file, $name, $this->judged);
                $this->guard($name, fn () => $name(), true);
            }
        }
    }

    /** Classes that extend PHPUnit's TestCase, or what stands for it. */
    private function testCases(TestFile $file): void
    {
        foreach ($file->declared as $name) {
            if (!\class_exists($name) || !\is_subclass_of($name, \PHPUnit\Framework\TestCase::class) || (new \ReflectionClass($name))->isAbstract()) {
                continue;
            }
            $before = $this->report->total;
            foreach ((new \ReflectionClass($name))->getMethods(\ReflectionMethod::IS_PUBLIC) as $method) {
                $isTest = \preg_match('/^test/', $method->name) || \preg_match('/@test\b/', (string) $method->getDocComment());
                if ($isTest || $method->getAttributes('PHPUnit\Framework\Attributes\Test')) {
                    $ran = $this->report->total;
                    foreach ($this->provided($name, $method) as $label => $arguments) {
                        $title = "$name::{$method->name}" . ($label === '' ? '' : " with data set $label");
                        begin($file, $method->name, $this->judged);
                        $this->guard($title, fn () => (new $name())->runTest($method->name, $arguments), true);
                    }
                    if ($this->report->total === $ran) {
                        $this->report->add("$name::{$method->name}", 'failed', 'its data provider gives nothing');
                    }
                }
            }
            if ($this->report->total > $before) {
                $this->guard("$name::tearDownAfterClass", fn () => $name::tearDownAfterClass());
            }
        }
    }

    /** The data sets of a test method. */
    private function provided(string $class, \ReflectionMethod $method): array
    {
        $provider = \preg_match('/@dataProvider\s+(\w+)/', (string) $method->getDocComment(), $m) ? $m[1] : null;
        foreach ($method->getAttributes() as $attribute) {
            if (\str_ends_with($attribute->getName(), 'DataProvider')) {
                $provider = $attribute->getArguments()[0];
            }
        }
        if ($provider === null) {
            return ['' => []];
        }
        $sets = [];
        foreach ((new $class())->$provider() as $label => $arguments) {
            $sets["#$label"] = $arguments;
        }
        return $sets;
    }

    private function line(\Throwable $error): ?int
    {
        $names = \array_map(fn ($f) => "/workspace/{$f->name}", $this->files);
        foreach ([['file' => $error->getFile(), 'line' => $error->getLine()], ...$error->getTrace()] as $frame) {
            if (\in_array($frame['file'] ?? '', $names, true)) {
                return $frame['line'];
            }
        }
        return null;
    }

    private function explain(\Throwable $error): string
    {
        $text = $error::class . ': ' . $error->getMessage();
        $where = wheres()[$error] ?? '';
        if ($where !== '') {
            $text .= " (at $where)";
        }
        $last = ($this->last)();
        return $last === '' ? $text : "$text\nThe last call was $last";
    }

    /** The end of the process, whatever led to it. */
    private function end(): void
    {
        if (!$this->complete) {
            $fatal = \error_get_last();
            $isFatal = $fatal && ($fatal['type'] & (\E_ERROR | \E_PARSE | \E_CORE_ERROR | \E_COMPILE_ERROR | \E_USER_ERROR | \E_RECOVERABLE_ERROR));
            if ($isFatal) {
                $this->report->add('tests', 'error', $fatal['message'], $fatal['line']);
            } elseif (\getenv('GLOVEBOX_EXIT') !== false && $this->report->failed === 0) {
                // Only the parent learns the exit code.
                \file_put_contents((string) \getenv('GLOVEBOX_EXIT'), \json_encode([($this->calls)(), Standing::$judged || Standing::$between || Standing::$told, Standing::$doom]));
                $this->report->ended = true;
                return;
            } else {
                $this->report->add('tests', 'failed', 'the tests did not run to their end');
            }
        }
        $this->report->done();
    }
}
