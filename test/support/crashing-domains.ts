// The domain work of the embedded service in a process of its own, which kills itself with signal 9 around the n-th state that it
// stores: `before` (the step has done its work outside, nothing is stored) or `after`. Arguments: n, before or after. Ends with 0 when
// nothing is left to do.

import { openSqliteStores } from '../../adapters/store/sqlite/stores.ts';
import { wakeAt } from '../../core/domains/wake.ts';
import type { DomainStore } from '../../core/ports.ts';
import { startDomains } from '../../local/domains.ts';
import { parseSettings } from '../../local/settings.ts';

const [count = '0', moment = 'before'] = process.argv.slice(2);
const parsed = parseSettings(process.env);
if (!parsed.ok) throw new Error(parsed.problems.join('\n'));
const stores = openSqliteStores(parsed.settings.dataFolder);
let left = Number(count);

const die = () => process.kill(process.pid, 'SIGKILL');
const saveDomain: DomainStore['saveDomain'] = async (next, read) => {
  left -= 1;
  if (left === 0 && moment === 'before') die();
  const saved = await stores.domains.saveDomain(next, read);
  if (left === 0) die();
  return saved;
};

const running = await startDomains({ ...stores, domains: { ...stores.domains, saveDomain } }, parsed.settings, console, (error) => {
  console.error(error);
  process.exitCode = 1;
});
// Live domains want to be looked at tomorrow; anything sooner is on its way.
const atWork = async () => {
  const domains = await stores.domains.dueDomains(Date.now() + 3_600_000, 10);
  return domains.some(({ state }) => wakeAt(state) !== undefined);
};
while (await atWork()) await new Promise((resolve) => setTimeout(resolve, 20));
await running.stop();
stores.close();
