<?php
for ($n = 0; $n < 10; $n++) {
    try { each2([1, (object) ['a' => $n]], fn ($v) => $v); } catch (Throwable) {}
}
assert(add(1, 2) === 3);
