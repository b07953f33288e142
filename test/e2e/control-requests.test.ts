// Runs the commands of docs/reference/control-requests.md unchanged against a service, in an order in which each has something to work on.

import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { apex } from '../../service/control/examples.ts';
import type { ControlRow } from '../../service/control/operation.ts';
import { CONTROL_OPERATIONS, type ControlOperationId } from '../../service/control/operations.ts';
import { testFolder } from '../support/folders.ts';
import { runCliJson } from '../support/processes.ts';
import { signIn } from '../support/sign-in.ts';
import { startTestServer } from '../support/test-processes.ts';

const DOCUMENT = readFileSync(join(import.meta.dirname, '../../docs/reference/control-requests.md'), 'utf8');
const COMMANDS = new Map([...DOCUMENT.matchAll(/^`(\w+)`: .*\n\n```sh\n([\s\S]*?)```/gm)].map(([, id = '', command = '']) => [id, command]));
const SET_UP = /```sh\n(API=.*)\n```/.exec(DOCUMENT)?.[1];

/** Whom the example of inviteMember invites. */
const [INVITED, PASSWORD] = ['ben@example.com', 'the password of Ben'];
/** The file in the example of beginUpload. */
const CONTENT = 'hello';
const APEX = JSON.stringify({ host: apex });

interface Answer {
  readonly [name: string]: unknown;
}

test('the commands in docs/reference/control-requests.md work', async () => {
  const data = testFolder();
  const server = await startTestServer(data);
  const [, email = '', password = ''] = /(demo@\S+) +(\S+)/.exec(server.stdout()) ?? [];
  await runCliJson(data, ['users', 'create', INVITED, '--password-stdin'], PASSWORD);
  const [owner, invited] = await Promise.all([signIn(server.url, email, password), signIn(server.url, INVITED, PASSWORD)]);
  const variables: Record<string, string> = { BASE: server.url, TOKEN: owner.access_token };
  const seen = new Set<string>();

  /** Runs a command. The ids in the answer to one that creates something are in variables from then on. */
  const run = async (id: ControlOperationId, more: Readonly<Record<string, string>> = {}): Promise<Answer & readonly Answer[]> => {
    seen.add(id);
    const env = { ...process.env, ...variables, ...more };
    const { stdout } = await promisify(execFile)('bash', ['-euc', `${SET_UP}\n${COMMANDS.get(id)}`], { env });
    const answer = JSON.parse(stdout);
    const { status } = CONTROL_OPERATIONS[id];
    for (const [name, value] of Object.entries(status === 201 ? answer : {}))
      if (/^\w+Id$/.test(name) && typeof value === 'string') variables[name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()] = value;
    return answer;
  };
  const all = async (...ids: readonly ControlOperationId[]) => {
    for (const id of ids) await run(id);
  };
  /** Runs a command for what is possible only in another state. */
  const refused = async (id: ControlOperationId, message: RegExp, code = 'conflict') => {
    const { stdout } = await run(id).catch((error) => error);
    expect(JSON.parse(stdout), id).toMatchObject({ code, message: expect.stringMatching(message) });
  };
  const put = async (path: string) => {
    const headers = { authorization: `Bearer ${owner.access_token}` };
    expect((await fetch(`${server.url}${path}`, { method: 'PUT', headers, body: CONTENT })).status).toBe(204);
  };
  const publish = async () => {
    await run('beginUpload');
    for (const { url } of (await run('listUploadTargets')).targets as { url: string }[]) await put(url);
    await run('publishUpload');
    return String(variables.DEPLOYMENT_ID);
  };

  await all('getOpenApi', 'getMe', 'getNotificationSettings', 'updateNotificationSettings');
  const [demo] = await run('listAccounts');
  const { accountId: second } = await run('createAccount');
  variables.ACCOUNT_ID = String(demo?.accountId);
  // The owner has signed in with a password alone.
  await all('renameAccount');
  await refused('requireSecondFactor', /second factor/, 'second_factor_required');
  await all('getAccount', 'requestPlan', 'withdrawPlanRequest', 'getUsage', 'listAuditEntries');

  await all('inviteMember', 'listInvitations', 'withdrawInvitation');
  const { link } = await run('inviteMember');
  const asInvited = { TOKEN: invited.access_token, INVITATION_TOKEN: String(link).split('#')[1] ?? '' };
  await run('viewInvitation', asInvited);
  await run('acceptInvitation', asInvited);
  variables.USER_ID = String((await run('listMembers')).find((member) => member.email === INVITED)?.userId);
  await all('changeMember', 'listMemberCredentials', 'listMemberSignIns', 'removeMember');

  await all('issueKey', 'listKeys', 'changeKey', 'rotateKey', 'revokeKey', 'listRevokedKeys', 'issueKey');
  await refused('unbanKey', /not banned/);

  await all('createProject', 'deleteProject', 'createProject', 'listProjects', 'getProject', 'renameProject', 'beginUpload', 'cancelUpload');
  const [first, later] = [await publish(), await publish()];
  await run('rollBack', { DEPLOYMENT_ID: first });
  variables.DEPLOYMENT_ID = later;
  await all('listDeployments', 'pinDeployment', 'unpinDeployment', 'deleteDeployment');
  await all('createDeployToken', 'listDeployTokens', 'revokeDeployToken');

  await all('addDomain', 'listDomains');
  // The example of putConfiguration redirects another domain to this one.
  const headers = { authorization: `Bearer ${owner.access_token}`, 'content-type': 'application/json' };
  const added = await fetch(`${server.url}/dashboard/v1/projects/${variables.PROJECT_ID}/domains`, { method: 'POST', headers, body: APEX });
  const { domainId: DOMAIN_ID } = (await added.json()) as { domainId: string };
  for (const domain of [{}, { DOMAIN_ID }]) {
    await run('publishRecords', domain);
    await run('verifyDomain', domain);
    await expect.poll(async () => (await run('getDomain', domain)).state).toBe('live');
  }
  await all('getConfiguration', 'putConfiguration', 'setSandboxRecord', 'listSandboxRecords', 'unsetSandboxRecord');
  await run('removeDomain', { DOMAIN_ID });

  // test/local/operator.test.ts requests these as an operator.
  for (const [id, row] of Object.entries<ControlRow>(CONTROL_OPERATIONS))
    if (row.operator === true) await refused(id as ControlOperationId, /only an operator/, 'forbidden');

  variables.ACCOUNT_ID = String(second);
  await run('deleteAccount');
  await signIn(server.url, email, password);
  const sessions = (await run('listSessions')).sessions as { sessionId: string; current: boolean }[];
  await run('endSessions', { SESSION_ID: String(sessions.find(({ current }) => !current)?.sessionId) });
  await run('signOutEverywhere');
  expect([...seen].sort()).toEqual(Object.keys(CONTROL_OPERATIONS).sort());
  expect([...COMMANDS.keys()].sort()).toEqual(Object.keys(CONTROL_OPERATIONS).sort());
  expect(await server.stop()).toBe(0);
});
