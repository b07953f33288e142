// Typed client for the control API, for signed-in users and for pipelines with a deploy token. Its methods come from the OpenAPI document
// (control-generated.ts).

import { ControlError, type ControlErrorCode } from './control-errors.ts';
import { CALLS, DEPLOYING } from './control-generated.ts';
import { type AnyInput, createCalls, type FileContent, type SendOptions } from './control-requests.ts';
import type {
  AnswerOf,
  ControlSchemas,
  DeployOperationId,
  InputOf,
  ItemOf,
  Methods,
  OperationId,
  PagedOperationId,
  UploadTarget,
} from './control-types.ts';
import { type CallOptions, checkSecret } from './request.ts';
import { nextCursor } from './responses.ts';
import type { RetryOptions } from './retry.ts';

// Users of the package import these from here.
export type { AnswerOf, CallOptions, ControlErrorCode, ControlSchemas, FileContent, InputOf, OperationId, RetryOptions, SendOptions, UploadTarget };
export { ControlError };

export interface ControlClientOptions extends SendOptions {
  /**
   * A user's access token, or a function that returns one and is called before each request. If a token is refused (401), the function is called
   * again with that token; if it returns a different one, the request is retried once.
   */
  readonly token: string | ((refused?: string) => string | Promise<string>);
}

export interface DeployClientOptions extends SendOptions {
  /** The project's token, from createDeployToken. */
  readonly deployToken: string;
}

interface Shared<Paged extends PagedOperationId> {
  /**
   * Iterates over all items of a list that comes in pages; each page is fetched when it is needed.
   *
   * @throws ControlError
   * @example for await (const domain of control.all('listDomains', { path: { projectId } })) console.log(domain.host, domain.state);
   */
  all<Id extends Paged>(id: Id, input: InputOf<Id>): AsyncIterable<ItemOf<Id>>;
  /**
   * Sends a file in an upload. The token is sent only to the service, not to storage elsewhere.
   *
   * @param target from listUploadTargets
   * @throws ControlError
   * @example await control.sendFile(target, await readFile(target.name));
   */
  sendFile(target: UploadTarget, content: FileContent, options?: CallOptions): Promise<void>;
}

/** A method for each operation available to signed-in users. Each rejects with ControlError if it is refused. */
export type ControlClient = Methods & Shared<PagedOperationId>;

/** A method for each operation that a deploy token allows. Each rejects with ControlError if it is refused. */
export type DeployClient = Pick<Methods, DeployOperationId> & Shared<PagedOperationId & DeployOperationId>;

/**
 * Creates a client for a signed-in user.
 *
 * @example
 * const control = createControlClient({ baseUrl: 'http://127.0.0.1:8080', token: () => session.accessToken() });
 * for (const account of await control.listAccounts()) console.log(account.accountId, account.name);
 */
export function createControlClient({ token, ...options }: ControlClientOptions): ControlClient {
  checkSecret('token', token);
  return createMethods(
    Object.keys(CALLS) as OperationId[],
    '/dashboard/v1',
    typeof token === 'string' ? () => token : token,
    options,
  ) as ControlClient;
}

/**
 * Creates a client for a pipeline, which publishes one project's files.
 *
 * @example
 * const deploy = createDeployClient({ baseUrl: 'http://127.0.0.1:8080', deployToken: process.env.PETSTORE_DEPLOY_TOKEN ?? '' });
 * const [current] = await deploy.listDeployments({ path: { projectId } });
 */
export function createDeployClient({ deployToken, ...options }: DeployClientOptions): DeployClient {
  checkSecret('deployToken', deployToken);
  return createMethods(DEPLOYING, '/deploy/v1', () => deployToken, options) as DeployClient;
}

function createMethods(
  ids: readonly OperationId[],
  prefix: string,
  tokenOf: (refused?: string) => string | Promise<string>,
  options: SendOptions,
): object {
  const { call, read, send } = createCalls(prefix, tokenOf, options);
  const shared: Shared<PagedOperationId> = {
    async *all<Id extends PagedOperationId>(id: Id, input: InputOf<Id>) {
      const { query, ...rest } = input as AnyInput;
      let cursor: string | undefined;
      do {
        const response = await call(id, { ...rest, query: { limit: 100, ...query, ...(cursor !== undefined && { cursor }) } });
        yield* (await response.json()) as ItemOf<Id>[];
        cursor = nextCursor(response.headers);
      } while (cursor !== undefined);
    },
    sendFile: async (target, content, { signal } = {}) => {
      await (await send(target, content, signal)).body?.cancel();
    },
  };
  const methods = ids.map((id) => [id, async (input: AnyInput = {}) => read(await call(id, input))]);
  return { ...shared, ...Object.fromEntries(methods) };
}
