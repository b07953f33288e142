// Limits the time of each call to an adapter from outside the project, whatever the adapter does.

import { StoreFault } from '../../core/refusal.ts';
import { type AdapterPorts, PORT_METHODS, type PortName } from '../adapters.ts';

/** How long a call may take, in milliseconds. Requests wait for stores; the other ports are called by background work, which is retried. */
const LIMITS_MS: Readonly<Partial<Record<PortName, number>>> = {
  recordPublisher: 60_000,
  mailer: 90_000,
  // Their calls last as long as a file transfer or a removal.
  sites: 3_600_000,
  uploads: 3_600_000,
  installation: 3_600_000,
  records: 60_000,
};
const STORE_MS = 10_000;

type Method = (...args: unknown[]) => unknown;

/**
 * Returns a port's methods in a plain object, the form in which ports are combined; the port may be an instance of a class. A call that takes too
 * long rejects with a StoreFault that names it; whether it took effect is then unknown. @param limitMs time limit for each call. @default by port
 */
export function boundedPort<Port extends PortName>(
  adapter: string,
  port: Port,
  given: AdapterPorts[Port],
  limitMs: number = LIMITS_MS[port] ?? STORE_MS,
): AdapterPorts[Port] {
  const bounded =
    (name: string, method: Method): Method =>
    (...args) => {
      const late = `${adapter}: ${port}.${name} did not answer within ${limitMs / 1_000} s`;
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => reject(new StoreFault('unavailable', late)), limitMs);
        const settled =
          <T>(settle: (value: T) => void) =>
          (value: T) => {
            clearTimeout(timer);
            settle(value);
          };
        // If a method throws instead of returning a promise, the call rejects too.
        new Promise((answer) => answer(method.apply(given, args))).then(settled(resolve), settled(reject));
      });
    };
  const methods = PORT_METHODS[port].map((name) => [name, bounded(name, given[name] as Method)] as const);
  const constants = Object.entries(given).filter(([, value]) => typeof value === 'number');
  return Object.fromEntries([...constants, ...methods]) as unknown as AdapterPorts[Port];
}
