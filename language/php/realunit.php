<?php
// Runs tests with PHPUnit itself, in the program's process. Its own report, in
// the form of JUnit, must agree with what its listener counted here.

declare(strict_types=1);

namespace Glovebox;

use PHPUnit\Framework\AssertionFailedError;
use PHPUnit\Framework\Test;
use PHPUnit\Framework\TestCase;
use PHPUnit\Framework\TestListener;
use PHPUnit\Framework\TestListenerDefaultImplementation;
use PHPUnit\Framework\TestResult;
use PHPUnit\Framework\TestSuite;
use PHPUnit\Framework\Warning;

\set_include_path('/usr/local/share/php');
require 'PHPUnit/Autoload.php';

/** Keeps how each test ended. */
final class Listener implements TestListener
{
    use TestListenerDefaultImplementation;

    private string $status = 'passed';
    private string $message = '';
    private ?int $line = null;
    /** What came outside of a test counts too. */
    private bool $running = false;

    /** @param list<string> $needs what the tests use of PHPUnit */
    public function __construct(private Report $report, private array $needs) {}

    public function startTest(Test $test): void
    {
        [$this->status, $this->message, $this->line, $this->running] = ['passed', '', null, true];
    }

    private function note(Test $test, string $status, \Throwable $error): void
    {
        if (!$this->running) {
            $this->report->add($test instanceof TestSuite ? $test->getName() : $test::class, $status, $error->getMessage());
            return;
        }
        $this->status = $this->status === 'passed' || $status !== 'skipped' ? $status : $this->status;
        $this->message = $error::class . ': ' . $error->getMessage();
        foreach ([['file' => $error->getFile(), 'line' => $error->getLine()], ...$error->getTrace()] as $frame) {
            if ($this->line === null && \str_starts_with($frame['file'] ?? '', '/workspace/')) {
                $this->line = $frame['line'] ?? null;
            }
        }
    }

    public function addError(Test $test, \Throwable $error, float $time): void { $this->note($test, 'error', $error); }
    public function addWarning(Test $test, Warning $error, float $time): void
    {
        // What PHPUnit says of the tests' own words, after they passed, is no failure there.
        $own = $error->getFile() === (new \ReflectionClass(TestCase::class))->getFileName();
        $named = \preg_replace('/^(\w+)\(\) is deprecated.*$/m', '$1()', $error->getMessage());
        if (!$own || \array_diff(\explode("\n", $named), $this->needs) !== []) {
            $this->note($test, 'failed', $error);
        }
    }
    public function addFailure(Test $test, AssertionFailedError $error, float $time): void { $this->note($test, 'failed', $error); }
    public function addIncompleteTest(Test $test, \Throwable $error, float $time): void { $this->note($test, 'skipped', $error); }
    public function addSkippedTest(Test $test, \Throwable $error, float $time): void { $this->note($test, 'skipped', $error); }

    public function endTest(Test $test, float $time): void
    {
        $name = $test::class . '::' . ($test instanceof TestCase ? $test->getName(true) : (string) \spl_object_id($test));
        $this->report->add($name, $this->status, $this->message, $this->line);
        $this->running = false;
    }
}

final class Unit
{
    private bool $complete = false;

    /**
     * @param list<string> $files
     * @param list<string> $needs what the tests use of PHPUnit
     */
    public function __construct(private array $files, private array $needs, private Report $report)
    {
        foreach ($needs as $need) {
            $method = \rtrim($need, '()');
            if ($method . '()' === $need && !\method_exists(TestCase::class, $method)) {
                $version = \PHPUnit\Runner\Version::id();
                $this->report->unrunnable("the tests use $need, which PHPUnit $version, the one that is here, does not have", [$need]);
            }
        }
    }

    public function run(): void
    {
        \register_shutdown_function($this->end(...));
        \chdir('/workspace');
        $log = (string) \tempnam('/tmp', 'junit');
        $suite = new TestSuite('tests');
        foreach ($this->files as $file) {
            $suite->addTestFile("/workspace/$file");
        }
        $result = new TestResult();
        $result->addListener(new Listener($this->report, $this->needs));
        $result->addListener($junit = new \PHPUnit\Util\Log\JUnit($log, false));
        $suite->run($result);
        $junit->flush();
        $document = new \DOMDocument();
        $cases = $document->load($log) ? $document->getElementsByTagName('testcase')->length : -1;
        if ($this->report->total === 0) {
            $this->report->add('tests', 'failed', 'no test ran');
        } elseif ($cases !== $result->count() || $this->report->total < $cases) {
            $this->report->broken("PHPUnit's own report has $cases tests, and {$this->report->total} ended");
        }
        $this->complete = true;
    }

    private function end(): void
    {
        if (!$this->complete) {
            $fatal = \error_get_last();
            $this->report->add('tests', 'error', 'the tests did not run to their end' . ($fatal ? ": {$fatal['message']}" : ''), $fatal['line'] ?? null);
        }
        $this->report->done('PHPUnit ' . \PHPUnit\Runner\Version::id());
    }
}
