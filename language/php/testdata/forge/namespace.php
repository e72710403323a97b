<?php // has functions of PHP's names in the namespace of the tests
namespace App {
    function ob_get_clean() { return "HEY!"; }
    function add($a, $b) { return 0; }
}
namespace {
    function add($a, $b) { return 0; }
}
