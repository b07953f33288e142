// The faults that pass, by name, and the steps of an order at which each is played.

import type { Asked, Fault, Step } from './faulty-authority.ts';

export const PASSING_FAULTS: Readonly<Record<string, Fault>> = {
  internal: { status: 500, type: 'serverInternal' },
  busy: { status: 503, headers: { 'retry-after': '600' } },
  'rate-limit': { status: 429, type: 'rateLimited', headers: { 'retry-after': '1800' } },
  'rate-limit-without-time': { status: 429, type: 'rateLimited' },
  'not-found': { status: 404 },
  nonce: { status: 400, type: 'badNonce' },
  unknown: { status: 400, type: 'fromTheFuture' },
  silence: 'silent',
  lost: 'lost',
  garbage: 'garbage',
};

export const ORDER_STEPS: readonly Step[] = ['order', 'authorization', 'challenge', 'poll', 'finalize', 'download'];

export interface FaultyLife {
  /** In a registered domain of its own, because their certificates are counted. */
  readonly host: string;
  readonly step: Step;
  readonly fault: Fault;
}

/** Each fault at each step, with a host that meets it. */
export const FAULTY_LIVES: readonly FaultyLife[] = Object.entries(PASSING_FAULTS).flatMap(([name, fault]) =>
  ORDER_STEPS.map((step) => ({ host: `shop.${name}-at-${step}.test`, step, fault })),
);

/** Plays each life's fault at its step, while `isPlayed`. */
export function faultOf(isPlayed: (life: FaultyLife) => boolean): (asked: Asked) => Fault | undefined {
  const byHost = new Map(FAULTY_LIVES.map((life) => [life.host, life]));
  return ({ step, host = '' }) => {
    const life = byHost.get(host);
    return life?.step === step && isPlayed(life) ? life.fault : undefined;
  };
}
