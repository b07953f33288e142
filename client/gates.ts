// This process's gates by base URL and key; all clients with the same URL and key share a gate. A gate is kept while calls use it or while it is
// closed.

import type { CallOptions } from './abort.ts';
import { Gate, type Outcome } from './gate.ts';
import { monotonic, type RetryOptions } from './retry.ts';

const gates = new Map<string, Gate>();

/** Returns the number of gates; for tests. */
export function rememberedGates(): number {
  return gates.size;
}

/** Sends a request through the gate with this name; see Gate.pass. */
export async function throughGate(
  name: string,
  attempt: number,
  send: () => Promise<Outcome>,
  options: RetryOptions & CallOptions,
): Promise<Outcome> {
  const gate = gates.get(name) ?? new Gate();
  gates.set(name, gate);
  gate.calls += 1;
  try {
    return await gate.pass(attempt, send, options);
  } finally {
    gate.calls -= 1;
    if (gate.calls === 0) forget(name, gate, (options.clock ?? monotonic)());
  }
}

/** Opens the gate; waiting calls continue. */
export function openGate(name: string): void {
  gates.get(name)?.open();
  if (gates.get(name)?.calls === 0) gates.delete(name);
}

/** Deletes the gate. If it is closed, keeps it, and instead deletes unused gates that have opened since. */
function forget(name: string, gate: Gate, now: number): void {
  if (gate.closure(now) === undefined) gates.delete(name);
  else for (const [each, other] of gates) if (other.calls === 0 && other.closure(now) === undefined) gates.delete(each);
}
