// A stand-in for the emulator: it has roles with policies, functions and tags, and records the requests that arrive.

import { hash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { EMULATOR_PYTHON } from '../../../test/support/emulator-python.ts';
import { freePort } from '../../../test/support/ports.ts';
import type { Emulated } from '../../front.ts';
import type { Statement } from '../../rules/policy-evaluation.ts';
import type { Call } from '../../wire/call.ts';
import type { WireRequest } from '../../wire/request.ts';
import { readCall } from './models.ts';

export const ACCOUNT = '123456789012';
export const ADMINISTRATOR = { accessKeyId: 'test', secretAccessKey: 'test' };

/** What the judge knows about the stand-in. */
export const EMULATED: Emulated = {
  account: ACCOUNT,
  administrator: ADMINISTRATOR,
  functions: {
    regions: ['us-east-1', 'us-west-2'],
    keyOf: (arn, role) => `ASIA${hash('sha256', `${arn}:${role}`).slice(0, 16).toUpperCase()}`,
  },
  unknownToItsIam: /^(?:cloudfront|cloudfront-keyvaluestore|sesv2):|^ssm:GetParametersByPath$/,
  python: EMULATOR_PYTHON,
};

interface Tenant {
  readonly id: string;
  readonly name: string;
  readonly domain: string;
}

export interface StandIn {
  readonly port: number;
  /** The statements of each role's inline policy. */
  readonly roles: Map<string, readonly Statement[]>;
  /** Roles of functions, by the functions' names. */
  readonly functions: Map<string, string>;
  readonly tenants: Tenant[];
  /** By ARN. */
  readonly tags: Map<string, Readonly<Record<string, string>>>;
  /** All requests, including the judge's own. */
  readonly requests: { readonly operation: string; readonly request: WireRequest }[];
  /** Answers every request that is not about the above. @default an empty JSON object */
  answer: (request: WireRequest, response: ServerResponse) => void;
  stop(): Promise<void>;
}

export async function startStandIn(): Promise<StandIn> {
  const standIn: Omit<StandIn, 'stop'> = {
    port: await freePort(),
    roles: new Map(),
    functions: new Map(),
    tenants: [],
    tags: new Map(),
    requests: [],
    answer: (_, response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{}'),
  };
  const server = createServer(async (incoming, response) => {
    const { method = '', url = '', headers } = incoming;
    const request = { method, url, headers, body: Buffer.concat(await incoming.toArray()) };
    const call = readCall(request);
    standIn.requests.push({ operation: call.operation, request });
    const content = contentOf(standIn, call);
    if (content === undefined) standIn.answer(request, response);
    else response.writeHead(content.startsWith('<ErrorResponse') ? 404 : 200).end(content);
  });
  server.listen(standIn.port, '127.0.0.1');
  await once(server, 'listening');
  const stop = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  return Object.assign(standIn, { stop });
}

/** The access key id of a role's session. */
export function keyOf(role: string): string {
  return `ASIA${role.toUpperCase().replaceAll('-', '')}`;
}

const wrapped = (operation: string, content: string) =>
  `<${operation}Response><${operation}Result>${content}</${operation}Result></${operation}Response>`;
const NOT_FOUND = (code: string) => `<ErrorResponse><Error><Type>Sender</Type><Code>${code}</Code><Message>none</Message></Error></ErrorResponse>`;

function contentOf({ roles, functions, tenants, tags }: Omit<StandIn, 'stop'>, { service, operation, input }: Call): string | undefined {
  const policies = roles.get(String(input.RoleName));
  const tenant = tenants.find(({ id, name, domain }) => [id, name].includes(String(input.Identifier)) || domain === input.Domain);
  switch (`${service}:${operation}`) {
    case 'sts:AssumeRole': {
      const keys = `<AccessKeyId>${keyOf(String(input.RoleArn).split('/').at(-1) ?? '')}</AccessKeyId><SecretAccessKey>s</SecretAccessKey><SessionToken>t</SessionToken>`;
      return wrapped(operation, `<Credentials>${keys}<Expiration>2030-01-01T00:00:00Z</Expiration></Credentials>`);
    }
    case 'iam:GetRole':
      return policies === undefined ? NOT_FOUND('NoSuchEntity') : wrapped(operation, `<Role><RoleName>${String(input.RoleName)}</RoleName></Role>`);
    case 'iam:ListRolePolicies':
      return wrapped(operation, '<PolicyNames><member>own</member></PolicyNames><IsTruncated>false</IsTruncated>');
    case 'iam:GetRolePolicy':
      return wrapped(operation, `<PolicyDocument>${encodeURIComponent(JSON.stringify({ Statement: policies }))}</PolicyDocument>`);
    case 'iam:ListAttachedRolePolicies':
      return wrapped(operation, '<AttachedPolicies/><IsTruncated>false</IsTruncated>');
    case 'lambda:ListFunctions':
      return JSON.stringify({
        Functions: [...functions].map(([name, role]) => ({ FunctionName: name, FunctionArn: functionArn(name), Role: roleArn(role) })),
      });
    case 'lambda:ListVersionsByFunction':
      return JSON.stringify({ Versions: [] });
    case 'cloudfront:GetDistributionTenant':
    case 'cloudfront:GetDistributionTenantByDomain':
      if (tenant === undefined) return NOT_FOUND('EntityNotFound');
      return `<DistributionTenant><Id>${tenant.id}</Id><Arn>${tenantArn(tenant.id)}</Arn><Name>${tenant.name}</Name></DistributionTenant>`;
    case 'cloudfront:ListTagsForResource': {
      const items = tagsOf(tags, input.Resource).map(({ Key, Value }) => `<Tag><Key>${Key}</Key><Value>${Value}</Value></Tag>`);
      return `<Tags><Items>${items.join('')}</Items></Tags>`;
    }
    case 'acm:ListTagsForCertificate':
      return JSON.stringify({ Tags: tagsOf(tags, input.CertificateArn) });
    default:
      return undefined;
  }
}

const tagsOf = (tags: StandIn['tags'], arn: unknown) => Object.entries(tags.get(String(arn)) ?? {}).map(([Key, Value]) => ({ Key, Value }));

export const roleArn = (name: string) => `arn:aws:iam::${ACCOUNT}:role/${name}`;
export const functionArn = (name: string) => `arn:aws:lambda:us-east-1:${ACCOUNT}:function:${name}`;
export const tenantArn = (id: string) => `arn:aws:cloudfront::${ACCOUNT}:distribution-tenant/${id}`;
