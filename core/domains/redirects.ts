// Redirect domains of a project: where a request for one host is sent.

/** Permanent and temporary, with and without keeping the method (RFC 9110, section 15.4). */
export const REDIRECT_STATUSES = [301, 302, 307, 308] as const;

export type RedirectStatus = (typeof REDIRECT_STATUSES)[number];

export interface Redirect {
  readonly from: string;
  readonly to: string;
  readonly status: RedirectStatus;
}

/**
 * Where visitors of a host are sent. To nowhere that is not served: until it is, the host serves the pages itself. What CloudFront does is
 * adapters/edge/viewer-request.js.
 */
export function redirectFrom(host: string, redirects: readonly Redirect[], isServed: (host: string) => boolean): Redirect | undefined {
  const redirect = redirects.find(({ from }) => from === host);
  return redirect !== undefined && isServed(redirect.to) ? redirect : undefined;
}

/**
 * What is wrong with a project's redirects.
 *
 * @param redirects names in their stored form
 * @param domains names that the project has, whatever their state
 * @param live those of them that are served now
 * @param stored redirects that were accepted once: they stay so, whatever has become of their names
 * @returns one line a fault; none if they are good
 */
export function redirectProblems(
  redirects: readonly Redirect[],
  domains: ReadonlySet<string>,
  live: ReadonlySet<string>,
  stored: readonly Redirect[] = [],
): readonly string[] {
  const problems: string[] = [];
  const targets = new Map<string, string>();
  for (const [index, { from, to }] of redirects.entries()) {
    const at = `domains.redirects[${index}]`;
    if (targets.has(from)) problems.push(`${at}.from: got ${from}, which is redirected already; allowed: each domain once`);
    targets.set(from, to);
    const isStored = stored.some((each) => each.from === from && each.to === to);
    if (!isStored && !domains.has(from)) problems.push(`${at}.from: got ${from}; allowed: a domain of this project, add it first`);
    if (from === to) problems.push(`${at}.to: got ${to}, the domain itself; allowed: another domain of this project`);
    else if (!isStored && !live.has(to)) problems.push(`${at}.to: got ${to}; allowed: a domain of this project that is live`);
  }
  for (const from of targets.keys()) {
    const cycle = cycleFrom(from, targets);
    // Each cycle is told once, at its first name in order.
    if (cycle !== undefined && cycle.length > 1 && from === cycle.toSorted()[0]) {
      problems.push(`domains.redirects: ${[...cycle, from].join(' → ')} goes round in a circle; allowed: redirects that end`);
    }
  }
  return problems;
}

/** The names from here back to here; undefined if the way ends, or ends up in another circle. */
function cycleFrom(start: string, targets: ReadonlyMap<string, string>): readonly string[] | undefined {
  const way = [start];
  for (let next = targets.get(start); next !== undefined; next = targets.get(next)) {
    if (next === start) return way;
    if (way.includes(next)) return undefined;
    way.push(next);
  }
  return undefined;
}
