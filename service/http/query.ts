// Parameters that an operation does not know are refused, alike everywhere: a misspelt one would be taken for none.

import { listedFaults, quoted } from '../../core/validate.ts';
import type { Refusal } from './errors.ts';

/** Of an operation that takes no query. */
export function queryRefusal(parameters: Readonly<Record<string, string | undefined>> | undefined): Refusal | undefined {
  const names = Object.keys(parameters ?? {});
  if (names.length === 0) return undefined;
  return { code: 'invalid_request', message: listedFaults(names.map((name) => `query parameter ${quoted(name)}: not known; allowed: none`)) };
}
