// Projects in a store, for suites that test a project's resources.

import { expect } from 'expect';
import type { AccountStore } from '../core/access/ports.ts';
import type { CurrentPublication } from '../core/domains/ports.ts';
import type { ProjectStore } from '../core/projects/ports.ts';
import { EMPTY_CONFIGURATION, type Project } from '../core/projects/project.ts';
import { NOON, sampleAccount } from './samples.ts';

let made = 0;

/** Returns a number that no other call has returned. */
export function nextNumber(): number {
  made += 1;
  return made;
}

/** Returns a project that is not stored. Each is newer than the previous one. */
export function sampleProject(fields: Partial<Project> = {}): Project {
  const number = nextNumber();
  return {
    id: `prj_${number}`,
    accountId: `acc_${number}`,
    name: 'Shop',
    token: `token${number}`,
    createdAt: NOON + number,
    currentDeploymentId: undefined,
    configuration: EMPTY_CONFIGURATION,
    ...fields,
  };
}

/** Returns the project's publication, which never changes. @param hosts the project's domains */
export function currentOf(project: Project, hosts: readonly string[] = []): CurrentPublication {
  return async () => ({ project, hosts });
}

/** Stores a project and its account. @param fields may name an account, which must already be stored */
export async function makeProject(
  { accounts, projects }: { readonly accounts: AccountStore; readonly projects: ProjectStore },
  fields: Partial<Project> = {},
): Promise<Project> {
  const account = sampleAccount();
  await accounts.createAccount(account);
  const project = sampleProject({ accountId: account.id, ...fields });
  expect(await projects.createProject(project)).toBe(true);
  return project;
}
