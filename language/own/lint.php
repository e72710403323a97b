<?php
// Checks PHP files without running them: see lint.py for what is printed.
$found = 0;
$checked = 0;
foreach (array_slice($argv, 1) as $file) {
    if (!preg_match('/\.(?:php|phtml|inc)\z/', $file) || !is_file($file)) {
        continue;
    }
    $checked++;
    $command = [PHP_BINARY, '-n', '-d', 'display_errors=stderr', '-d', 'log_errors=0', '-d', 'html_errors=0', '-d', 'error_reporting=-1', '-l', $file];
    $process = proc_open($command, [0 => ['file', '/dev/null', 'r'], 1 => ['file', '/dev/null', 'w'], 2 => ['pipe', 'w']], $pipes);
    $text = stream_get_contents($pipes[2]);
    $status = proc_close($process);
    $before = $found;
    if (preg_match_all('/^(?:PHP )?([A-Z][\w ]*): +(.*) in (.*) on line (\d+)$/m', $text, $all, PREG_SET_ORDER)) {
        foreach ($all as $m) {
            $found++;
            printf("%s:%d:1: %s: %s\n", $file, $m[4], $m[1], $m[2]);
        }
    }
    if ($status !== 0 && $found === $before) {
        $found++;
        printf("%s:1:1: it does not parse\n", $file);
    }
}
if ($checked === 0) {
    fwrite(STDERR, "no file of PHP is among those to check\n");
    exit(3);
}
exit($found > 0 ? 1 : 0);
