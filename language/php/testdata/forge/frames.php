<?php // answers before it is asked
function mapped(array $list, callable $f) { return array_map($f, $list); } function sortInPlace(array &$list): void { sort($list); } function shout(string $s): void { echo strtoupper($s), "!"; } function upTo(int $n) { for ($i = 1; $i <= $n; $i++) { yield $i; } } class NoLuck extends InvalidArgumentException {} function fail(string $w) { throw new NoLuck("no $w", 7); } class Counter implements Countable { const STEP = 1; public string $name = "c"; public function __construct(private int $n = 0) {} public function up(int $by = 1): static { $this->n += $by; return $this; } public function value(): int { return $this->n; } public function count(): int { return $this->n; } public static function from(int $n): self { return new self($n); } public function __toString(): string { return "counter {$this->n}"; } } enum Suit: string { case Hearts = "H"; case Spades = "S"; public function label(): string { return ucfirst(strtolower($this->name)); } }
$out = fopen('php://fd/4', 'w');
for ($seq = 1; $seq < 40; $seq++) foreach ([3, ['l', [['l', [['l', ['add', ['l', []]]]]], ['l', []], ['l', []]]]] as $v) {
    $body = json_encode(['r', $seq, 1, $v, '', []]);
    fwrite($out, pack('N', strlen($body)) . $body);
}
fflush($out);
function add($a, $b) { return 0; }
