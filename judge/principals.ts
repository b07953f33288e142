// Who makes a call, and under which policies: the emulator's IAM has the roles and policies that CloudFormation created from the templates.

import {
  GetPolicyCommand,
  GetPolicyVersionCommand,
  GetRoleCommand,
  GetRolePolicyCommand,
  IAMClient,
  NoSuchEntityException,
  paginateListAttachedRolePolicies,
  paginateListRolePolicies,
} from '@aws-sdk/client-iam';
import { LambdaClient, paginateListFunctions, paginateListVersionsByFunction } from '@aws-sdk/client-lambda';
import { type Authorization, isLike, listOf, type Statement } from './rules/policy-evaluation.ts';

/** A statement with the policy that contains it. */
export interface PlacedStatement extends Statement {
  readonly policy: string;
}

/** The permissions of a statement, one per action and resource, as lines. @param used only the permissions that allow this call @default all */
export function permissionsOf({ policy, Action, Resource }: PlacedStatement, used?: Pick<Authorization, 'action' | 'resource'>): readonly string[] {
  return listOf(Action)
    .filter((action) => used === undefined || isLike(action.toLowerCase(), used.action.toLowerCase()))
    .flatMap((action) =>
      listOf(Resource)
        .filter((resource) => used === undefined || isLike(resource, used.resource))
        .map((resource) => `${policy} allows ${action} on ${resource}`),
    );
}

export interface Principal {
  /** The role's name. @default none: the account's administrator, who may do anything */
  readonly role: string | undefined;
  readonly statements: readonly PlacedStatement[];
  /** The role had permissions and no longer has any: its stack is being deleted while a call of its function is still in progress. */
  readonly isBeingDeleted: boolean;
}

/** How long policies are cached, in milliseconds; a deployment may change them at any time. */
const POLICY_AGE_MS = 2_000;

export interface Principals {
  /** Records the role whose credentials a call to STS returned. */
  assumed(accessKeyId: string, roleArn: string): void;
  /** @param fresh read the policies again. @default false @throws Error for unknown credentials */
  of(accessKeyId: string, fresh?: boolean): Promise<Principal>;
  /** The statements of a role. @param role its name */
  statementsOf(role: string): Promise<readonly PlacedStatement[]>;
}

export interface FunctionCallers {
  readonly regions: readonly string[];
  /** The access key id with which a function makes its calls. @param arn of the function or a version of it @param roleArn of its role */
  keyOf(arn: string, roleArn: string): string;
}

/** @param endpoint the emulator itself, because these calls are the judge's own @param administrator the administrator's access key id */
export function createPrincipals(
  endpoint: string,
  administrator: { readonly accessKeyId: string; readonly secretAccessKey: string },
  functions: FunctionCallers = { regions: [], keyOf: () => '' },
): Principals {
  const settings = { endpoint, credentials: administrator };
  const iam = new IAMClient({ ...settings, region: 'us-east-1' });
  const lambdas = functions.regions.map((region) => new LambdaClient({ ...settings, region }));
  const roles = new Map<string, string>();
  /** Roles that have had permissions. */
  const endowed = new Set<string>();
  const policies = new Map<string, { readonly readAt: number; readonly statements: Promise<readonly PlacedStatement[]> }>();

  /** One read at a time, however many functions start calling at once. */
  let reading: Promise<void> | undefined;

  async function readFunctions(): Promise<void> {
    try {
      for (const lambda of lambdas) for (const [key, role] of await functionKeys(lambda, functions.keyOf)) roles.set(key, role);
    } finally {
      reading = undefined;
    }
  }

  async function roleOf(accessKeyId: string): Promise<string> {
    // The first read may have begun before the function was created.
    for (let readings = 0; readings < 2 && !roles.has(accessKeyId); readings += 1) {
      reading ??= readFunctions();
      await reading;
    }
    const role = roles.get(accessKeyId);
    if (role === undefined) throw new Error(`${accessKeyId}: credentials of no known role`);
    return role;
  }

  function statementsOf(role: string, fresh = false): Promise<readonly PlacedStatement[]> {
    const known = policies.get(role);
    if (!fresh && known !== undefined && Date.now() - known.readAt < POLICY_AGE_MS) return known.statements;
    const statements = readStatements(role, iam);
    policies.set(role, { readAt: Date.now(), statements });
    statements.catch(() => policies.get(role)?.statements === statements && policies.delete(role));
    return statements;
  }

  return {
    assumed: (accessKeyId, roleArn) => void roles.set(accessKeyId, roleArn.split('/').at(-1) ?? ''),
    of: async (accessKeyId, fresh) => {
      if (accessKeyId === administrator.accessKeyId) return { role: undefined, statements: [], isBeingDeleted: false };
      const role = await roleOf(accessKeyId);
      const statements = await statementsOf(role, fresh);
      if (statements.length > 0) endowed.add(role);
      return { role, statements, isBeingDeleted: statements.length === 0 && endowed.has(role) };
    },
    statementsOf,
  };
}

type KeyAndRole = readonly [accessKeyId: string, role: string];

async function functionKeys(lambda: LambdaClient, keyOf: FunctionCallers['keyOf']): Promise<readonly KeyAndRole[]> {
  const keys: KeyAndRole[] = [];
  for await (const { Functions = [] } of paginateListFunctions({ client: lambda }, {})) {
    for (const { FunctionName, FunctionArn = '', Role = '' } of Functions) {
      const arns = [FunctionArn];
      for await (const { Versions = [] } of paginateListVersionsByFunction({ client: lambda }, { FunctionName })) {
        arns.push(...Versions.map((version) => version.FunctionArn ?? ''));
      }
      for (const arn of arns) keys.push([keyOf(arn, Role), Role.split('/').at(-1) ?? '']);
    }
  }
  return keys;
}

/**
 * The statements of a role's policies, inline and attached; none for a role that does not exist.
 * @param iam a client from this package's own copy of the SDK: paginators refuse others. @default a client with the environment's settings
 */
export async function readStatements(RoleName: string, iam = new IAMClient({})): Promise<readonly PlacedStatement[]> {
  try {
    const { Role } = await iam.send(new GetRoleCommand({ RoleName }));
    if (Role?.PermissionsBoundary !== undefined) throw new Error(`${RoleName}: permissions boundaries are not supported by judge/principals.ts`);
    const inline: Promise<readonly PlacedStatement[]>[] = [];
    for await (const { PolicyNames = [] } of paginateListRolePolicies({ client: iam }, { RoleName })) {
      inline.push(
        ...PolicyNames.map(async (PolicyName) => {
          const { PolicyDocument } = await iam.send(new GetRolePolicyCommand({ RoleName, PolicyName }));
          return placed(PolicyName, PolicyDocument);
        }),
      );
    }
    const attached: Promise<readonly PlacedStatement[]>[] = [];
    for await (const { AttachedPolicies = [] } of paginateListAttachedRolePolicies({ client: iam }, { RoleName })) {
      attached.push(
        ...AttachedPolicies.map(async ({ PolicyArn, PolicyName = '' }) => {
          const { Policy } = await iam.send(new GetPolicyCommand({ PolicyArn }));
          const { PolicyVersion } = await iam.send(new GetPolicyVersionCommand({ PolicyArn, VersionId: Policy?.DefaultVersionId }));
          return placed(PolicyName, PolicyVersion?.Document);
        }),
      );
    }
    return (await Promise.all([...inline, ...attached])).flat();
  } catch (error) {
    if (error instanceof NoSuchEntityException) return [];
    throw error;
  }
}

/** IAM returns documents URL-encoded (API reference, GetRolePolicy). */
function placed(policy: string, document: string | undefined): readonly PlacedStatement[] {
  const text = document ?? '{}';
  const { Statement = [] } = JSON.parse(text.startsWith('%') ? decodeURIComponent(text) : text) as { Statement?: Statement | Statement[] };
  return [Statement].flat().map((statement) => ({ ...statement, policy }));
}
