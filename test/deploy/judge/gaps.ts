// What the emulator's CloudFormation can't make of our templates, and what it makes instead. Templates are changed on their way into the assets
// bucket. To close a gap that a newer emulator no longer has, delete its entry.

import { CloudFrontClient, CreateConnectionGroupCommand, EntityAlreadyExists, GetConnectionGroupCommand } from '@aws-sdk/client-cloudfront';
import type { Credentials } from './front.ts';
import { signed } from './sign.ts';
import type { Call } from './wire/call.ts';
import type { WireRequest } from './wire/request.ts';

// biome-ignore lint/suspicious/noExplicitAny: templates are what CloudFormation takes, and that is anything
type Json = any;

interface Resource {
  readonly Type: string;
  readonly Properties?: Json;
  readonly UpdatePolicy?: Json;
}

/** The values that references to a resource have: `Ref` and its attributes. */
type Attributes = Readonly<Record<string, string>>;

interface TemplateGap {
  readonly gap: string;
  readonly instead: string;
  readonly concerns: (resource: Resource) => boolean;
  /** The resource type, of resources that are made elsewhere. */
  readonly type?: string;
  /** The resource in a form that the emulator supports. */
  readonly replace?: (resource: Resource) => Resource;
  /** Makes the resource through the service's own API. */
  readonly make?: (resource: Resource, cloudFront: CloudFrontClient) => Promise<Attributes>;
}

/** A gap without `replace` and `make` leaves the resource out. */
export const TEMPLATE_GAPS: readonly TemplateGap[] = [
  {
    gap: 'CloudWatch alarms on metric math are refused',
    instead: 'the alarm is made with the first of its metrics; its own definition is checked by cfn-lint and infra/test',
    concerns: ({ Type, Properties }) => Type === 'AWS::CloudWatch::Alarm' && Properties.Metrics !== undefined,
    replace: ({ Type, Properties: { Metrics, ...others } }) => {
      const { Metric, Period, Stat } = Metrics.find((each: Json) => each.MetricStat !== undefined).MetricStat;
      return { Type, Properties: { ...others, ...Metric, Period, Statistic: Stat } };
    },
  },
  {
    gap: 'AWS::CodeDeploy is unknown, and with it the canary of production',
    instead: 'left out: the alias moves at once; the canary is checked by infra/test',
    concerns: ({ Type }) => Type.startsWith('AWS::CodeDeploy::'),
  },
  {
    gap: "an alias that CodeDeploy moves names CodeDeploy's application",
    instead: 'the alias is made without its update policy',
    concerns: ({ UpdatePolicy }) => UpdatePolicy?.CodeDeployLambdaAliasUpdate !== undefined,
    replace: ({ UpdatePolicy: _, ...others }) => others,
  },
  {
    gap: 'AWS::CloudFront::ConnectionGroup is unknown to CloudFormation',
    instead: "made through CloudFront's API",
    concerns: ({ Type }) => Type === 'AWS::CloudFront::ConnectionGroup',
    type: 'AWS::CloudFront::ConnectionGroup',
    make: async ({ Properties: { Name, Enabled } }, cloudFront) => {
      const group = await connectionGroup(cloudFront, Name, Enabled !== false);
      return { Ref: group?.Id ?? '', Id: group?.Id ?? '', Arn: group?.Arn ?? '', RoutingEndpoint: group?.RoutingEndpoint ?? '' };
    },
  },
];

async function connectionGroup(cloudFront: CloudFrontClient, Name: string, Enabled: boolean) {
  try {
    return (await cloudFront.send(new CreateConnectionGroupCommand({ Name, Enabled }))).ConnectionGroup;
  } catch (error) {
    if (!(error instanceof EntityAlreadyExists)) throw error;
    return (await cloudFront.send(new GetConnectionGroupCommand({ Identifier: Name }))).ConnectionGroup;
  }
}

export interface GapCloser {
  /** Changes a template on its way into the assets bucket. @returns undefined for any other request */
  adjust(call: Call, request: WireRequest): Promise<WireRequest | undefined>;
  /** The types of the resources that were left out of the templates so far, by logical id. */
  readonly leftOut: ReadonlyMap<string, string>;
}

/** @param endpoint the emulator itself */
export function createGapCloser(endpoint: string, administrator: Credentials): GapCloser {
  const cloudFront = new CloudFrontClient({ endpoint, region: 'us-east-1', credentials: administrator });
  const leftOut = new Map<string, string>();

  async function close(template: Json): Promise<Json> {
    const resources: Record<string, Resource> = {};
    const known = new Map<string, Attributes>();
    for (const [id, resource] of Object.entries<Resource>(template.Resources)) {
      const gaps = TEMPLATE_GAPS.filter(({ concerns }) => concerns(resource));
      const [missing] = gaps.filter(({ replace }) => replace === undefined);
      if (missing === undefined) resources[id] = gaps.reduce((each, { replace }) => replace?.(each) ?? each, resource);
      else known.set(id, (await missing.make?.(resource, cloudFront)) ?? {});
      if (missing !== undefined && missing.make === undefined) leftOut.set(id, resource.Type);
    }
    return withoutReferences({ ...template, Resources: resources }, known);
  }

  return {
    leftOut,
    adjust: async (call, request) => {
      if (call.service !== 's3' || call.operation !== 'PutObject' || !String(call.input.Key).endsWith('.json')) return undefined;
      const template = parsed(request.body);
      if (template?.Resources === undefined) return undefined;
      const body = Buffer.from(JSON.stringify(await close(template)));
      return signed({ ...request, body }, 's3', call.region ?? '', administrator);
    },
  };
}

function parsed(body: Buffer): Json {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}

/** Replaces references to resources that are not in the template by their values, or by their logical ids. */
function withoutReferences(value: Json, known: ReadonlyMap<string, Attributes>): Json {
  if (Array.isArray(value)) return value.map((each) => withoutReferences(each, known));
  if (value === null || typeof value !== 'object') return value;
  const [id, attribute] = value.Ref !== undefined ? [value.Ref, 'Ref'] : (value['Fn::GetAtt'] ?? []);
  if (known.has(id)) return known.get(id)?.[attribute] ?? id;
  const entries = Object.entries<Json>(value).map(([name, each]): [string, Json] => {
    if (name === 'DependsOn') return [name, [each].flat().filter((other) => !known.has(other))];
    return [name, withoutReferences(each, known)];
  });
  return Object.fromEntries(entries);
}
