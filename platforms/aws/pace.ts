// How fast the sweep may call services whose limits its stage shares with everything else in the AWS account, so that other calls still succeed. The
// sweeps of domains and of the edge may overlap, so each uses at most half of the documented rate.
//
//   ACM          ListCertificates 8/s, DescribeCertificate, ListTagsForCertificate and DeleteCertificate 10/s (ACM User Guide, "Quotas")
//   Route 53     5/s for all operations of an AWS account (Route 53 Developer Guide, "Quotas")
//   CloudFront   not documented, for tenants and for KeyValueStores

/** Calls per second: for certain operations separately, and for all other operations of the service together. */
export interface CallRates {
  readonly perOperation?: Readonly<Record<string, number>>;
  readonly others: number;
}

export const SWEEP_RATES = {
  acm: { perOperation: { ListCertificates: 1, DescribeCertificate: 5, ListTagsForCertificate: 5, DeleteCertificate: 5 }, others: 1 },
  cloudFront: { others: 5 },
  // A change takes several calls, during which other writers wait.
  keyValueStore: { perOperation: { ListKeys: 5 }, others: 50 },
  route53: { others: 2 },
} as const satisfies Readonly<Record<string, CallRates>>;

/** The members of a service's client that are needed here. */
interface PaceableClient {
  readonly middlewareStack: {
    add(
      middleware: (next: (args: never) => Promise<never>, context: { readonly commandName?: string }) => (args: never) => Promise<never>,
      options: { readonly step: 'finalizeRequest'; readonly priority: 'low'; readonly name: string },
    ): void;
  };
}

export interface Timer {
  /** Milliseconds since an arbitrary moment; never set back. */
  readonly elapsed: () => number;
  /** @param ms milliseconds */
  readonly wait: (ms: number) => Promise<void>;
}

const TIMER: Timer = { elapsed: () => performance.now(), wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)) };

/** Makes every call of a client, and every retry of a call, wait for its turn. @param timer @default the process's timers */
export function paced<Client>(client: Client, rates: CallRates, timer: Timer = TIMER): Client {
  const turns = new Map<string, number>();
  const { middlewareStack } = client as PaceableClient;
  middlewareStack.add(
    (next, { commandName = '' }) =>
      async (args) => {
        const operation = commandName.replace(/Command$/, '');
        const own = rates.perOperation?.[operation];
        const queue = own === undefined ? '' : operation;
        const now = timer.elapsed();
        const turn = Math.max(now, turns.get(queue) ?? 0);
        turns.set(queue, turn + 1_000 / (own ?? rates.others));
        if (turn > now) await timer.wait(turn - now);
        return next(args);
      },
    // Runs after the middleware that retries calls.
    { step: 'finalizeRequest', priority: 'low', name: 'pace' },
  );
  return client;
}
