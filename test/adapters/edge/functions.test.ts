// The functions that CloudFront runs in front of its caches, as deployed, run in Node. test/integration/edge/functions-njs.test.ts runs them in
// njs, like the CloudFront Functions runtime.

import { globSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { edgeFunctionSuite, FOLDER, FUNCTIONS, sourceOf } from '../../support/edge-function-cases.ts';
import { lintEdgeFunction } from '../../support/edge-language/lint.ts';

test('every CloudFront function in the folder is tested here', () => {
  expect(globSync('*.js', { cwd: FOLDER }).sort()).toEqual(FUNCTIONS.map(([file]) => file).sort());
});

describe('CloudFront functions in Node', () => edgeFunctionSuite('node'));

test.each(FUNCTIONS)("%s uses only what CloudFront's runtime has", (file) => {
  expect(lintEdgeFunction(sourceOf(file))).toEqual([]);
});
