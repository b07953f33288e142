// What the runtime of CloudFront Functions supports: only what its documentation lists. Source of all tables, unless noted:
// CloudFront Developer Guide, "JavaScript runtime 2.0 features for CloudFront Functions", by section.

export const RUNTIME = 'cloudfront-js-2.0';

/** In bytes, of the code as deployed ("Quotas on CloudFront Functions", maximum function size: 10 KB). */
export const MAX_BYTES = 10_240;

/** Nodes of the syntax tree (ESTree). "Core features": types, operators, statements, literals, functions. */
export const SYNTAX: readonly string[] = [
  'Program',
  // ES 5.1 statements: all except `debugger`, which is not listed, and `with`, which strict mode excludes.
  ...['BlockStatement', 'BreakStatement', 'CatchClause', 'ContinueStatement', 'DoWhileStatement', 'EmptyStatement', 'ExpressionStatement'],
  ...['ForInStatement', 'ForStatement', 'FunctionDeclaration', 'IfStatement', 'LabeledStatement', 'ReturnStatement', 'SwitchCase', 'SwitchStatement'],
  ...['ThrowStatement', 'TryStatement', 'VariableDeclaration', 'VariableDeclarator', 'WhileStatement'],
  // ES 5.1 expressions.
  ...['ArrayExpression', 'AssignmentExpression', 'BinaryExpression', 'CallExpression', 'ConditionalExpression', 'FunctionExpression', 'Identifier'],
  ...['Literal', 'LogicalExpression', 'MemberExpression', 'NewExpression', 'ObjectExpression', 'Property', 'SequenceExpression', 'ThisExpression'],
  ...['UnaryExpression', 'UpdateExpression'],
  // ES 6: template literals, arrow functions, rest parameters. ES 8: await.
  ...['TemplateElement', 'TemplateLiteral', 'ArrowFunctionExpression', 'RestElement', 'AwaitExpression'],
  // "Helper methods for key value stores": import cf from 'cloudfront'.
  ...['ImportDeclaration', 'ImportDefaultSpecifier'],
];

/** Names of syntax that is not listed, for messages. */
export const SYNTAX_NAMES: Readonly<Record<string, string>> = {
  ArrayPattern: 'destructuring',
  AssignmentPattern: 'a default value',
  ChainExpression: 'optional chaining',
  ClassDeclaration: 'a class',
  ClassExpression: 'a class',
  DebuggerStatement: 'debugger',
  ExportAllDeclaration: 'export',
  ExportDefaultDeclaration: 'export',
  ExportNamedDeclaration: 'export',
  ForOfStatement: 'for-of',
  ImportExpression: 'import()',
  ImportNamespaceSpecifier: 'import *',
  ImportSpecifier: 'a named import',
  MetaProperty: 'new.target or import.meta',
  ObjectPattern: 'destructuring',
  SpreadElement: 'spread',
  TaggedTemplateExpression: 'a tagged template',
  YieldExpression: 'yield',
};

/** All ES 5.1 operators, and `**` from ES 7. */
export const OPERATORS: readonly string[] = [
  ...['==', '!=', '===', '!==', '<', '<=', '>', '>=', '<<', '>>', '>>>', '+', '-', '*', '/', '%', '|', '^', '&', 'in', 'instanceof', '&&', '||'],
  ...['=', '+=', '-=', '*=', '/=', '%=', '<<=', '>>=', '>>>=', '|=', '^=', '&=', '**', '**='],
];

export const DECLARATIONS: readonly string[] = ['var', 'const', 'let'];

/** "Regular expressions": the flags of ES 5.1, and `sticky`. */
export const REGEXP_FLAGS = /^[gimy]*$/;

/** "Built-in modules", and `cloudfront` ("Helper methods for key value stores"). */
export const MODULES: readonly string[] = ['buffer', 'cloudfront', 'crypto', 'querystring'];

const TYPED_ARRAYS = ['Float32', 'Float64', 'Int8', 'Int16', 'Int32', 'Uint8', 'Uint8Clamped', 'Uint16', 'Uint32'].map((type) => `${type}Array`);
const ERRORS = ['Error', 'EvalError', 'InternalError', 'RangeError', 'ReferenceError', 'SyntaxError', 'TypeError', 'URIError'];

/** "Primitive objects", "Built-in objects", "Error types" and "Globals": each global with its own members. */
export const GLOBALS: Readonly<Record<string, readonly string[]>> = {
  Object: [
    ...['assign', 'create', 'defineProperties', 'defineProperty', 'entries', 'freeze', 'getOwnPropertyDescriptor', 'getOwnPropertyDescriptors'],
    ...['getOwnPropertyNames', 'getPrototypeOf', 'isExtensible', 'isFrozen', 'isSealed', 'keys', 'preventExtensions', 'seal', 'values'],
    // Listed as methods of the prototype.
    ...['is', 'setPrototypeOf'],
  ],
  // "All ES 5.1 types are supported. This includes boolean values".
  Boolean: [],
  String: ['fromCharCode', 'fromCodePoint'],
  Number: [
    ...['EPSILON', 'MAX_SAFE_INTEGER', 'MIN_SAFE_INTEGER', 'MAX_VALUE', 'MIN_VALUE', 'NaN', 'NEGATIVE_INFINITY', 'POSITIVE_INFINITY'],
    ...['isFinite', 'isInteger', 'isNaN', 'isSafeInteger', 'parseInt', 'parseFloat'],
  ],
  Math: [
    ...['E', 'LN10', 'LN2', 'LOG10E', 'LOG2E', 'PI', 'SQRT1_2', 'SQRT2', 'abs', 'acos', 'acosh', 'asin', 'asinh', 'atan', 'atan2', 'atanh', 'cbrt'],
    ...['ceil', 'clz32', 'cos', 'cosh', 'exp', 'expm1', 'floor', 'fround', 'hypot', 'imul', 'log', 'log1p', 'log2', 'log10', 'max', 'min', 'pow'],
    ...['random', 'round', 'sign', 'sinh', 'sin', 'sqrt', 'tan', 'tanh', 'trunc'],
  ],
  // "All ES 5.1 Date features are supported."
  Date: ['now', 'parse', 'UTC'],
  RegExp: [],
  JSON: ['parse', 'stringify'],
  Array: ['isArray', 'of'],
  ArrayBuffer: ['isView'],
  DataView: [],
  Promise: ['all', 'allSettled', 'any', 'race', 'reject', 'resolve'],
  Symbol: ['for', 'keyFor'],
  TextDecoder: [],
  TextEncoder: [],
  console: ['log'],
  Buffer: ['alloc', 'allocUnsafe', 'byteLength', 'compare', 'concat', 'from', 'isBuffer', 'isEncoding'],
  ...Object.fromEntries(TYPED_ARRAYS.map((name) => [name, ['from', 'of']])),
  ...Object.fromEntries(ERRORS.map((name) => [name, []])),
  ...Object.fromEntries(['decodeURI', 'decodeURIComponent', 'encodeURI', 'encodeURIComponent'].map((name) => [name, []])),
  ...Object.fromEntries(['isFinite', 'isNaN', 'parseFloat', 'parseInt', 'atob', 'btoa', 'require'].map((name) => [name, []])),
  ...Object.fromEntries(['NaN', 'Infinity', 'undefined', 'arguments', 'globalThis'].map((name) => [name, []])),
};

/** "Restricted features": why a global is missing. */
export const RESTRICTED: Readonly<Record<string, string>> = {
  eval: 'no dynamic code evaluation',
  Function: 'no dynamic code evaluation',
  setTimeout: 'no timers',
  setInterval: 'no timers',
  setImmediate: 'no timers',
  clearTimeout: 'no timers',
  clearInterval: 'no timers',
  clearImmediate: 'no timers',
  queueMicrotask: 'no timers',
  performance: 'no high-resolution timers',
  process: 'no process, and no environment variables',
  fetch: 'no network access',
  XMLHttpRequest: 'no network access',
  WebSocket: 'no network access',
};

/** The methods of each type's prototype. Those of Date are Node's, without newer ones. */
const METHODS: Readonly<Record<string, readonly string[]>> = {
  Object: ['hasOwnProperty', 'isPrototypeOf', 'propertyIsEnumerable', 'toString', 'valueOf'],
  Function: ['apply', 'bind', 'call'],
  String: [
    ...['charAt', 'concat', 'indexOf', 'lastIndexOf', 'match', 'replace', 'search', 'slice', 'split', 'substr', 'substring', 'toLowerCase', 'trim'],
    ...['toUpperCase', 'codePointAt', 'endsWith', 'includes', 'repeat', 'startsWith', 'padStart', 'padEnd', 'trimStart', 'trimEnd', 'replaceAll'],
  ],
  Number: ['toExponential', 'toFixed', 'toPrecision'],
  RegExp: ['exec', 'test', 'toString'],
  Array: [
    ...['concat', 'every', 'filter', 'forEach', 'indexOf', 'join', 'lastIndexOf', 'map', 'pop', 'push', 'reduce', 'reduceRight', 'reverse', 'shift'],
    ...['slice', 'some', 'sort', 'splice', 'unshift', 'copyWithin', 'fill', 'find', 'findIndex', 'includes'],
  ],
  TypedArray: ['set', 'subarray', 'toString'],
  Promise: ['catch', 'finally', 'then'],
  Date: Object.getOwnPropertyNames(Date.prototype).filter((name) => name !== 'toTemporalInstant' && name !== 'constructor'),
  TextDecoder: ['decode'],
  TextEncoder: ['encode', 'encodeInto'],
  DataView: ['Float32', 'Float64', 'Int16', 'Int32', 'Int8', 'Uint16', 'Uint32', 'Uint8'].flatMap((type) => [`get${type}`, `set${type}`]),
};

const LISTED_METHODS = new Set(Object.values(METHODS).flat());

/** Methods in Node that the documentation lists for no type, with the types that have them in Node. */
export const MISSING_METHODS: ReadonlyMap<string, string> = missingMethods();

function missingMethods(): ReadonlyMap<string, string> {
  const types = { Object, Function, String, Number, Array, RegExp, Promise, Symbol, Date, ArrayBuffer, DataView, Error };
  const found = new Map<string, string>();
  for (const [type, { prototype }] of Object.entries({ ...types, TypedArray: Object.getPrototypeOf(Int8Array) })) {
    for (const name of Object.getOwnPropertyNames(prototype)) {
      const isMethod = typeof Object.getOwnPropertyDescriptor(prototype, name)?.value === 'function';
      if (isMethod && !LISTED_METHODS.has(name)) found.set(name, [found.get(name), type].filter(Boolean).join(', '));
    }
  }
  return found;
}
