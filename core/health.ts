// Whether the service can do its work, for load balancers and people.

/** `warning`: it works, but may soon fail, or is late. */
export type HealthState = 'ok' | 'warning' | 'failed';

/** A part of the service that was checked. */
export interface HealthCheck {
  readonly name: string;
  readonly state: HealthState;
  /** What was found, without names or paths, because anyone can read it. @default nothing */
  readonly reason?: string;
}

export interface Readiness {
  /** Whether requests should be sent here: no check has failed. */
  readonly isReady: boolean;
  readonly checks: readonly HealthCheck[];
}

/** Checks one part. */
export type Probe = () => Promise<HealthCheck> | HealthCheck;

/** How long a result is reused, in milliseconds, because anyone can request one, and the storage check writes. */
const FRESH_MS = 1_000;

/** Creates a function that checks all parts, at most once a second. @param probes a probe fails by throwing @param clock milliseconds since 1970 */
export function createReadiness(probes: Readonly<Record<string, Probe>>, clock: () => number): () => Promise<Readiness> {
  let latest: { readonly at: number; readonly result: Promise<Readiness> } | undefined;

  async function look(): Promise<Readiness> {
    const checks = await Promise.all(
      Object.entries(probes).map(async ([name, probe]): Promise<HealthCheck> => {
        try {
          return await probe();
        } catch {
          return { name, state: 'failed', reason: 'it does not answer' };
        }
      }),
    );
    return { isReady: checks.every(({ state }) => state !== 'failed'), checks };
  }

  return () => {
    const now = clock();
    // After the clock is set back, an old result must not be kept.
    if (latest === undefined || Math.abs(now - latest.at) >= FRESH_MS) latest = { at: now, result: look() };
    return latest.result;
  };
}
