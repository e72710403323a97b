<?php
use PHPUnit\Framework\TestCase;

require 'solution.php';

final class CounterTest extends TestCase
{
    public function testAdds(): void
    {
        $this->assertSame(3, add(1, 2));
        $this->assertEquals(42, add(20, 22));
    }

    public function testFails(): void
    {
        $this->assertSame(2, add(1, 1));
        $this->expectException(InvalidArgumentException::class);
        $this->expectExceptionMessage('no');
        fail('more');
    }
}
