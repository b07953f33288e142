// A project's redirects: where requests for a host are sent.

/** Permanent and temporary redirects, each with a status that keeps the method (RFC 9110, section 15.4). */
export const REDIRECT_STATUSES = [301, 302, 307, 308] as const;

export type RedirectStatus = (typeof REDIRECT_STATUSES)[number];

export interface Redirect {
  readonly from: string;
  readonly to: string;
  readonly status: RedirectStatus;
}

/** Returns a host's redirect; until its target is served, the host serves the pages itself. For CloudFront, see adapters/edge/viewer-request.js. */
export function redirectFrom(host: string, redirects: readonly Redirect[]): Redirect | undefined {
  return redirects.find(({ from }) => from === host);
}

/**
 * Validates a project's redirects.
 *
 * @param redirects with names in their stored form
 * @param domains the project's names, in any state
 * @param live names that are served now
 * @param stored redirects that were accepted earlier, and remain accepted whatever has happened to their names
 * @returns one line per fault; empty if all are valid
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
    if (targets.has(from)) problems.push(`${at}.from: got ${from}, which is already redirected; allowed: each domain once`);
    targets.set(from, to);
    const isStored = stored.some((each) => each.from === from && each.to === to);
    if (!isStored && !domains.has(from)) problems.push(`${at}.from: got ${from}; allowed: a domain of this project, add it first`);
    if (from === to) problems.push(`${at}.to: got ${to}, the domain itself; allowed: another domain of this project`);
    else if (!isStored && !live.has(to)) problems.push(`${at}.to: got ${to}; allowed: a live domain of this project`);
  }
  for (const from of targets.keys()) {
    const cycle = cycleFrom(from, targets);
    // Each loop is reported once, for its first name in alphabetical order.
    if (cycle !== undefined && cycle.length > 1 && from === cycle.toSorted()[0]) {
      problems.push(`domains.redirects: ${[...cycle, from].join(' → ')} form a loop; allowed: redirects without loops`);
    }
  }
  return problems;
}

/** Returns the names in the loop that contains this name; undefined if the path ends, or leads into another loop. */
function cycleFrom(start: string, targets: ReadonlyMap<string, string>): readonly string[] | undefined {
  const way = [start];
  for (let next = targets.get(start); next !== undefined; next = targets.get(next)) {
    if (next === start) return way;
    if (way.includes(next)) return undefined;
    way.push(next);
  }
  return undefined;
}
