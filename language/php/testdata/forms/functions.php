<?php
function test_adds() { assert(add(1, 2) === 3, 'add(1, 2)'); }
function test_more() { assert(add(20, 22) === 42); }
