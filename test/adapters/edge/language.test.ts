// The lint of CloudFront Functions: what it reports, and what it accepts. test/integration/edge/functions-njs.test.ts compares it with njs.

import { parse } from 'acorn';
import { describe, expect, test } from 'vitest';
import { EVERYTHING, handlerWith, LACKING } from '../../support/edge-language/cases.ts';
import { MAX_BYTES, SYNTAX } from '../../support/edge-language/features.ts';
import { lintEdgeFunction } from '../../support/edge-language/lint.ts';
import { walk } from '../../support/edge-language/tree.ts';

describe('the lint of CloudFront Functions', () => {
  test.each(LACKING.map(({ what, body, reported }) => [what, body, reported]))('reports %s', (_what, body, reported) => {
    const problems = lintEdgeFunction(`\n\n${handlerWith(body)}`);
    expect(problems).toContainEqual(expect.stringContaining(reported));
    for (const problem of problems) expect(problem).toMatch(/^line 3: .+: cloudfront-js-2\.0 has /);
  });

  test('accepts all syntax that the runtime has', () => {
    expect(lintEdgeFunction(EVERYTHING)).toEqual([]);
    const used = new Set<string>();
    walk(parse(EVERYTHING, { ecmaVersion: 'latest', sourceType: 'module' }), ({ type }) => void used.add(type));
    expect(SYNTAX.filter((type) => !used.has(type))).toEqual([]);
  });

  test.each([
    'return event.request.querystring.link.value;',
    'const list = ["b", "a"]; return list.sort().map((item) => item.trim()).join();',
    'const crypto = require("crypto"); return crypto.createHash("sha256").update("a").digest("hex");',
    'return Object.keys({}).concat(Object.values({}), Object.entries({})).length;',
    'return new Date().getTime() + Date.now();',
    'const fetch = (name) => name; return fetch("a");',
    'return JSON.stringify({ map: new Uint8Array(2).length }) + encodeURIComponent("ä".slice(1, 2));'.replace('ä', '\\u00e4'),
  ])('accepts %s', (body) => {
    expect(lintEdgeFunction(handlerWith(body))).toEqual([]);
  });

  test('reports every violation, with its line', () => {
    expect(lintEdgeFunction('function handler(event) {\n  for (const a of event?.list) {\n    fetch(a);\n  }\n}\n')).toEqual([
      'line 2: for-of: cloudfront-js-2.0 has no such syntax',
      'line 2: optional chaining: cloudfront-js-2.0 has no such syntax',
      'line 3: fetch: cloudfront-js-2.0 has no network access',
    ]);
  });

  test('reports code that is too large, is not ASCII, has no handler or is not JavaScript', () => {
    const code = handlerWith('return 1;');
    expect(lintEdgeFunction(code + ' '.repeat(MAX_BYTES - code.length))).toEqual([]);
    expect(lintEdgeFunction(code + ' '.repeat(MAX_BYTES + 1 - code.length))).toEqual(['10241 bytes: allowed: at most 10240']);
    expect(lintEdgeFunction(`${code}// ä`)).toEqual(['"ä": allowed: printable ASCII and newlines']);
    expect(lintEdgeFunction('const handler = 1;')).toEqual(['no handler: cloudfront-js-2.0 calls a function of this name']);
    expect(lintEdgeFunction('function handler( {')).toEqual([expect.stringMatching(/^SyntaxError: .*\(1:\d+\)$/)]);
    expect(lintEdgeFunction(handlerWith('with (event) return 1;'))).toEqual([expect.stringMatching(/strict mode/)]);
  });
});
