// The script that QuickJS starts with: it makes of it what a program for
// Node.js finds there. Only here are QuickJS's own modules (std, os) in sight.
(function () {
  'use strict';
  const { std, os, bjson } = globalThis;
  const argv = globalThis.scriptArgs.slice(1);
  for (const name of ['std', 'os', 'bjson', 'print', 'scriptArgs', 'gc', 'execArgv', 'argv0']) delete globalThis[name];

  const home = '/opt/glovebox/quickjs/';
  const parts = new Map();
  // host is what all parts of this layer have. Its code is a file of ours as a function,
  // of what was compiled beside it.
  const code = (name) => {
    const { buffer, byteOffset, byteLength } = std.loadFile(`${name}c`, { binary: true });
    return std.evalScript(bjson.read(buffer, byteOffset, byteLength, bjson.READ_OBJ_BYTECODE), { eval_function: true });
  };
  const host = { std, os, loadFile: std.loadFile, code };

  // part returns one of our own modules, which has host and part in its scope.
  function part(name) {
    if (!parts.has(name)) {
      const module = { exports: {} };
      parts.set(name, module);
      code(`${home}${name}.js`)(host, part, module);
    }
    return parts.get(name).exports;
  }

  part('language');
  part('process');
  part('globals');
  const { crash, runTicks } = part('loop');
  try {
    part('main')(argv);
  } catch (error) {
    crash(error);
  }
  runTicks(); // before what promises have waiting, which the engine runs next
})();
