// Runs the embedded service's domain work in a separate process, which kills itself with signal 9 around the n-th state that it stores: `before`
// (the step has done its external work, but nothing is stored) or `after`. Arguments: n, then before or after. Exits with 0 when nothing is left to
// do.

import type { DomainStore } from '../../core/domains/ports.ts';
import { nextCheckAt } from '../../core/domains/states.ts';
import { startDomains } from '../../platforms/embedded/domains.ts';
import { openDataFolder } from '../../platforms/embedded/folder.ts';
import { parseSettings } from '../../platforms/embedded/settings.ts';
import { startDomainTimers } from '../../service/workflow/timers.ts';

const [count = '0', moment = 'before'] = process.argv.slice(2);
const parsed = parseSettings(process.env);
if (!parsed.ok) throw new Error(parsed.problems.join('\n'));
const folder = openDataFolder(parsed.settings);
let left = Number(count);

const die = () => process.kill(process.pid, 'SIGKILL');
const saveDomain: DomainStore['saveDomain'] = async (next, read) => {
  left -= 1;
  if (left === 0 && moment === 'before') die();
  const saved = await folder.domains.saveDomain(next, read);
  if (left === 0) die();
  return saved;
};

const onFault = (error: unknown) => {
  console.error(error);
  process.exitCode = 1;
};
const running = await startDomains(
  { ...folder, domains: { ...folder.domains, saveDomain } },
  { adopt: () => {}, warn: console.warn, onFault, clock: Date.now, visitClock: Date.now },
);
const timers = startDomainTimers(running.work, onFault);
// Checks of live domains are due tomorrow; anything due sooner is in progress.
const atWork = async () => {
  const { items: domains } = await folder.domains.dueDomains(Date.now() + 3_600_000, 10);
  return domains.some(({ state }) => nextCheckAt(state) !== undefined);
};
while (await atWork()) await new Promise((resolve) => setTimeout(resolve, 20));
await timers.stop();
await running.stop();
folder.close();
