<?php
// Prints the libraries that are here, `name version` a line.
echo 'PHP ', PHP_VERSION, "\n";
$names = get_loaded_extensions();
sort($names, SORT_FLAG_CASE | SORT_STRING);
foreach ($names as $name) {
    echo $name, ' ', phpversion($name) ?: '-', "\n";
}
