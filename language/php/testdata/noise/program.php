<?php // Answers wrong, among frames of a seeded generator.
mt_srand(SEED);
function scrap(int $depth = 0): mixed {
    $all = [null, true, -1, 1.5, 'x', '__construct', [], ['l', [1]], ['a', [[1, 2], ['k', null]]], ['d', 'NAN'], ['x', '!!'], ['h', mt_rand(0, 4)], ['f', mt_rand(0, 4)],
        ['i', mt_rand(0, 9), 'Exception', []], ['E', 'PHP_VERSION', 'x'], ['t', 'DateTime', 'never', 'UTC'], ['e', 'Error', ['Exception'], 'm', 0, '', null], ['o', ['a', []]], ['u']];
    $v = $all[mt_rand(0, count($all) - 1)];
    return is_array($v) && $depth < 4 && mt_rand(0, 2) === 0 ? array_map(fn ($x) => mt_rand(0, 2) ? $x : scrap($depth + 1), $v) : $v;
}
function noise(): void {
    $out = fopen('php://fd/4', 'w');
    for ($n = mt_rand(0, 3); $n > 0; $n--) {
        $message = mt_rand(0, 1) ? ['q', mt_rand(0, 9), ['invoke', 'method', 'get', 'set', 'items', 'call'][mt_rand(0, 5)], scrap(), [[0, scrap()], scrap()]] : ['r', mt_rand(1, 12), mt_rand(0, 1), scrap(), scrap(), [scrap()]];
        $body = json_encode($message, JSON_PARTIAL_OUTPUT_ON_ERROR);
        fwrite($out, pack('N', strlen($body)) . $body);
    }
    fflush($out);
}
function add($a, $b) { noise(); return 0; }
function each2($list, $f) { noise(); return array_map($f, $list); }
