// The current actor, for the audit log. It is part of the asynchronous context, so stores know it without every function passing it on.

import { AsyncLocalStorage } from 'node:async_hooks';
import type { Actor } from '../../core/audit/entry.ts';

const actors = new AsyncLocalStorage<Actor>();

const SERVICE: Actor = { kind: 'service' };

/** Runs work on behalf of an actor, including everything that it waits for. Nested work may have another actor. */
export function actingAs<T>(actor: Actor, work: () => T): T {
  return actors.run(actor, work);
}

/** Returns the current actor: the service itself, unless `actingAs` has set another. */
export function currentActor(): Actor {
  return actors.getStore() ?? SERVICE;
}
