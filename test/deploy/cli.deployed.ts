// The command line works on a deployed stage as it does on the data folder, with the operator's role. infra/test/operator.test.ts names the commands
// that no suite in this folder runs.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTarget, type Target } from '../e2e/target.ts';
import { eventually } from '../support/eventually.ts';
import { makeFolder } from '../support/folders.ts';
import { runCli } from '../support/processes.ts';
import { petBody } from '../support/samples.ts';
import { DNS_SUFFIX } from './emulator.ts';

const STAGE = String(process.env.E2E_STAGE);
const ANIMALS = 150;
const folder = makeFolder();
let target: Target;

beforeAll(async () => {
  target = await startTarget();
});

afterAll(async () => {
  await target.stop();
  folder.remove();
});

const file = (name: string, content: string): string => {
  const path = join(folder.path, name);
  writeFileSync(path, content);
  return path;
};

async function exported(args: readonly string[] = []): Promise<{ id: number; name: string; categoryId: number }[]> {
  const { code, stdout } = await runCli(folder.path, ['--stage', STAGE, 'pets', 'export', ...args]);
  expect(code).toBe(0);
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

test('animals are imported once, and exported', async () => {
  const name = `cli-${crypto.randomUUID()}`;
  const source = file('in.jsonl', Array.from({ length: ANIMALS }, (_, n) => `${petBody({ name, categoryId: n, status: 'pending' })}\n`).join(''));
  const first = await target.petstore(['pets', 'import', source, '--source', name]);
  const second = await target.petstore(['pets', 'import', source, '--source', name]);
  expect([first, second]).toMatchObject([
    { imported: ANIMALS, alreadyThere: 0 },
    { imported: 0, alreadyThere: ANIMALS },
  ]);
  for (const options of [[], ['--status', 'pending']]) {
    const own = (await exported(options)).filter((pet) => pet.name === name);
    expect(own.map(({ categoryId }) => categoryId).sort((a, b) => a - b)).toEqual(Array.from({ length: ANIMALS }, (_, n) => n));
  }
  const [removed] = (await exported()).filter((pet) => pet.name === name);
  expect(await target.petstore(['pets', 'remove', String(removed?.id), '--yes'])).toEqual({ id: removed?.id, removed: true });
  expect(await target.petstore(['pets', 'import', source, '--source', name])).toMatchObject({ imported: 0, alreadyThere: ANIMALS });
  expect((await exported()).filter((pet) => pet.name === name)).toHaveLength(ANIMALS - 1);
});

test('accounts change their plan and their members', async () => {
  const { accountId } = await target.petstore<{ accountId: string }>(['accounts', 'create', '--name', 'Command line', '--plan', 'free']);
  expect(await target.petstore(['accounts', 'rename', accountId, '--name', 'Command line, renamed'])).toMatchObject({ accountId });
  expect(await target.petstore(['accounts', 'set-plan', accountId, '--plan', 'pro'])).toMatchObject({ accountId, plan: 'pro' });
  expect(await target.petstore(['accounts', 'list'])).toContainEqual(expect.objectContaining({ accountId, plan: 'pro' }));
  expect(await target.petstore(['accounts', 'update-limits'])).toMatchObject({ dryRun: false });
  expect(await target.petstore(['accounts', 'add-member', accountId, 'user-1'])).toEqual({ accountId, userId: 'user-1', role: 'owner' });
  expect(await target.petstore(['accounts', 'add-member', accountId, 'user-2', '--role', 'member'])).toMatchObject({ role: 'member' });
  expect(await target.petstore(['accounts', 'set-role', accountId, 'user-2', '--role', 'owner'])).toEqual({
    accountId,
    userId: 'user-2',
    role: 'owner',
  });
  expect(await target.petstore(['accounts', 'set-role', accountId, 'user-1', '--role', 'member'])).toMatchObject({ role: 'member' });
  expect(await target.petstore(['accounts', 'members', accountId])).toEqual([
    { userId: 'user-1', email: null, role: 'member' },
    { userId: 'user-2', email: null, role: 'owner' },
  ]);
  const { invitationId } = await target.petstore<{ invitationId: string }>(['accounts', 'invite', accountId, 'ben@example.com']);
  expect(await target.petstore(['accounts', 'invitations', accountId])).toMatchObject([{ invitationId, email: 'ben@example.com', role: 'member' }]);
  expect(await target.petstore(['accounts', 'withdraw-invitation', accountId, 'ben@example.com'])).toEqual({ accountId, invitationId });
  expect(await target.petstore(['accounts', 'remove-member', accountId, 'user-1'])).toEqual({ accountId, userId: 'user-1' });
});

test('an account is suspended, resumed and deleted with its projects', async () => {
  const { accountId, key } = await target.issueKey(['pro']);
  const keys = [key, (await target.addKey(accountId)).key, (await target.addKey(accountId)).key];
  // Another key each time: the function remembers for a minute that it has refused one.
  const ask = async (n: number) =>
    (await fetch(`${process.env.E2E_URL}/v1/pets?limit=1`, { headers: { authorization: `Bearer ${keys[n]}` } })).status;
  const { projectId } = await target.petstore<{ projectId: string }>(['projects', 'create', '--account', accountId, '--name', 'Ended']);
  const host = `www.ended.${DNS_SUFFIX}`;
  await target.petstore(['domains', 'add', host, '--project', projectId]);
  expect(await target.petstore(['accounts', 'suspend', accountId, '--reason', 'unpaid'])).toMatchObject({ accountId, reason: 'unpaid', domains: [] });
  expect(await target.petstore(['accounts', 'list'])).toContainEqual(
    expect.objectContaining({ accountId, suspension: { since: expect.any(String), reason: 'unpaid' } }),
  );
  expect(await ask(0)).toBe(403);
  expect(await target.petstore(['accounts', 'resume', accountId])).toEqual({ accountId, domains: [] });
  expect(await ask(1)).toBe(200);
  // Cognito does not say how a user has signed in.
  await expect(target.petstore(['accounts', 'require-second-factor', accountId])).rejects.toThrow('<STAGE>_MFA requires a second factor');
  expect(await target.petstore(['accounts', 'delete', accountId, '--with-projects', '--yes'])).toEqual({
    ...{ accountId, deleted: true, domains: [host], projects: [projectId] },
  });
  expect(await ask(2)).toBe(401);
});

test('keys are issued, rotated and revoked', async () => {
  const { accountId, keyId, key } = await target.issueKey(['pro']);
  const statusOf = async () => (await fetch(`${process.env.E2E_URL}/v1/pets?limit=1`, { headers: { authorization: `Bearer ${key}` } })).status;
  expect(await target.petstore(['keys', 'set', keyId, '--name', 'Till', '--expires', '30d'])).toMatchObject({ keyId, name: 'Till' });
  expect(await target.petstore(['keys', 'pause', keyId])).toEqual({ keyId, pausedAt: expect.any(String) });
  expect(await statusOf()).toBe(403);
  expect(await target.petstore(['keys', 'resume', keyId])).toEqual({ keyId, pausedAt: null });
  await eventually(statusOf, (status) => expect(status).toBe(200));
  const { keyId: successor } = await target.petstore<{ keyId: string }>(['keys', 'rotate', keyId, '--grace', '1h']);
  await target.petstore(['keys', 'revoke', keyId, '--yes']);
  expect(await target.petstore(['keys', 'list', '--account', accountId])).toMatchObject([{ keyId: successor, state: 'active' }]);
  expect(await target.petstore(['usage', '--account', accountId])).toMatchObject({ plan: 'pro', day: { used: 1 } });
  const by = { kind: 'operator', id: expect.stringContaining('@') };
  const revoked = ['--account', accountId, '--action', 'key.revoked'];
  expect(await target.petstore(['audit', 'list', ...revoked])).toMatchObject([{ action: 'key.revoked', subject: keyId, actor: by }]);
  // The index over all accounts follows within moments.
  await eventually(
    () => target.petstore(['audit', 'list', '--since', '1h', '--subject', keyId]),
    (entries) => expect(entries).toHaveLength(6),
  );
  const { code, stdout } = await runCli(folder.path, ['--stage', STAGE, 'audit', 'export', ...revoked]);
  expect([code, JSON.parse(stdout)]).toMatchObject([0, { accountId, subject: keyId }]);
});

test('projects are deployed, rolled back and configured; domains are added and removed', async () => {
  const { accountId } = await target.petstore<{ accountId: string }>(['accounts', 'create', '--name', 'Command line', '--plan', 'pro']);
  const { projectId, deploymentId: first } = await target.petstore<{ projectId: string; deploymentId: string }>([
    ...['projects', 'create', '--account', accountId, '--name', 'Command line'],
  ]);
  const site = join(folder.path, 'site');
  mkdirSync(site);
  writeFileSync(join(site, 'index.html'), 'second');
  const { deploymentId: second } = await target.petstore<{ deploymentId: string }>(['projects', 'deploy', projectId, site]);
  expect(await target.petstore(['projects', 'deployments', projectId])).toMatchObject([
    { deploymentId: second, current: true },
    { deploymentId: first, current: false },
  ]);
  expect(await target.petstore(['projects', 'rollback', projectId])).toEqual({ projectId, deploymentId: first });
  for (const options of [[], ['--account', accountId]])
    expect(await target.petstore(['projects', 'list', ...options])).toContainEqual(expect.objectContaining({ projectId, deploymentId: first }));

  const configuration = { domains: { redirects: [] } };
  expect(await target.petstore(['config', 'put', projectId, file('configuration.json', JSON.stringify(configuration))])).toEqual(configuration);
  expect(await target.petstore(['config', 'get', projectId])).toEqual(configuration);
  const edited = await runCli(folder.path, ['--stage', STAGE, 'config', 'edit', projectId], '', { EDITOR: 'true' });
  expect(edited).toMatchObject({ code: 0, stdout: `Project ${projectId}: 0 redirects\n` });

  const host = `www.command-line.${DNS_SUFFIX}`;
  await target.petstore(['domains', 'add', host, '--project', projectId]);
  expect(await target.petstore(['domains', 'show', host])).toMatchObject({ host, state: 'awaiting_dns' });
  expect(await target.petstore(['domains', 'watch', host])).toMatchObject({ host, state: 'awaiting_dns' });
  expect(await target.petstore(['domains', 'list', projectId])).toMatchObject([{ host }]);
  expect((await runCli(folder.path, ['--stage', STAGE, 'domains', 'publish', host])).stderr).toContain('we do not manage the zone');
  expect(await target.petstore(['domains', 'remove', host, '--yes'])).toMatchObject({ host });
});

test('a project is renamed and deleted', async () => {
  const { accountId } = await target.petstore<{ accountId: string }>(['accounts', 'create', '--name', 'Renamed', '--plan', 'pro']);
  const { projectId } = await target.petstore<{ projectId: string }>(['projects', 'create', '--account', accountId, '--name', 'Old']);
  expect(await target.petstore(['projects', 'rename', projectId, '--name', 'New'])).toEqual({ projectId, name: 'New' });
  expect(await target.petstore(['projects', 'list', '--account', accountId])).toMatchObject([{ projectId, name: 'New' }]);
  const site = join(folder.path, 'renamed');
  mkdirSync(site);
  writeFileSync(join(site, 'index.html'), 'new');
  await target.petstore(['projects', 'deploy', projectId, site]);
  const [, old] = await target.petstore<{ deploymentId: string }[]>(['projects', 'deployments', projectId]);
  expect(await target.petstore(['projects', 'pin', projectId, String(old?.deploymentId)])).toMatchObject({ pinned: true });
  expect(await target.petstore(['projects', 'unpin', projectId, String(old?.deploymentId)])).toMatchObject({ pinned: false });
  expect(await target.petstore(['projects', 'delete-deployment', projectId, String(old?.deploymentId), '--yes'])).toMatchObject({ deleted: true });
  expect(await target.petstore(['projects', 'deployments', projectId])).toHaveLength(1);
  expect(await target.petstore(['projects', 'delete', projectId, '--yes'])).toEqual({ projectId, deleted: true });
  expect(await target.petstore(['projects', 'list', '--account', accountId])).toEqual([]);
});

test('the dashboard is published', async () => {
  expect((await target.petstore<{ files: number }>(['dashboard', 'publish'])).files).toBeGreaterThan(5);
});

test('the AWS profile in docs/aws/change.md assumes the role', async () => {
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION = '', STAGING_ACCOUNT = '' } = process.env;
  const page = readFileSync(join(import.meta.dirname, '../../docs/aws/change.md'), 'utf8');
  const profile = /```ini\n(.*?)```/s.exec(page)?.[1]?.replaceAll('123456789012', STAGING_ACCOUNT).replaceAll('eu-central-1', AWS_REGION);
  const signIn = `[default]\naws_access_key_id = ${AWS_ACCESS_KEY_ID}\naws_secret_access_key = ${AWS_SECRET_ACCESS_KEY}\n`;
  const { code, stderr } = await runCli(folder.path, ['--stage', STAGE, 'accounts', 'list'], '', {
    AWS_PROFILE: /AWS_PROFILE=(\S+)/.exec(page)?.[1],
    AWS_CONFIG_FILE: file('config', String(profile)),
    AWS_SHARED_CREDENTIALS_FILE: file('credentials', signIn),
    AWS_ACCESS_KEY_ID: undefined,
    AWS_SECRET_ACCESS_KEY: undefined,
    AWS_SESSION_TOKEN: undefined,
    AWS_REGION: undefined,
  });
  expect([code, stderr]).toEqual([0, '']);
});
