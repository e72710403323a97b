<?php
// want: memory_limit
// limits: memory=96MiB
ini_set('memory_limit', '-1');
$x = [];
while (true) $x[] = str_repeat(chr(count($x) % 256), 1 << 20);
