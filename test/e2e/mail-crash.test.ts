// The service is killed with signal 9 around every step from a change to the message about it. Each member gets each message once. A message can only
// come twice if the process dies between the server's acceptance and the record of it, and then both have the same id.

import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cpSync } from 'node:fs';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createSqliteUserStore } from '../../adapters/identity/sqlite-users.ts';
import { setOutboxOpen } from '../../adapters/store/sqlite/outbox.ts';
import { openSqliteStores } from '../../adapters/store/sqlite/stores.ts';
import { type Domain, newDomain } from '../../core/domains/domain.ts';
import { makeProject } from '../../testing/projects.ts';
import { NOON, sampleAccount, sampleKey } from '../../testing/samples.ts';
import { makeFolder, testFolder } from '../support/folders.ts';
import { runScript } from '../support/processes.ts';
import { type Behavior, startSmtpServer, type TestSmtpServer } from '../support/smtp.ts';

const MEMBERS = ['ann@example.com', 'bob@example.com'];
const SUBJECTS = ['www.killed.dev is live', 'The daily quota is used up'];
/** Messages to two members about two events. */
const EXPECTED = MEMBERS.flatMap((to) => SUBJECTS.map((subject) => `${to}: ${subject}`)).toSorted();
const LATER = NOON + 3_600_000;

/** An account with two members, a domain that is about to be live, and a quota that is used up. */
let prepared: { readonly folder: string; readonly domainId: string };

beforeAll(async () => {
  const { path: folder, remove } = makeFolder();
  const stores = openSqliteStores(folder);
  await setOutboxOpen(stores.database, true);
  const account = sampleAccount({ perMinute: 1, perDay: 1 });
  await stores.accounts.createAccount(account);
  const { text: _, ...key } = sampleKey(account.id);
  await stores.accounts.addKey(key, 10, NOON);
  await stores.usage.admit({ accountId: account.id, digest: key.digest }, NOON);
  const project = await makeProject(stores, { accountId: account.id });
  const users = createSqliteUserStore(stores.database);
  for (const email of MEMBERS) {
    await users.add({ id: `usr_${email.slice(0, 3)}`, email }, 'a password that is long');
    await stores.members.addMember(account.id, `usr_${email.slice(0, 3)}`, 'owner');
  }
  const added = newDomain({ id: 'dom_killed', host: 'www.killed.dev', projectId: project.id, accountId: account.id }, NOON);
  const domain: Domain = { ...added, state: { name: 'attaching', certificate: 'c', since: NOON, checks: 0, nextCheckAt: NOON } };
  await stores.domains.addDomain(added);
  await stores.domains.saveDomain(domain, added);
  stores.close();
  prepared = { folder, domainId: domain.id };
  return remove;
});

function preparedFolder(): string {
  const folder = testFolder();
  cpSync(prepared.folder, folder, { recursive: true });
  return folder;
}

const run = (
  folder: string,
  { port }: TestSmtpServer,
  {
    count = 0,
    moment = '',
    now = LATER,
    onStart = () => {},
  }: { count?: number; moment?: string; now?: number; onStart?: (child: ChildProcess) => void },
) =>
  runScript(
    'crashing-mail.ts',
    folder,
    [String(count), moment, String(now), prepared.domainId],
    {
      PETSTORE_SMTP_URL: `smtp://127.0.0.1:${port}`,
      PETSTORE_MAIL_FROM: 'no-reply@pets.example.com',
    },
    onStart,
  );

/** What receivers see that recognize a message by its id. */
function seen({ mails }: TestSmtpServer): readonly string[] {
  return [...new Map(mails.map(({ id, to, subject }) => [id, `${to}: ${subject}`])).values()].toSorted();
}

async function start(): Promise<TestSmtpServer> {
  const server = await startSmtpServer();
  onTestFinished(server.stop);
  return server;
}

describe('messages of a service that is killed', () => {
  test.each(['before', 'after'])('%s each step', async (moment) => {
    let kills = 0;
    let repeated = 0;
    for (let count = 1; ; count += 1) {
      const [folder, server] = [preparedFolder(), await start()];
      const ended = await run(folder, server, { count, moment, now: NOON });
      if (ended === 0) {
        expect(server.mails).toHaveLength(EXPECTED.length);
        break;
      }
      expect(ended).toBe('SIGKILL');
      kills += 1;
      expect(await run(folder, server, {})).toBe(0);
      expect(seen(server), `killed ${moment} ${count}`).toEqual(EXPECTED);
      const more = server.mails.length - EXPECTED.length;
      expect(more).toBeLessThanOrEqual(1);
      repeated += more;
    }
    // The change and the survey; then, for each of both: claim, first sending, two messages and their records, end.
    expect(kills).toBe(2 + 2 * (2 + 2 * 2 + 1));
    // Once for each message: after it was accepted and before that was recorded.
    expect(repeated).toBe(EXPECTED.length);
  });

  const gone = async () => {
    throw new Error('the client is gone');
  };
  test.each<[string, (kill: () => Promise<void>) => Behavior, number]>([
    ['while it connects', (kill) => ({ connect: kill }), 0],
    ['after it has named the recipient', (kill) => ({ recipient: kill }), 0],
    ['after all content was sent, which the server then refuses', (kill) => ({ content: () => kill().then(gone) }), 0],
    ['after all content was sent, which the server accepts all the same', (kill) => ({ content: kill }), 1],
  ])('%s', async (_, behavior, repeated) => {
    const [folder, server] = [preparedFolder(), await start()];
    let child: ChildProcess | undefined;
    const kill = async () => {
      server.behave({});
      const end = child && once(child, 'close');
      child?.kill('SIGKILL');
      await end;
    };
    server.behave(behavior(kill));
    const ended = await run(folder, server, {
      now: NOON,
      onStart: (started) => {
        child = started;
      },
    });
    expect(ended).toBe('SIGKILL');
    expect(await run(folder, server, {})).toBe(0);
    expect(seen(server)).toEqual(EXPECTED);
    expect(server.mails).toHaveLength(EXPECTED.length + repeated);
  });
});
