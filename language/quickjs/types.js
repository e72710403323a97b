'use strict';
// util.types: what a value is, whatever it claims.

const { isProxy } = part('language');

// branded tells whether a built-in function that insists on its own kind of
// object takes a value.
const branded = (get) => (value) => {
  if (value === null || typeof value !== 'object' || isProxy(value)) return false;
  try {
    get.call(value);
    return true;
  } catch {
    return false;
  }
};
const getter = (object, key) => Object.getOwnPropertyDescriptor(object, key).get;
const typedName = getter(Object.getPrototypeOf(Uint8Array.prototype), Symbol.toStringTag);
const isTyped = (value) => typedName.call(value) !== undefined;
const tag = (value) => Object.prototype.toString.call(value);
const plainTag = (name) => (value) => value !== null && typeof value === 'object' && !isProxy(value) && tag(value) === `[object ${name}]`;
const box = (type) => branded(type.prototype.valueOf);
const isNumberObject = box(Number);
const isStringObject = box(String);
const isBooleanObject = box(Boolean);
const isSymbolObject = box(Symbol);
const isBigIntObject = box(BigInt);
const isError = (value) => value !== null && typeof value === 'object' && !isProxy(value) && (Error.isError?.(value) ?? value instanceof Error);
const functionOf = (f) => (typeof f === 'function' ? Object.getPrototypeOf(f)?.constructor?.name ?? '' : '');
const isArrayBuffer = branded(getter(ArrayBuffer.prototype, 'byteLength'));
const isShared = branded(getter(SharedArrayBuffer.prototype, 'byteLength'));

module.exports = {
  isProxy,
  isError,
  isNativeError: isError,
  isPromise: (value) => value !== null && typeof value === 'object' && !isProxy(value) && value instanceof Promise,
  isMap: branded(getter(Map.prototype, 'size')),
  isSet: branded(getter(Set.prototype, 'size')),
  isWeakMap: branded(function () { WeakMap.prototype.has.call(this, {}); }),
  isWeakSet: branded(function () { WeakSet.prototype.has.call(this, {}); }),
  isDate: branded(Date.prototype.getTime),
  isRegExp: branded(getter(RegExp.prototype, 'source')),
  isTypedArray: (value) => value !== null && typeof value === 'object' && !isProxy(value) && isTyped(value),
  isUint8Array: (value) => value !== null && typeof value === 'object' && !isProxy(value) && typedName.call(value) === 'Uint8Array',
  isArrayBuffer,
  isSharedArrayBuffer: isShared,
  isAnyArrayBuffer: (value) => isArrayBuffer(value) || isShared(value),
  isArrayBufferView: (value) => ArrayBuffer.isView(value),
  isDataView: (value) => ArrayBuffer.isView(value) && !isTyped(value),
  isNumberObject, isStringObject, isBooleanObject, isSymbolObject, isBigIntObject,
  isBoxedPrimitive: (v) => isNumberObject(v) || isStringObject(v) || isBooleanObject(v) || isSymbolObject(v) || isBigIntObject(v),
  isAsyncFunction: (f) => functionOf(f) === 'AsyncFunction' || functionOf(f) === 'AsyncGeneratorFunction',
  isGeneratorFunction: (f) => functionOf(f) === 'GeneratorFunction' || functionOf(f) === 'AsyncGeneratorFunction',
  isGeneratorObject: (value) => tag(value) === '[object Generator]' || tag(value) === '[object AsyncGenerator]',
  isArgumentsObject: plainTag('Arguments'),
  isMapIterator: plainTag('Map Iterator'),
  isSetIterator: plainTag('Set Iterator'),
  isModuleNamespaceObject: plainTag('Module'),
  isExternal: () => false,
};
