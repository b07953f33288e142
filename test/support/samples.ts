// Values that many tests need, besides those of the contract suites.

import type { PasswordCost } from '../../adapters/identity/passwords.ts';
import { type NewPet, PET_FIELD_LIST } from '../../core/pets/fields.ts';
import { samplePet } from '../../testing/samples.ts';

/** A new animal, with the fields given here. */
export function sampleNewPet(fields: Partial<NewPet> = {}): NewPet {
  const { id: _, ...pet } = samplePet(1);
  return { ...pet, ...fields };
}

/** The body that adds an animal, as JSON text: all required members, and the given members unchanged. */
export function petBody(members: Readonly<Record<string, unknown>> = {}): string {
  const sample = samplePet(1);
  const needed = PET_FIELD_LIST.filter(({ fallback }) => fallback === undefined).map(({ name }) => [name, sample[name]]);
  const all = Object.entries({ ...Object.fromEntries(needed), ...members });
  return `{${all.map(([name, value]) => `${JSON.stringify(name)}:${typeof value === 'bigint' ? value : JSON.stringify(value)}`).join(',')}}`;
}

/** Reproducible random numbers: the same seed gives the same sequence. */
export function seededRandom32(seed = 1): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state;
  };
}

/** For tests that are not about the cost of passwords. */
export const QUICK_PASSWORDS: PasswordCost = { N: 2, r: 1, p: 1, maxmem: 2 ** 20 };
