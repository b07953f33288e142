// Code that the lint of CloudFront Functions must report, and code that it must accept.

/** A feature that the runtime lacks, in the body of `async function handler(event)`. */
interface Lacking {
  readonly what: string;
  readonly body: string;
  /** A part of the lint's message. */
  readonly reported: string;
  /** Whether Node runs the code, and njs 0.7.9 rejects it: the kind of code that unit tests in Node would let through. */
  readonly onlyInNode: boolean;
}

const lacking =
  (onlyInNode: boolean) =>
  ([what, body, reported]: readonly [string, string, string]): Lacking => ({ what, body, reported, onlyInNode });

export const LACKING: readonly Lacking[] = [
  ...(
    [
      ['array destructuring', 'const [a] = [1]; return a;', 'destructuring'],
      ['object destructuring', 'const {a: b} = {a: 1}; return b;', 'destructuring'],
      ['spread in a call', 'return Math.max(...[1, 2]);', 'spread'],
      ['spread in an object', 'return {...{a: 1}};', 'spread'],
      ['for-of', 'for (const a of [1]) return a;', 'for-of'],
      ['catch without a binding', 'try { return 1; } catch { return 2; }', 'a catch without a binding'],
      ['optional chaining', 'return event?.request;', 'optional chaining'],
      ['logical assignment', 'let a; a ||= 1; return a;', '||='],
      ['a class', 'class A {} return 1;', 'a class'],
      ['a generator', 'function* f() {} return 1;', 'a generator'],
      ['a default value', 'function f(a = 1) { return a; } return f();', 'a default value'],
      ['BigInt', 'return Number(1n);', '1n: cloudfront-js-2.0 has no BigInt'],
      ['await in an argument', 'return Number(await 1);', 'await in an argument'],
      ['the regular expression flag u', 'return /a/u.test("a");', 'the flags of /a/u'],
      ['the regular expression flag s', 'return /a/s.test("a");', 'the flags of /a/s'],
      ['new.target', 'function F() { return new.target; } return typeof F();', 'new.target'],
      ['dynamic import', 'return import("node:fs").then(function () { return 1; });', 'import()'],
      ['Map', 'return new Map().size;', 'Map: cloudfront-js-2.0 has no such global'],
      ['URL', 'return new URL("https://a.dev").host;', 'URL: cloudfront-js-2.0 has no such global'],
      ['Reflect', 'return Reflect.ownKeys({a: 1});', 'Reflect: cloudfront-js-2.0 has no such global'],
      ['Array.from', 'return Array.from([1]);', 'Array.from: cloudfront-js-2.0 has only isArray, of'],
      ['Object.fromEntries', 'return Object.fromEntries([]);', 'Object.fromEntries: cloudfront-js-2.0 has only assign'],
      ['Object.hasOwn in brackets', 'return Object["hasOwn"]({}, "a");', 'Object.hasOwn: cloudfront-js-2.0 has only assign'],
      ['Array.prototype.at', 'return [1].at(-1);', '.at(): cloudfront-js-2.0 has no such method (in Node of String, Array, TypedArray)'],
      ['Array.prototype.flat by call', 'return Array.prototype.flat.call([[1]]);', '.flat()'],
      ['String.prototype.matchAll', 'return typeof "a".matchAll(/a/g);', '.matchAll()'],
      ['dynamic code evaluation', 'return eval("1");', 'eval: cloudfront-js-2.0 has no dynamic code evaluation'],
      ['network access', 'return typeof fetch("data:,");', 'fetch: cloudfront-js-2.0 has no network access'],
    ] as const
  ).map(lacking(true)),
  ...(
    [
      ['nullish coalescing', 'return event.a ?? 1;', '??'],
      ['a shorthand property', 'const a = 1; return {a};', 'a shorthand property'],
      ['a computed property', 'return {["a"]: 1};', 'a computed property'],
      ['a shorthand method', 'return {a() {}};', 'a shorthand method'],
      ['a tagged template', 'return String.raw`a`;', 'a tagged template'],
      ['an async arrow function', 'const f = async () => 1; return f();', 'an async closure'],
      ['an async function in a function', 'async function f() { return 1; } return f();', 'an async closure'],
      ['a binary number', 'return 0b1;', '0b1: cloudfront-js-2.0 has no binary'],
      ['a code point escape', 'return "\\u{61}";', '\\u{…}'],
      ['lookbehind', 'return /(?<=a)b/.test("ab");', 'the lookbehind'],
      ['debugger', 'debugger; return 1;', 'debugger'],
      ['a comma after the last argument', 'return Number("1",);', 'a comma after the last parameter or argument'],
      ['the Function constructor', 'return new Function("return 1")();', 'Function: cloudfront-js-2.0 has no dynamic code evaluation'],
      [
        'the constructor of a function',
        'return handler.constructor("return 1")();',
        '.constructor(): cloudfront-js-2.0 has no dynamic code evaluation',
      ],
      ['a timer', 'setTimeout(function () {}, 1); return 1;', 'setTimeout: cloudfront-js-2.0 has no timers'],
      ['a process', 'return process.env;', 'process: cloudfront-js-2.0 has no process'],
      ['a process of the global object', 'return globalThis.process;', 'process: cloudfront-js-2.0 has no process'],
      ['a file', 'return require("fs");', 'the module fs: cloudfront-js-2.0 has only buffer, cloudfront, crypto, querystring'],
      ['console.error', 'console.error("a"); return 1;', 'console.error: cloudfront-js-2.0 has only log'],
      ['console.log with two arguments', 'console.log("a", "b"); return 1;', 'console.log with several arguments'],
      ['Object.create with properties', 'return Object.create(null, {});', 'Object.create with properties'],
      [
        'a name that only another function declares',
        'function f(fetch) { return fetch; } return f(typeof fetch);',
        'fetch: cloudfront-js-2.0 has no network',
      ],
    ] as const
  ).map(lacking(false)),
];

/** The handler with this body. */
export function handlerWith(body: string): string {
  return `async function handler(event) { ${body} }`;
}

/** All syntax that the runtime has, and no other. The handler returns 'all' if the code works. */
export const EVERYTHING = `import cf from 'cloudfront';
const map = cf.kvs();
var seen = [];
let count = 0;
function rest(first, ...others) { return others.length; }
async function handler(event) {
  const named = /^(?<letter>[a-z])$/.exec('a').groups.letter;
  const object = { 'a': 1, get b() { return 2; }, c: function () { return this.a; } };
  outer: for (let i = 0; i < 3; i++) {
    for (const key in object) { if (key === 'b') continue outer; seen.push(key); }
    if (i === 1) break;
  }
  do { count += 2 ** 2; } while (count < 8);
  while (count > 8) count--;
  switch (named) { case 'a': count = (count, 8); break; default: throw new Error('a'); }
  ;
  try { await map.get('nothing'); count = 0; } catch (_) { seen.push(\`\${\`nested \${object.c()}\`}\`); } finally { delete object.a; }
  const add = (a, b) => a + b;
  const result = add(count, -rest(1, 2, 3)) === 6 && !object.a || false;
  return result ? seen.indexOf('nested 1') > 0 ? 'all' : seen : count;
}
`;
