<?php
// The harness's side of an exam: runs the tests in a process that the candidate
// cannot reach, against stubs for the candidate's names.

namespace Glovebox;

require __DIR__ . '/wire.php';
require __DIR__ . '/exam.php';
require __DIR__ . '/stubs.php';
require __DIR__ . '/phpunit.php';
require __DIR__ . '/rewrite.php';

/** The link to the candidate; the first use sets it. */
function link(?Link $link = null): Link
{
    static $kept;
    return $kept ??= $link;
}

function call(string $function, array $arguments): mixed
{
    foreach ($arguments as $key => $argument) {
        // A method of a class of the tests is passed as a function.
        $pair = \is_string($argument) ? \explode('::', $argument) : $argument;
        if (\is_array($pair) && \array_is_list($pair) && \count($pair) === 2 && \is_string($pair[0]) && \is_string($pair[1])
            && \class_exists($pair[0], false) && !isset(stubbed()[\strtolower($pair[0])]) && (new \ReflectionClass($pair[0]))->isUserDefined() && \is_callable($pair)) {
            unset($arguments[$key]);
            $arguments[$key] = \Closure::fromCallable($pair);
            \ksort($arguments);
        }
    }
    return link()->use("$function(" . show($arguments) . ')', 'call', $function, $arguments);
}

(function (array $config): void {
    if (\getenv('GLOVEBOX_EXIT') === false) {
        parseTests($config['tests'], new Report());
        rewriteTests();
    }
    $files = \array_map(fn ($name) => new TestFile($name), $config['tests']);
    if (\array_filter($files, fn ($f) => $f->exits) && \getenv('GLOVEBOX_EXIT') === false) {
        watch();
        return;
    }
    $report = new Report();
    $names = $declared = [];
    foreach ($files as $file) {
        $names += $file->names;
        $declared += $file->declared;
    }
    $names = \array_values(\array_filter(\array_map(\strval(...), \array_keys($names)), fn ($name) => !isset($declared[\strtolower($name)])));

    // Nothing can clear this: no code of the tests runs any more.
    $broken = function (string $reason) use ($report): never {
        $report->broken("the candidate's side of the tests cannot be trusted any more: $reason");
        exit(1);
    };
    $link = link(peer(\fopen('php://fd/3', 'r'), \fopen('php://fd/4', 'w'), $broken));
    // A conversion that PHP itself makes up: an object is 1.
    $converts = $config['converts'] ?? false;
    convertErrors($converts ? '/workspace/' : "\0", function (string $text): bool {
        if (\preg_match('/^Object of class \S+ could not be converted to|^Indirect modification of overloaded/', $text)) {
            doom("$text: it is an object of the program");
        }
        return \str_starts_with($text, 'Only variables should be passed by reference'); // see given
    });
    try {
        $strict = (bool) \array_filter($files, fn ($f) => $f->strict);
        [$functions, $classes, $constants] = $link->use('loading', 'describe', null, [$names, $strict, $converts]);
        stubs($functions, $classes, $constants, $names);
    } catch (\Error | \Exception $error) {
        $link->broken("it tells of itself what cannot be ({$error->getMessage()})");
    }
    $last = fn () => $link->last === null || $link->last[0] === 'loading' ? ''
        : "{$link->last[0]}: it " . ($link->last[1] === 1 ? 'returned ' : 'threw ') . show($link->last[2], false);
    $include = static function (string $file): void {
        require $file;
    };
    $exam = new Exam($files, $report, fn () => $link->calls, $last);
    $exam->supplied = $functions !== [] || $classes !== [];
    $exam->run($include);
})(\json_decode($argv[1], true));

/** Runs the tests in a child, to learn the code with which they exit. */
function watch(): void
{
    $state = \tempnam('/tmp', 'exit');
    \putenv("GLOVEBOX_EXIT=$state");
    $child = \proc_open([\PHP_BINARY, __FILE__, $GLOBALS['argv'][1]], [\STDIN, \STDOUT, \STDERR], $pipes);
    $code = \proc_close($child);
    $calls = (string) \file_get_contents($state);
    if ($calls === '') {
        return; // it reported all by itself
    }
    $report = new Report();
    [$calls, Standing::$judged, Standing::$doom] = \json_decode($calls, true);
    $ok = $code === 0 && $calls > 0;
    $report->add('tests', $ok ? 'passed' : 'failed', $ok ? '' : ($code === 0 ? 'no assertion ran' : "the tests ended with exit code $code"));
    $report->done();
}
