// The script that QuickJS starts with: it makes of it what a program for
// Node.js finds there. Only here are QuickJS's own modules (std, os) in sight.
(function () {
  'use strict';
  const { std, os } = globalThis;
  const argv = globalThis.scriptArgs.slice(1);
  for (const name of ['std', 'os', 'bjson', 'print', 'scriptArgs', 'gc', 'execArgv', 'argv0']) delete globalThis[name];

  const home = '/opt/glovebox/quickjs/';
  const parts = new Map();
  // host is what all parts of this layer have.
  const host = { std, os, loadFile: std.loadFile };

  // part returns one of our own modules, which has host and part in its scope.
  function part(name) {
    if (!parts.has(name)) {
      const module = { exports: {} };
      parts.set(name, module);
      std.evalScript(`(function (host, part, module) {${std.loadFile(`${home}${name}.js`)}\n})`)(host, part, module);
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
