// The functions that CloudFront runs in front of its caches, as deployed, run in Node. test/integration/edge/functions-njs.test.ts runs them in
// njs, like the CloudFront Functions runtime.

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { edgeFunctionSuite, FOLDER, FUNCTIONS } from '../../support/edge-function-cases.ts';

test('every CloudFront function in the folder is tested here', () => {
  expect(globSync('*.js', { cwd: FOLDER }).sort()).toEqual(FUNCTIONS.map(([file]) => file).sort());
});

describe('CloudFront functions in Node', () => edgeFunctionSuite('node'));

describe.each(FUNCTIONS)('%s', (file) => {
  const source = readFileSync(join(FOLDER, file), 'utf8');

  // CloudFront Developer Guide, "Restrictions on CloudFront Functions" and "JavaScript runtime 2.0 features".
  test('meets the restrictions of CloudFront Functions', () => {
    expect(Buffer.byteLength(source)).toBeLessThan(10_240);
    expect(source).toMatch(/^[\x20-\x7e\n]*$/);
    expect([...source.matchAll(/\bfrom '([^']+)'|\brequire\(|\bimport\(/g)].filter(([, from]) => from !== 'cloudfront')).toEqual([]);
    expect(source).not.toMatch(/\beval\(|\bnew Function\b|\bset(?:Timeout|Interval|Immediate)\(|\bfetch\(|\bXMLHttpRequest\b|\bprocess\./);
    expect(source).toMatch(/^(?:async )?function handler\(event\) \{$/m);
  });
});
