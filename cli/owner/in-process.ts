// The control API in this process, for operators, who may act for all accounts: its operations on the stores of the data folder, or of a stage on
// AWS. Inputs are not validated by the API's schemas, because commands and actions check them.

import { CALLS } from '../../client/control-generated.ts';
import { type Account, OPERATOR, suspendedMessage } from '../../core/access/account.ts';
import type { RandomBytes } from '../../core/access/base62.ts';
import { noAccount } from '../../core/access/keys.ts';
import type { Domain } from '../../core/domains/domain.ts';
import { isGone } from '../../core/domains/states.ts';
import type { Project } from '../../core/projects/project.ts';
import { changedMeanwhile } from '../../core/refusal.ts';
import type { CommandStores, Platform } from '../../platforms/platform.ts';
import type { AccountPorts, NamedIn, OwnAccount, SitePorts } from '../../service/control/context.ts';
import type { Outcome } from '../../service/control/operation.ts';
import type { ControlOperationId } from '../../service/control/operations.ts';
import { CliError, refusalError } from '../context.ts';
import type { ControlApi, ControlInput } from '../remote/control-api.ts';
import { noDomain } from './named-domain.ts';

export interface InProcessOptions {
  /** Opens everything for commands that need no edge. */
  readonly openStores: () => Promise<CommandStores>;
  /** Opens everything that projects and domains need, which not every stage has. */
  readonly openPlatform: () => Promise<Platform>;
  readonly randomBytes: RandomBytes;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

type Named = Partial<NamedIn<'/accounts/{accountId}/keys/{keyId}'> & NamedIn<'/projects/{projectId}/domains/{domainId}'>>;
type Implementation = (asked: object) => Promise<Outcome<unknown>>;
type Input = Pick<ControlInput<'getProject'>, 'path' | 'ifMatch' | 'onEtag'> & { readonly body?: unknown; readonly query?: object };

/** Creates the function that requests an operation. It rejects with CliError if the operation is refused. */
export function createInProcess({ openStores, openPlatform, randomBytes, clock }: InProcessOptions): ControlApi['request'] {
  async function accountPorts(): Promise<AccountPorts> {
    const stores = await openStores();
    const emailOf = async (id: string) => (await stores.users?.get(id))?.email;
    const directory: AccountPorts['directory'] = { emailOf, addressOf: (_, id) => emailOf(id) };
    // The command line does not know whether the installation sends emails, so it shows links for the operator to pass on.
    const here = { sessions: undefined, knowsSecondFactors: true, sendsMail: false };
    return { ...stores, ...here, sandbox: stores.sandbox, directory, randomBytes };
  }

  async function sitePorts(): Promise<SitePorts> {
    return { ...(await openPlatform()), httpsPort: 443, inspector: { inspect: async () => undefined }, randomBytes };
  }

  /** Returns the operations of a resource. Only these are loaded, so that commands start fast. @param call the method and the path of one of them */
  async function operationsBeside(call: string): Promise<object> {
    if (/keys/.test(call)) return (await import('../../service/control/resources/keys.ts')).keyHandlers(await accountPorts());
    if (/members|invitations/.test(call)) return (await import('../../service/control/resources/members.ts')).memberHandlers(await accountPorts());
    if (/domains/.test(call)) return (await import('../../service/control/resources/domains.ts')).domainHandlers(await sitePorts());
    if (/deployments|rollback/.test(call))
      return (await import('../../service/control/resources/deployments.ts')).deploymentHandlers(await sitePorts());
    if (/projects/.test(call)) return (await import('../../service/control/resources/projects.ts')).projectHandlers(await sitePorts());
    const { accountHandlers } = await import('../../service/control/resources/accounts.ts');
    const ports = await accountPorts();
    return accountHandlers(ports, { accountsOf: async () => (await ports.accounts.listAccounts()).map(asOwner) });
  }

  /** Looks up the resources in a path. Actions report unknown keys and accounts themselves, but only if the change is otherwise valid. */
  async function namedIn(isRead: boolean, { accountId, keyId, projectId, domainId }: Readonly<Record<string, string>>): Promise<Named> {
    if (keyId !== undefined) return { keyId };
    if (accountId !== undefined) {
      const stores = await openStores();
      const account = isRead ? await accountOf(stores, accountId) : await stores.accounts.getAccount(accountId);
      return { account: asOwner(account ?? ({ id: accountId } as Account)) };
    }
    if (projectId === undefined) return {};
    const platform = await openPlatform();
    const project = await projectOf(platform, projectId);
    return { project, ...(domainId !== undefined && { domain: await domainOf(platform, domainId) }) };
  }

  async function answer(id: ControlOperationId, { path = {}, body, query, ifMatch, onEtag }: Input): Promise<unknown> {
    const named = await namedIn(CALLS[id].startsWith('GET '), path);
    if (named.project !== undefined && (id === 'rollBack' || id === 'putConfiguration')) await servingAccountOf(await openPlatform(), named.project);
    // Only changes to configurations have a precondition.
    const etag = JSON.stringify(named.project?.configuration);
    if (ifMatch !== undefined && ifMatch !== etag) throw refusalError(changedMeanwhile('the configuration'));
    const operations = (await operationsBeside(CALLS[id])) as Partial<Record<ControlOperationId, Implementation>>;
    const now = clock();
    const caller = { id: OPERATOR, email: undefined, hasSecondFactor: true, signedInAt: now };
    // The only value that commands send in a query is `true`.
    const flags = Object.fromEntries(Object.entries(query ?? {}).map(([name, value]) => [name, value === 'true']));
    const precondition = ifMatch === undefined ? undefined : () => undefined;
    const run = operations[id];
    if (run === undefined) throw new Error(`${id} is not among the operations that run in process`);
    const outcome = await run({ ...named, caller, parameters: path, body, query: flags, now, precondition });
    if (!outcome.ok) throw refusalError(outcome);
    if (id === 'getConfiguration') onEtag?.(etag);
    return outcome.value;
  }

  return (id, input) => answer(id, input) as Promise<never>;
}

function asOwner(account: Account): OwnAccount {
  return { ...account, role: 'owner' };
}

/** Returns the account. @throws CliError if it does not exist */
export async function accountOf({ accounts }: Pick<CommandStores, 'accounts'>, accountId: string): Promise<Account> {
  const account = await accounts.getAccount(accountId);
  if (account === undefined) throw refusalError(noAccount(accountId));
  return account;
}

/** Returns the project. @throws CliError if it does not exist */
export async function projectOf({ projects }: Pick<Platform, 'projects'>, projectId: string): Promise<Project> {
  const project = await projects.getProject(projectId);
  if (project === undefined) throw new CliError(`no project ${JSON.stringify(projectId)}; petstore projects list shows all projects`);
  return project;
}

/** Returns a project's account. @throws CliError while it is suspended, because what the project serves can't be changed then */
export async function servingAccountOf({ accounts }: Pick<Platform, 'accounts'>, { id, accountId }: Project): Promise<Account> {
  const account = await accounts.getAccount(accountId);
  if (account === undefined) throw new CliError(`the account ${accountId} of project ${id} does not exist`);
  if (account.suspension === undefined) return account;
  throw new CliError(`${suspendedMessage(accountId, account.suspension)}; petstore accounts resume ${accountId} ends it`);
}

async function domainOf({ domains }: Pick<Platform, 'domains'>, domainId: string): Promise<Domain> {
  const domain = await domains.getDomain(domainId);
  if (domain === undefined || isGone(domain.state)) throw noDomain(domain?.host ?? domainId);
  return domain;
}
