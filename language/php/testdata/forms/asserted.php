<?php
require_once __DIR__ . '/solution.php';

assert(add(1, 2) === 3);
assert(mapped([1, 2], fn ($v) => $v * add(1, 1)) === [2, 4]);
$list = [3, 1, 2];
sortInPlace($list);
assert($list === [1, 2, 3]);
ob_start();
shout('hey');
assert(ob_get_clean() === 'HEY!');
$seen = [];
foreach (upTo(1000000000) as $n) {
    if ($n > 3) break;
    $seen[] = $n;
}
assert($seen === [1, 2, 3]);
try {
    fail('more');
    assert(false);
} catch (NoLuck $e) {
    assert($e->getMessage() === 'no more' && $e->getCode() === 7 && $e instanceof InvalidArgumentException);
}
$c = new Counter(add(1, 1));
assert($c->up()->up(2)->value() === 5);
assert(count($c) === 5 && "$c" === 'counter 5' && $c->name === 'c' && Counter::STEP === 1);
assert(Counter::from(4)->value() === 4 && Counter::from(4) instanceof Counter);
assert(Suit::from('H') === Suit::Hearts && Suit::Spades->label() === 'Spades');
