// What every DeployTokenStore must do.

import { randomBytes } from 'node:crypto';
import { expect } from 'expect';
import { randomBase62 } from '../core/access/base62.ts';
import { type DeployToken, generateDeployToken, parseDeployToken } from '../core/access/deploy-token.ts';
import type { DeployTokenStore } from '../core/access/ports.ts';
import { DAY_MS } from '../core/limits/windows.ts';
import { NOON } from './samples.ts';
import { contractSuite, type Make, once, type SuiteOptions, type TestFunction } from './suite.ts';

/** Declares the suite for an adapter. @param make returns an empty store; called once */
export function deployTokenStoreContract(runner: TestFunction, make: Make<DeployTokenStore>, options: SuiteOptions = {}): void {
  const test = contractSuite(runner, 'DeployTokenStore contract', options, { setUp: once(make) });

  const newProject = () => `prj_${randomBase62(10, randomBytes)}`;

  function sampleToken(projectId: string, createdAt = NOON): DeployToken {
    const parsed = parseDeployToken(generateDeployToken(projectId, randomBytes));
    if (parsed === undefined) throw new Error(`not a project id: ${projectId}`);
    return { ...parsed, name: 'CI', createdBy: 'usr_1', createdAt, expiresAt: createdAt + DAY_MS };
  }

  test("lists a project's tokens, oldest first, and finds each by its id", async (store) => {
    const [projectId, other] = [newProject(), newProject()];
    const tokens = [sampleToken(projectId, NOON + 2), sampleToken(projectId, NOON + 1), sampleToken(other)];
    for (const token of tokens) await store.addToken(token);
    expect(await store.listTokens(projectId)).toEqual([tokens[1], tokens[0]]);
    expect(await store.getToken(tokens[0]?.id ?? '')).toEqual(tokens[0]);
    expect([await store.listTokens(newProject()), await store.getToken(sampleToken(other).id), await store.getToken('x')]).toEqual([
      [],
      undefined,
      undefined,
    ]);
  });

  test('remembers the last use', async (store) => {
    const token = sampleToken(newProject());
    await store.addToken(token);
    await store.useToken(token.id, NOON + 5);
    expect(await store.getToken(token.id)).toEqual({ ...token, lastUsedAt: NOON + 5 });
    await store.useToken(sampleToken(newProject()).id, NOON);
    await store.useToken('x', NOON);
  });

  test('a removed token is gone, and a late use does not bring it back', async (store) => {
    const token = sampleToken(newProject());
    await store.addToken(token);
    expect([await store.removeToken(token.id), await store.removeToken(token.id), await store.removeToken('x')]).toEqual([true, false, false]);
    await store.useToken(token.id, NOON + 5);
    expect([await store.getToken(token.id), await store.listTokens(token.projectId)]).toEqual([undefined, []]);
  });
}
