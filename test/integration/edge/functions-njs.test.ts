// The functions that CloudFront runs in front of its caches, in njs, which implements the JavaScript of the CloudFront Functions runtime.
// infra/test/edge-functions.test.ts runs them as they are in the templates.

import { describe, expect, test } from 'vitest';
import { edgeFunctionSuite } from '../../support/edge-function-cases.ts';
import { EVERYTHING, handlerWith, LACKING } from '../../support/edge-language/cases.ts';
import { njsInstalled, runEdgeFunction } from '../../support/edge-runtimes.ts';

const EVENT = { request: { uri: '/' } };

describe.runIf(njsInstalled)('CloudFront functions in njs', () => edgeFunctionSuite('njs'));

describe.runIf(njsInstalled)('the lint of CloudFront Functions and njs agree', () => {
  test('all syntax that the lint accepts', async () => {
    expect(await runEdgeFunction('njs', EVERYTHING, [EVENT])).toEqual(['all']);
    expect(await runEdgeFunction('node', EVERYTHING, [EVENT])).toEqual(['all']);
  });

  // If a newer njs accepts more than CloudFront does, running the functions in njs no longer checks as much.
  test.each(LACKING.filter(({ onlyInNode }) => onlyInNode).map(({ what, body }) => [what, body]))(
    'Node runs %s, njs rejects it',
    async (_what, body) => {
      expect(await runEdgeFunction('node', handlerWith(body), [EVENT])).toHaveLength(1);
      await expect(runEdgeFunction('njs', handlerWith(body), [EVENT])).rejects.toThrow(/SyntaxError|TypeError|ReferenceError|InternalError/);
    },
  );
});
