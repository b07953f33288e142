// An owner's Verify, from the click to the live domain: alone, and alongside 200 domains of other owners, whose name servers are silent.

import type { Question } from 'dns-packet';
import { createSqliteEdgeMap } from '../adapters/edge/sqlite-edge.ts';
import { verifyDomain } from '../core/domains/actions.ts';
import { parseSettings } from '../platforms/embedded/settings.ts';
import { freeDnsPort } from '../test/support/ports.ts';
import { startServerProcess } from '../test/support/processes.ts';
import { type Reply, type Script, type ScriptedDns, startScriptedDns } from '../test/support/scripted-dns.ts';
import { alternate, bar, ratio, report, sized } from './measure.ts';
import { type DomainsFolder, makeDomainsFolder } from './seed-domains.ts';

const SILENT = sized(200, 5);
const EDGE_NAME = 'edge.bench.dev';
/** Polling interval for the state, in milliseconds. */
const POLL_MS = 10;
/** How long to wait until silent domains occupy all their slots, in milliseconds. */
const SETTLE_MS = sized(5_000, 300);
const GIVE_UP_MS = 60_000;
/** The service's polling interval, and how much later within it each click happens, in milliseconds. */
const ROUND_MS = 250;
const STEP_MS = 97;

/** Zones `silentN.dev` have a silent name server; zones `honestN.dev` have one with their record. */
const resolver: Script = ({ name, type }) => {
  const zone = /(?:^|\.)((?:silent|honest)\d+\.dev)$/.exec(name)?.[1];
  if (zone === undefined) return {};
  if (type === 'NS' && name === zone) return reply('NS', name, `ns.${zone}`);
  if (type === 'A' && name === `ns.${zone}`) return reply('A', name, zone.startsWith('silent') ? '127.0.0.2' : '127.0.0.1');
  return recordOf({ name, type });
};

const recordOf = ({ name, type }: Pick<Question, 'name' | 'type'>): Reply =>
  type === 'CNAME' && name.startsWith('www.honest') ? reply('CNAME', name, `honest.${EDGE_NAME}`) : {};

function reply(type: 'A' | 'NS' | 'CNAME', name: string, data: string): Reply {
  return { answers: [{ type, name, ttl: 60, data }] };
}

/** Measures Verify alone and alongside silent domains, and prints the results. */
export async function benchVerify(rounds: number): Promise<void> {
  const port = await freeDnsPort();
  const servers: readonly ScriptedDns[] = await Promise.all([
    startScriptedDns(resolver),
    startScriptedDns(recordOf, '127.0.0.1', port),
    startScriptedDns(() => undefined, '127.0.0.2', port),
  ]);
  const settings = {
    PETSTORE_DNS_SERVERS: `127.0.0.1:${servers[0]?.port}`,
    PETSTORE_DNS_PORT: String(port),
    PETSTORE_DNS_PRIVATE_NETWORKS: 'on',
    PETSTORE_EDGE_NAME: EDGE_NAME,
  };
  const services = [];
  try {
    for (const silent of [0, SILENT]) services.push(await startService(settings, silent, rounds));
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
    const [alone, beside] = await alternate(
      services.map(({ silent, verify }) => ({ name: silent === 0 ? 'alone' : `alongside ${silent} silent domains`, run: verify })),
      rounds,
    );
    report(
      'Verify, from the click to the live domain',
      'ms',
      [alone, beside].filter((each) => each !== undefined),
    );
    bar("Verify alongside other owners' silent domains compared with alone", ratio(beside, alone), 'at most', 2);
  } finally {
    for (const { folder, service } of services) {
      await service.stop('SIGKILL');
      folder.remove();
    }
    for (const server of servers) await server.stop();
  }
}

async function startService(settings: Readonly<Record<string, string>>, silent: number, rounds: number) {
  const folder = makeDomainsFolder();
  const now = Date.now();
  for (let n = 0; n < silent; n += 1) {
    // The first check found these domains silent, so they back off.
    const state = { name: 'verifying', diagnosis: undefined, since: now, checks: 1, nextCheckAt: now } as const;
    await folder.addDomain(await folder.addProject(`silent${n}`), `www.silent${n}.dev`, state);
  }
  const owner = await folder.addProject('honest');
  for (let n = 0; n < rounds; n += 1) await folder.addDomain(owner, `www.honest${n}.dev`, { name: 'awaiting_dns', since: now });
  const service = await startServerProcess(folder.path, { ...settings, NODE_ENV: 'production' });
  let next = 0;
  const verify = async () => {
    // Not in step with the service's own rounds.
    await new Promise((resolve) => setTimeout(resolve, (next * STEP_MS) % ROUND_MS));
    next += 1;
    return timeToLive(folder, settings, `www.honest${next - 1}.dev`);
  };
  return { folder, service, silent, verify };
}

/** @returns milliseconds */
async function timeToLive({ stores }: DomainsFolder, given: Readonly<Record<string, string>>, host: string): Promise<number> {
  const parsed = parseSettings(given);
  if (!parsed.ok) throw new Error(parsed.problems.join('\n'));
  const platform = { ...stores, edge: createSqliteEdgeMap(stores.database), workflow: { start: async () => {} } };
  const [domain] = await stores.domains.claimsOf(host);
  if (domain === undefined) throw new Error(`${host} is missing`);
  const started = performance.now();
  const verified = await verifyDomain(platform, domain, Date.now());
  if (!verified.ok) throw new Error(verified.message);
  for (;;) {
    const state = (await stores.domains.getDomain(domain.id))?.state;
    if (state?.name === 'live') return performance.now() - started;
    if (performance.now() - started > GIVE_UP_MS) throw new Error(`${host} did not go live: ${JSON.stringify(state)}`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
