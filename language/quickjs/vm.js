'use strict';
// As much of node:vm as our drivers use, and a little for programs.

const loader = part('loader');
const path = part('path');

class Script {
  constructor(code, options) {
    this._code = String(code);
    this._name = (typeof options === 'string' ? options : options?.filename) ?? 'evalmachine.<anonymous>';
  }

  runInThisContext() { return (0, eval)(this._code); }
  runInContext(context) { return runIn(this._code, context); }
  runInNewContext(context) { return runIn(this._code, context ?? {}); }
}
const runIn = (code, context) => new Function('$context', `with ($context) { return eval(${JSON.stringify(code)}); }`)(context);

// SourceTextModule and SyntheticModule are modules whose imports their maker
// finds.
class VirtualModule {
  constructor(identifier) {
    this.identifier = identifier;
    this.status = 'unlinked';
  }

  async link(linker) {
    this.status = 'linking';
    await this._link(linker);
    this.status = 'linked';
  }

  async evaluate() {
    this.status = 'evaluating';
    try {
      this.namespace = await loader.load(this._place());
      this.status = 'evaluated';
    } catch (error) {
      this.status = 'errored';
      this.error = error;
      throw error;
    }
  }
}
class SyntheticModule extends VirtualModule {
  constructor(names, evaluate, { identifier = 'vm:module' } = {}) {
    super(identifier);
    this._names = names;
    this._evaluate = evaluate;
    this._values = Object.fromEntries(names.map((name) => [name, undefined]));
  }

  setExport(name, value) { this._values[name] = value; }
  async _link() {}
  _place() {
    if (!this._made) {
      this._evaluate.call(this);
      this._made = loader.synthetic(this.identifier, this._values);
    }
    return this._made;
  }
}
class SourceTextModule extends VirtualModule {
  constructor(code, { identifier = 'vm:module', importModuleDynamically, initializeImportMeta } = {}) {
    super(identifier);
    const wrong = loader.checkModule(identifier, code);
    if (wrong) throw wrong;
    this._code = code;
    this._dynamic = importModuleDynamically;
    this._meta = Object.create(null);
    initializeImportMeta?.(this._meta, this);
    this._linked = new Map();
  }

  async _link(linker) {
    for (const { kind, value } of part('lexer').scan(this._code)) {
      if (kind !== 'from' || this._linked.has(value)) continue;
      const module = await linker(value, this);
      this._linked.set(value, module);
      if (module.status === 'unlinked') await module.link(linker);
    }
  }

  _place() {
    if (this._made) return this._made;
    const name = path.isAbsolute(this.identifier) ? this.identifier : `/${this.identifier.replace(/[^\w.]/g, '_')}`;
    this._made = loader.copy(name, ''); // modules may import each other
    const text = loader.source(name, this._code, {
      find: (specifier) => this._linked.get(specifier)._place(),
      dynamic: async (specifier) => {
        const module = await this._dynamic(String(specifier), this, {});
        return module.namespace ?? module;
      },
      meta: this._meta,
    });
    part('files').fs.writeFileSync(this._made, text);
    return this._made;
  }
}

// checkModule answers our own driver, which has Node.js check the text of a
// module once more, for the line of an error.
function checkModule(file, args, { input } = {}) {
  if (!args?.includes('--check') || input === undefined) return undefined;
  const wrong = loader.checkModule('[stdin]', String(input));
  return { status: wrong ? 1 : 0, stdout: '', stderr: wrong ? wrong.stack : '' };
}

module.exports = {
  checkModule,
  vm: {
    Script, SourceTextModule, SyntheticModule,
    compileFunction(code, parameters = [], { filename = '', importModuleDynamically } = {}) {
      const run = loader.compile(filename.startsWith('/') ? filename : `/${filename}`, String(code), parameters);
      const dynamic = importModuleDynamically && (async (specifier) => {
        const module = await importModuleDynamically(String(specifier), run, {});
        return module.namespace ?? module;
      });
      return function (...args) {
        return Reflect.apply(run, this, [...args.slice(0, parameters.length), ...Array(Math.max(0, parameters.length - args.length)).fill(undefined), dynamic, undefined]);
      };
    },
    createContext: (context = {}) => context,
    isContext: () => true,
    runInThisContext: (code) => (0, eval)(code),
    runInNewContext: (code, context = {}) => runIn(code, context),
    runInContext: (code, context) => runIn(code, context),
  },
};
