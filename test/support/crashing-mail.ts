// Makes a domain live, finds a quota that is used up, and sends the messages about both, in a separate process, which kills itself with signal 9 around
// the n-th step: `before` or `after`. Arguments: n, then before or after, then the time, in milliseconds since 1970. Exits with 0 when nothing is left
// to do.

import { randomBytes } from 'node:crypto';
import type { Domain } from '../../core/domains/domain.ts';
import { transition } from '../../core/domains/lifecycle.ts';
import { openDataFolder } from '../../platforms/embedded/folder.ts';
import { createEmbeddedMail } from '../../platforms/embedded/mail.ts';
import { parseSettings } from '../../platforms/embedded/settings.ts';
import { deliver, newMailServerState } from '../../service/notifications/deliver.ts';
import { surveyUsage } from '../../service/notifications/timers.ts';

const [count = '0', moment = 'before', time = '0', domainId = ''] = process.argv.slice(2);
const parsed = parseSettings(process.env);
if (!parsed.ok) throw new Error(parsed.problems.join('\n'));
const folder = openDataFolder(parsed.settings);
let now = Number(time);
const mail = await createEmbeddedMail(folder, () => now);
if (mail === undefined) throw new Error('no mail server');
let left = Number(count);

/** The port, with the process killed around the n-th call of these methods. */
function dying<Port extends object>(port: Port, methods: readonly (keyof Port)[]): Port {
  const die = () => process.kill(process.pid, 'SIGKILL');
  const wrapped = methods.map((method) => [
    method,
    async (...args: unknown[]) => {
      left -= 1;
      if (left === 0 && moment === 'before') die();
      const result = await (port[method] as (...args: unknown[]) => unknown)(...args);
      if (left === 0) die();
      return result;
    },
  ]);
  return { ...port, ...Object.fromEntries(wrapped) };
}

const outbox = dying(folder.outbox, ['add', 'claim', 'markSent', 'markDone', 'postpone', 'finish']);
const domains = dying(folder.domains, ['saveDomain']);
const domain = (await folder.domains.getDomain(domainId)) as Domain;
const moved = transition(domain, { kind: 'edge_checked', serving: true, generation: domain.generation }, now);
if (moved.kind === 'moved') await domains.saveDomain(moved.domain, domain);
await surveyUsage({ ...folder, outbox }, now);
const work = {
  ...folder,
  outbox,
  mailer: dying(mail.mailer, ['send']),
  addresses: mail.addresses,
  settings: folder.notificationSettings,
  dashboard: 'https://pets.example.com',
  randomBytes,
  clock: () => now,
  accepted: new Set<string>(),
  server: newMailServerState(),
  warn: console.warn,
};
const onFault = (error: unknown) => {
  console.error(error);
  process.exitCode = 1;
};
const isLeft = async () => (await folder.outbox.ofAccount(domain.accountId)).some(({ finished }) => !finished);
while (await isLeft()) {
  await deliver(work, onFault);
  now += 60_000;
}
folder.close();
