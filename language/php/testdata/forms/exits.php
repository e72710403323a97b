<?php
$failed = 0;
foreach ([[1, 2, 3], [20, 22, 42]] as [$a, $b, $want]) {
    if (add($a, $b) !== $want) { echo "FAIL add($a, $b)\n"; $failed++; }
}
exit($failed ? 1 : 0);
