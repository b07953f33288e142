// Compares what the edge serves with the domains, and examines its certificates.

import type { DatabaseSync } from 'node:sqlite';
import { isUsable } from '../../../adapters/certificates/acme-orders.ts';
import { PLANS_WITH_DOMAINS } from '../../../core/access/plans.ts';
import { isAtEdge } from '../../../core/domains/publication.ts';
import { DOMAIN_STATE_NAMES, isServed } from '../../../core/domains/states.ts';
import { DAY_MS } from '../../../core/limits/windows.ts';
import { about, type Finding, ok, problem, type Remedy, warning } from './finding.ts';

/** A certificate is renewed when a third of its lifetime is left, so with fewer days left than this, renewal is late. */
const LATE_DAYS = 7;
/** Maximum number of domains that an examination names, because each check needs a DNS lookup; the next examination names others. */
const VERIFIED_AT_ONCE = 3;

const quotedNames = (names: readonly string[]) => names.map((name) => `'${name}'`).join(', ');
const SERVED = quotedNames(DOMAIN_STATE_NAMES.filter((name) => isServed({ name })));
const AT_EDGE = quotedNames(DOMAIN_STATE_NAMES.filter((name) => isAtEdge({ name })));

/** Checks whether the edge serves all domains that it should, and no others. */
export function examineEdge(database: DatabaseSync, { restore }: Remedy): readonly Finding[] {
  // If an adapter stores the accounts, this database has none.
  const missing = hostsOf(
    database,
    `SELECT host FROM domains JOIN projects ON projects.id = domains.project_id LEFT JOIN accounts ON accounts.id = projects.account_id
     WHERE active_host IS NOT NULL AND body ->> '$.state.name' IN (${SERVED}) AND projects.deleted_at IS NULL AND current_deployment_id IS NOT NULL
       AND accounts.suspension IS NULL AND accounts.deleted_at IS NULL AND (accounts.id IS NULL OR accounts.plan IN (${quotedNames(PLANS_WITH_DOMAINS)}))
       AND NOT EXISTS (SELECT 1 FROM edge_map WHERE edge_map.host = domains.host AND edge_map.project_id = domains.project_id)`,
  );
  const claims = 'SELECT 1 FROM domains WHERE domains.host = edge_map.host AND domains.project_id = edge_map.project_id';
  const ended = hostsOf(
    database,
    `SELECT host FROM edge_map WHERE EXISTS (${claims}) AND NOT EXISTS (${claims} AND active_host IS NOT NULL AND body ->> '$.state.name' IN (${AT_EDGE}))`,
  );
  const unknown = hostsOf(database, `SELECT host FROM edge_map WHERE NOT EXISTS (${claims})`);
  const findings = [
    ...about(missing, String, (hosts) => problem('edge', `it lacks live domains: ${hosts}`, verifying(missing))),
    ...about(ended, String, (hosts) =>
      problem('edge', `it serves domains that were removed: ${hosts}`, 'restart the service, which stops serving them when it starts'),
    ),
    ...about(unknown, String, (hosts) => problem('edge', `it serves domains whose rows are lost: ${hosts}`, restore)),
  ];
  return findings.length > 0 ? findings : [ok('edge', 'it serves all live domains, and no others')];
}

function hostsOf(database: DatabaseSync, sql: string): readonly string[] {
  return database
    .prepare(`${sql} ORDER BY host`)
    .all()
    .map(({ host }) => String(host));
}

/** Returns advice to check domains, which also repairs their entries at the edge, and renews expired or damaged certificates. */
function verifying(hosts: readonly string[]): string {
  const commands = hosts.slice(0, VERIFIED_AT_ONCE).map((host) => `petstore domains verify ${host}`);
  const more = hosts.length > VERIFIED_AT_ONCE ? ' (the next examination names the others)' : '';
  return `start the service if it is stopped; then${more} run: ${commands.join('; ')}`;
}

/** Checks whether the certificates of served hosts can be used. @param now milliseconds since 1970 */
export function examineCertificates(database: DatabaseSync, now: number): readonly Finding[] {
  const rows = database
    .prepare(
      `SELECT edge_map.host AS host, chain, private_key, not_after, max(body ->> '$.lastFailure.attempts') AS attempts FROM edge_map
       JOIN domains ON active_host = edge_map.host AND domains.project_id = edge_map.project_id
       LEFT JOIN certificates ON certificates.reference = edge_map.certificate GROUP BY edge_map.host ORDER BY edge_map.host`,
    )
    .iterate()
    .map(({ host, chain, private_key, not_after, attempts }) => {
      const days = not_after === null ? Number.NaN : (Number(not_after) - now) / DAY_MS;
      const isDamaged = !isUsable({ host: String(host), chain: String(chain), privateKey: String(private_key) });
      return { host: String(host), days, isDamaged, hasFailed: attempts !== null };
    })
    .toArray();
  const dead = rows.filter(({ days, isDamaged }) => !(days > 0) || isDamaged);
  const failing = dead.filter(({ hasFailed }) => hasFailed);
  const due = dead.filter(({ hasFailed }) => !hasFailed);
  const late = rows.filter((row) => !dead.includes(row) && row.days < LATE_DAYS);
  const why = ({ days, isDamaged }: (typeof rows)[number]) => (Number.isNaN(days) ? 'missing' : isDamaged ? 'damaged' : 'expired');
  const findings = [
    ...about(failing, hostOf, (hosts) => problem('certificates', `no valid one for ${hosts}: attempts to get one fail`, whyNot(failing))),
    ...about(
      due,
      (row) => `${row.host} (${why(row)})`,
      (hosts) => problem('certificates', `no valid one for ${hosts}`, verifying(due.map(hostOf))),
    ),
    ...about(late, hostOf, (hosts) => warning('certificates', `less than ${LATE_DAYS} days left for ${hosts}`, whyNot(late))),
  ];
  return findings.length > 0 ? findings : [ok('certificates', `${rows.length} hosts have valid ones`)];
}

const hostOf = ({ host }: { readonly host: string }) => host;

function whyNot([row]: readonly { readonly host: string }[]): string {
  return `petstore domains show ${row?.host} says why, and when the next attempt is made`;
}
