// Makes property tests use the same values each time, unless FC_SEED sets another seed: CI must not fail by chance, and a search for new failures
// is a loop over seeds.

import fc from 'fast-check';
import { afterAll, afterEach } from 'vitest';

fc.configureGlobal({ seed: Number(process.env.FC_SEED ?? 20_261_121) });

/** What support modules do after each test, and at the end of each file. */
export interface FileHooks {
  readonly afterEach: () => void;
  readonly afterAll: () => void;
}

const shared = globalThis as { petstoreFileHooks?: Set<FileHooks> };
shared.petstoreFileHooks ??= new Set();
/** The hooks of this process. */
export const HOOKS: Set<FileHooks> = shared.petstoreFileHooks;

afterEach(() => {
  for (const hooks of HOOKS) hooks.afterEach();
});
afterAll(() => {
  for (const hooks of HOOKS) hooks.afterAll();
});
