// Who is at work, for the audit log. It goes with asynchronous work, so that stores know it without every function passing it on.

import { AsyncLocalStorage } from 'node:async_hooks';
import type { Actor } from '../../core/audit/entry.ts';

const actors = new AsyncLocalStorage<Actor>();

const SERVICE: Actor = { kind: 'service' };

/** Does work in the name of an actor, whatever it waits for. Work within it may name another. */
export function actingAs<T>(actor: Actor, work: () => T): T {
  return actors.run(actor, work);
}

/** Who is at work: the service itself, unless `actingAs` says otherwise. */
export function currentActor(): Actor {
  return actors.getStore() ?? SERVICE;
}
