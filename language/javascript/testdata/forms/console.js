console.assert(add(1, 2) === 3, 'add(1, 2)');
console.assert(add(20, 22) === 42, 'add(20, 22)');
if (make(3).total !== 3) throw new Error('make');
