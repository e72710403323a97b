<?php
// Tests that need the program in their own process. The program could reach
// everything here: what is reported resists accidents, not an attack.

namespace Glovebox;

require __DIR__ . '/wire.php';
require __DIR__ . '/exam.php';

$GLOBALS['gloveboxRun'] = (function (array $config): \Closure {
    $nonce = \trim((string) \stream_get_contents(\fopen('php://fd/3', 'r')));
    $report = new Report($nonce);
    parseTests($config['tests'], $report);
    if ($config['unit'] ?? false) {
        require __DIR__ . '/realunit.php';
        $unit = new Unit($config['tests'], $config['needs'] ?? [], $report);
        return $unit->run(...);
    }
    require __DIR__ . '/phpunit.php';
    $files = \array_map(fn ($name) => new TestFile($name), $config['tests']);
    // How often the program was called is not known here.
    $exam = new Exam($files, $report, (function () { static $n = 0; return $n++; })(...), fn () => '');
    return fn () => $exam->run(static function (string $file): void {
        require $file;
    });
})(\json_decode($argv[1], true));
$argv = $_SERVER['argv'] = [$argv[2]];
$argc = $_SERVER['argc'] = 1;
require '/workspace/' . $argv[0];
$GLOBALS['gloveboxRun']();
