// Unknown query parameters are always refused; otherwise, a misspelled parameter would be ignored.

import { joinFaults } from '../../core/fault-list.ts';
import { quoted } from '../../core/validate.ts';
import type { Refusal } from './errors.ts';

/** Checks the query of an operation that has no parameters. */
export function queryRefusal(parameters: Readonly<Record<string, string | undefined>> | undefined): Refusal | undefined {
  const names = Object.keys(parameters ?? {});
  if (names.length === 0) return undefined;
  return { code: 'invalid_request', message: joinFaults(names.map((name) => `query parameter ${quoted(name)}: not known; allowed: none`)) };
}
