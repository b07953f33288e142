// Days of an installation on one machine, by a simulated clock: everything that adds a row or a file happens each day, and the sweeps run as the
// timers would run them. A test and a benchmark ask what is left after many days.

import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { AdapterPayload } from 'oidc-provider';
import { createSqliteAcmeOrders, createSqliteVault } from '../../adapters/certificates/acme-orders.ts';
import { createOidcStorage, DASHBOARD } from '../../adapters/identity/oidc-storage.ts';
import { createSqliteProviderStore } from '../../adapters/identity/sqlite-provider.ts';
import { createSqliteSessions } from '../../adapters/identity/sqlite-sessions.ts';
import { OPERATOR } from '../../core/access/account.ts';
import { deleteAccount, suspendAccount } from '../../core/access/account-ends.ts';
import { createAccount } from '../../core/access/accounts.ts';
import { createDeployToken } from '../../core/access/deploy-tokens.ts';
import { issueKey, revokeKey, rotateKey } from '../../core/access/keys.ts';
import { newDomain } from '../../core/domains/domain.ts';
import { TOMBSTONE_MS } from '../../core/domains/schedule.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../core/limits/windows.ts';
import { memberAdded } from '../../core/notifications/notification.ts';
import { IMPORT_KEPT_MS } from '../../core/pets/ports.ts';
import { createProject, deleteProject } from '../../core/projects/actions.ts';
import type { Project } from '../../core/projects/project.ts';
import { beginUpload, publishUpload } from '../../core/projects/uploads.ts';
import type { ActionResult } from '../../core/refusal.ts';
import { sweepsOf } from '../../local/background.ts';
import { type DataFolder, openDataFolder } from '../../platforms/embedded/folder.ts';
import { parseSettings } from '../../platforms/embedded/settings.ts';
import { NOON, sampleAccount, samplePet } from '../../testing/samples.ts';

/** What happens on a day, besides one or a few of everything else. */
export interface DayLoad {
  /** Requests that create an animal, each with an idempotency key. */
  readonly requests: number;
  /** Lines of the day's new file that is imported; the same again are those of a file that is imported every day. */
  readonly lines: number;
  readonly deployments: number;
}

/** What there is. */
export interface Measured {
  /** By table. */
  readonly rows: Readonly<Record<string, number>>;
  /** Bytes of the database's pages in use. */
  readonly used: number;
  /** Bytes of the audit log, with its index, in them. */
  readonly audit: number;
  /** Bytes of the database's file, with the log in it. */
  readonly database: number;
  /** Bytes of everything in the folder. */
  readonly folder: number;
}

export interface SimulatedDays {
  /** Everything that happens on the next day. */
  live(): Promise<void>;
  /** The sweeps at the end of the day. */
  sweep(): Promise<void>;
  measure(): Measured;
  close(): void | Promise<void>;
}

const HOUR_SECONDS = 3_600;

/** Begins with a folder that has an account, a project and a user. @param path an empty folder */
export async function simulateDays(path: string, load: DayLoad): Promise<SimulatedDays> {
  const parsed = parseSettings({ PETSTORE_DATA: path });
  if (!parsed.ok) throw new Error(parsed.problems.join());
  let day = 0;
  const at = (ms = 0) => NOON + day * DAY_MS + ms;
  const folder = openDataFolder(parsed.settings, undefined, { clock: at });
  await folder.setOutboxOpen(true);
  const { database } = folder;
  const account = { ...sampleAccount({ perMinute: 1_000_000, perDay: 1_000_000 }), plan: 'enterprise' as const };
  await folder.accounts.createAccount(account);
  const main = await projectIn(folder, account.id, NOON);
  let pets = 0;
  const sessions = createSqliteSessions(database, { dashboard: DASHBOARD, clock: () => at() });
  const oidc = createOidcStorage(
    createSqliteProviderStore(database),
    { sessionGeneration: () => '0' },
    {
      sender: () => ({ addressGroup: '192.0.2.0', agent: 'Firefox', browser: 'a' }),
      isEnded: sessions.isEnded,
      endGrant: sessions.endGrant,
      clock: () => at(),
    },
  );
  const vault = createSqliteVault(database);
  const orders = createSqliteAcmeOrders(database);

  async function request(): Promise<void> {
    const { record } = expectOk(
      await issueKey(folder.accounts, randomBytes, {
        ...{ mode: 'test', accountId: account.id, name: 'Day', scopes: ['pets:read'], by: OPERATOR, expiresAt: at(7 * DAY_MS), now: at() },
      }),
    );
    const revoked = expectOk(
      await rotateKey(folder.accounts, randomBytes, { mode: 'test', keyId: record.id, graceMs: HOUR_MS, by: OPERATOR, now: at() }),
    );
    for (let n = 0; n < load.requests; n += 1)
      await folder.usage.admit({ accountId: account.id, digest: record.digest }, at(Math.floor((n * (HOUR_MS - MINUTE_MS)) / load.requests)));
    await folder.usage.countRefusals(account.id, 1, at());
    expectOk(await revokeKey(folder.accounts, revoked.record.id, { at: at(), by: OPERATOR }));
    const creations = Array.from({ length: load.requests }, (_, n) => ({
      pet: newPet(),
      idempotency: { owner: account.id, key: `${day}-${n}`, fingerprint: 'f'.repeat(43), expiresAt: at(DAY_MS) },
    }));
    await folder.pets.createAll(creations, at());
    for (const owner of [`import#animals-${day}.jsonl`, 'import#animals.jsonl'])
      await folder.pets.createAll(
        Array.from({ length: load.lines }, (_, n) => ({
          pet: newPet(),
          idempotency: {
            owner,
            key: `${createHash('sha256').update(String(n)).digest('base64url').slice(0, 27)}#0`,
            fingerprint: 'f',
            expiresAt: at(IMPORT_KEPT_MS),
            renewable: true,
          },
        })),
        at(),
      );
    // Animals stay for ever, by design, so this test removes them: all but those that an import may be asked for again.
    database.exec('DELETE FROM pets WHERE id NOT IN (SELECT pet_id FROM imported_lines)');
  }

  const newPet = () => {
    pets += 1;
    return samplePet(pets);
  };

  async function publish(project: Project): Promise<void> {
    for (let n = 0; n < load.deployments; n += 1) expectOk(await publishUpload(folder, project, await upload(project), at(n * MINUTE_MS)));
    // Given up.
    await upload(project);
    const other = await projectIn(folder, account.id, at());
    expectOk(await publishUpload(folder, other, await upload(other), at()));
    expectOk(
      await createDeployToken(folder.deployTokens, randomBytes, { projectId: other.id, name: 'CI', createdBy: 'usr_1', lifetimeDays: 1, now: at() }),
    );
    expectOk(await deleteProject(folder, other, at()));
    expectOk(
      await createDeployToken(folder.deployTokens, randomBytes, { projectId: main.id, name: 'CI', createdBy: 'usr_1', lifetimeDays: 1, now: at() }),
    );
  }

  async function upload(project: Project): Promise<string> {
    const content = Buffer.from(`<h1>${day}</h1>`);
    const file = { name: 'index.html', bytes: content.length, sha256: createHash('sha256').update(content).digest('hex') };
    const begun = expectOk(await beginUpload(folder, project, [file], randomBytes, at()));
    const { deploymentId } = begun.upload;
    if ((await folder.uploads.receive({ projectId: project.id, id: deploymentId }, 0, Readable.from([content]))) !== 'stored')
      throw new Error('not stored');
    return deploymentId;
  }

  async function domains(): Promise<void> {
    const host = `www.day-${day}.dev`;
    const domain = newDomain({ id: `dom_${day}`, host, projectId: main.id, accountId: account.id }, at());
    await folder.domains.addDomain(domain);
    const reference = `${domain.id}-0`;
    orders.keep({ reference, host, privateKey: 'key', url: undefined, replaces: undefined, failure: undefined });
    orders.keepChallenge(host, 'token', 'answer');
    orders.recordFailure({ reference, host }, at());
    orders.forget(reference);
    vault.put(reference, { host, chain: 'chain', privateKey: 'key', notBefore: at(), notAfter: at(90 * DAY_MS), authority: undefined });
    vault.keep(domain.id);
    vault.deleteAll(domain.id, undefined);
    await folder.domains.saveDomain({ ...domain, state: { name: 'removed', since: at(), until: at(TOMBSTONE_MS) } }, domain);
  }

  /** An account that comes and goes, with a project and a user. */
  async function accounts(): Promise<void> {
    const { account: brief } = expectOk(await createAccount(folder, { name: 'Brief', plan: 'pro', owner: 'usr_brief' }, randomBytes, at()));
    const fields = { mode: 'test', accountId: brief.id, name: 'Day', scopes: ['pets:read'], by: OPERATOR, expiresAt: undefined } as const;
    const { record } = expectOk(await issueKey(folder.accounts, randomBytes, { ...fields, now: at() }));
    await folder.usage.admit({ accountId: brief.id, digest: record.digest }, at());
    const project = await projectIn(folder, brief.id, at());
    expectOk(await suspendAccount({ accounts: folder.accounts, serving: folder }, brief.id, 'unpaid', at()));
    expectOk(await deleteProject(folder, project, at()));
    expectOk(await deleteAccount({ ...folder, sandbox: undefined }, brief.id, at()));
  }

  async function people(): Promise<void> {
    for (const client of [DASHBOARD, 'other']) {
      const grantId = `grant-${day}-${client}`;
      const payload = { accountId: 'usr_1', clientId: client, grantId, acr: '0', iat: at() / 1_000 } as AdapterPayload;
      await oidc('Grant').upsert(grantId, payload, 12 * HOUR_SECONDS);
      for (const model of ['Session', 'RefreshToken']) await oidc(model).upsert(`${model}-${grantId}`, payload, 12 * HOUR_SECONDS);
      if (client === DASHBOARD) await oidc('Grant').revokeByGrantId(grantId);
    }
    await folder.users.addReset('usr_1', `reset-${day}`, at(), at(HOUR_SECONDS * 1_000));
    await folder.invitations.addInvitation(
      {
        ...{ id: `inv_${day}`, accountId: `acc_${day}`, email: 'ann@example.com', role: 'member', invitedBy: `usr_${day}` },
        ...{ createdAt: at(), expiresAt: at(7 * DAY_MS), mailed: true, digests: ['d'] },
      },
      { open: 10, perDay: 10 },
    );
    await folder.outbox.add(memberAdded(account.id, 'usr_1', at()));
    await folder.answers.claim(`answer-${day}`, 'f', at());
    await folder.answers.keep(`answer-${day}`, 'sealed');
  }

  return {
    live: async () => {
      await request();
      await publish(main);
      await domains();
      await accounts();
      await people();
      day += 1;
    },
    sweep: async () => {
      for (const sweep of sweepsOf(folder)) await sweep(at(), () => true);
    },
    measure: () => {
      database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
      const number = (sql: string) => Number(Object.values(database.prepare(sql).get() ?? {})[0]);
      const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name").all();
      const pages = number('PRAGMA page_count') - number('PRAGMA freelist_count');
      return {
        rows: Object.fromEntries(tables.map(({ name }) => [String(name), number(`SELECT count(*) FROM ${name}`)])),
        used: pages * number('PRAGMA page_size'),
        audit: number("SELECT coalesce(sum(pgsize), 0) FROM dbstat WHERE name IN ('audit', 'audit_by_account')"),
        database: statSync(folder.databaseFile).size,
        folder: bytesIn(path),
      };
    },
    close: folder.close,
  };
}

async function projectIn(folder: DataFolder, accountId: string, now: number): Promise<Project> {
  return expectOk(await createProject(folder, { accountId, name: 'Site' }, randomBytes, now, undefined)).project;
}

function expectOk<T extends object>(result: ActionResult<T>): T {
  if (!result.ok) throw new Error(result.message);
  return result;
}

function bytesIn(path: string): number {
  const entries = readdirSync(path, { recursive: true, withFileTypes: true });
  return entries.reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}
