// What the emulator's CloudFormation can't create from our templates, and what is created instead. Templates are changed while they are uploaded to
// the assets bucket. If a newer emulator closes a gap, delete its entry.

import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { CloudFrontClient, CreateConnectionGroupCommand, EntityAlreadyExists, GetConnectionGroupCommand } from '@aws-sdk/client-cloudfront';
import { type Call, type Credentials, signed, unchunked, type WireRequest } from '../../judge/index.ts';
import { REGION } from './emulator.ts';

// biome-ignore lint/suspicious/noExplicitAny: templates contain any JSON
type Json = any;

interface Resource {
  readonly Type: string;
  readonly Properties?: Json;
  readonly UpdatePolicy?: Json;
  readonly DependsOn?: string | readonly string[];
}

/** The values that references to a resource have: `Ref` and its attributes. */
type Attributes = Readonly<Record<string, string>>;

interface Place {
  readonly logicalId: string;
  /** The region that the template is deployed to. */
  readonly region: string;
}

interface TemplateGap {
  readonly gap: string;
  readonly instead: string;
  readonly concerns: (resource: Resource, place: Place) => boolean;
  /** The resource type, if its resources are created elsewhere. */
  readonly type?: string;
  /** The resource in a form that the emulator supports. */
  readonly replace?: (resource: Resource, place: Place) => Resource;
  /** Creates the resource through the service's own API. */
  readonly make?: (resource: Resource, cloudFront: CloudFrontClient) => Promise<Attributes>;
}

/** A gap without `replace` and `make` leaves the resource out. */
export const TEMPLATE_GAPS: readonly TemplateGap[] = [
  {
    gap: 'CloudWatch alarms on metric math are refused',
    instead: 'the alarm is created on the first of its metrics; its real definition is checked by cfn-lint and infra/test',
    concerns: ({ Type, Properties }) => Type === 'AWS::CloudWatch::Alarm' && Properties?.Metrics !== undefined,
    replace: ({ Properties: { Metrics, ...others }, ...resource }) => {
      const { Metric, Period, Stat } = Metrics.find((each: Json) => each.MetricStat !== undefined).MetricStat;
      return { ...resource, Properties: { ...others, ...Metric, Period, Statistic: Stat } };
    },
  },
  {
    gap: 'AWS::CodeDeploy is not supported, so production has no canary',
    instead: 'left out: the alias moves immediately; infra/test checks the canary',
    concerns: ({ Type }) => Type.startsWith('AWS::CodeDeploy::'),
  },
  {
    gap: 'CloudFormation does not support AWS::Logs::Delivery and what belongs to it, and nothing is logged',
    instead: 'left out: cfn-lint and infra/test check them; a test puts the log into the bucket',
    concerns: ({ Type }) => Type.startsWith('AWS::Logs::Delivery'),
  },
  {
    gap: 'CloudFormation does not support AWS::Budgets::Budget',
    instead: 'left out: cfn-lint and infra/test check it',
    concerns: ({ Type }) => Type === 'AWS::Budgets::Budget',
  },
  {
    gap: "the update policy of an alias that CodeDeploy moves names CodeDeploy's application",
    instead: 'the alias is created without its update policy',
    concerns: ({ UpdatePolicy }) => UpdatePolicy?.CodeDeployLambdaAliasUpdate !== undefined,
    replace: ({ UpdatePolicy: _, ...others }) => others,
  },
  {
    gap: 'generated names of roles come from the stack and the logical id alone, so that a stage has the same roles in two regions',
    instead: 'outside the first region, roles have names with their region',
    concerns: ({ Type, Properties }, { region }) => Type === 'AWS::IAM::Role' && Properties?.RoleName === undefined && region !== REGION,
    replace: ({ Properties, ...resource }, { logicalId, region }) => ({
      ...resource,
      Properties: { ...Properties, RoleName: { 'Fn::Sub': `\${AWS::StackName}-${logicalId.slice(-16)}-${region}` } },
    }),
  },
  {
    gap: 'CloudFormation does not support AWS::CloudFront::ConnectionGroup',
    instead: "created through CloudFront's API",
    concerns: ({ Type }) => Type === 'AWS::CloudFront::ConnectionGroup',
    type: 'AWS::CloudFront::ConnectionGroup',
    make: async ({ Properties: { Name, Enabled } }, cloudFront) => {
      const group = await connectionGroup(cloudFront, Name, Enabled !== false);
      return { Ref: group?.Id ?? '', Id: group?.Id ?? '', Arn: group?.Arn ?? '', RoutingEndpoint: group?.RoutingEndpoint ?? '' };
    },
  },
  {
    gap: 'CloudFormation does not support AWS::CloudFront::DistributionTenant',
    instead: 'left out: cfn-lint and infra/test check it',
    concerns: ({ Type }) => Type === 'AWS::CloudFront::DistributionTenant',
  },
];

/** Changes an output that is of no use in the emulator. */
const OUTPUT_GAPS: readonly { readonly gap: string; readonly instead: string; readonly replace: (template: Json) => Json }[] = [
  {
    gap: "an HTTP API's own domain is not served",
    instead: "the output Url is API Gateway's host name, which the emulator serves although it is disabled",
    replace: (template) => {
      const [api] = Object.entries<Resource>(template.Resources).find(([, { Type }]) => Type === 'AWS::ApiGatewayV2::Api') ?? [];
      if (api === undefined || typeof template.Outputs?.Url?.Value !== 'string') return template;
      return { ...template, Outputs: { ...template.Outputs, Url: { ...template.Outputs.Url, Value: { 'Fn::GetAtt': [api, 'ApiEndpoint'] } } } };
    },
  },
];

const OUTPUTS_OF_REGIONS = {
  gap: "a reference to another region's stack is looked up in the stack's own region",
  instead: 'the value replaces the reference when the template is uploaded',
};

/** Every gap and what the run does instead. */
export const ALL_GAPS: readonly { readonly gap: string; readonly instead: string }[] = [...TEMPLATE_GAPS, ...OUTPUT_GAPS, OUTPUTS_OF_REGIONS];

async function connectionGroup(cloudFront: CloudFrontClient, Name: string, Enabled: boolean) {
  try {
    return (await cloudFront.send(new CreateConnectionGroupCommand({ Name, Enabled }))).ConnectionGroup;
  } catch (error) {
    if (!(error instanceof EntityAlreadyExists)) throw error;
    return (await cloudFront.send(new GetConnectionGroupCommand({ Identifier: Name }))).ConnectionGroup;
  }
}

export interface GapCloser {
  /** Changes a template that is uploaded to the assets bucket. @returns undefined for any other request */
  adjust(call: Call, request: WireRequest): Promise<WireRequest | undefined>;
  /** The types of the resources left out of templates so far, by logical id. */
  readonly leftOut: ReadonlyMap<string, string>;
}

/** @param endpoint the emulator itself */
export function createGapCloser(endpoint: string, administrator: Credentials): GapCloser {
  const cloudFront = new CloudFrontClient({ endpoint, region: 'us-east-1', credentials: administrator });
  const leftOut = new Map<string, string>();

  /** Replaces references to outputs of stacks in other regions by their values. */
  async function withOutputs(value: Json, own: string): Promise<Json> {
    if (Array.isArray(value)) return Promise.all(value.map((each) => withOutputs(each, own)));
    if (value === null || typeof value !== 'object') return value;
    const { StackName, OutputName, Region = own } = value['Fn::GetStackOutput'] ?? {};
    if (Region !== own) return outputOf(Region, StackName, OutputName);
    return Object.fromEntries(await Promise.all(Object.entries<Json>(value).map(async ([key, each]) => [key, await withOutputs(each, own)])));
  }

  async function outputOf(region: string, StackName: string, OutputName: string): Promise<string> {
    const client = new CloudFormationClient({ endpoint, region, credentials: administrator });
    const { Stacks = [] } = await client.send(new DescribeStacksCommand({ StackName }));
    client.destroy();
    const found = Stacks[0]?.Outputs?.find(({ OutputKey }) => OutputKey === OutputName)?.OutputValue;
    if (found === undefined) throw new Error(`${StackName} in ${region} has no output ${OutputName}`);
    return found;
  }

  async function close(template: Json, region: string): Promise<Json> {
    const resources: Record<string, Resource> = {};
    const known = new Map<string, Attributes>();
    for (const [id, resource] of Object.entries<Resource>(template.Resources)) {
      const place = { logicalId: id, region };
      const gaps = TEMPLATE_GAPS.filter(({ concerns }) => concerns(resource, place));
      const [missing] = gaps.filter(({ replace }) => replace === undefined);
      if (missing === undefined) resources[id] = gaps.reduce((each, { replace }) => replace?.(each, place) ?? each, resource);
      else known.set(id, (await missing.make?.(resource, cloudFront)) ?? {});
      if (missing !== undefined && missing.make === undefined) leftOut.set(id, resource.Type);
    }
    const kept = Object.fromEntries(Object.entries(resources).map(([id, resource]) => [id, withoutDependencies(resource, known)]));
    return withoutReferences(
      OUTPUT_GAPS.reduce((each, { replace }) => replace(each), { ...template, Resources: kept }),
      known,
    );
  }

  return {
    leftOut,
    adjust: async (call, request) => {
      if (call.service !== 's3' || call.operation !== 'PutObject' || !String(call.input.Key).endsWith('.json')) return undefined;
      const template = parsed(call.input.Body);
      if (template?.Resources === undefined) return undefined;
      const region = call.region ?? REGION;
      const body = Buffer.from(JSON.stringify(await close(await withOutputs(template, region), region)));
      return signed({ ...unchunked(request), body }, 's3', call.region ?? '', administrator);
    },
  };
}

function parsed(body: unknown): Json {
  try {
    return JSON.parse(String(body));
  } catch {
    return undefined;
  }
}

function withoutDependencies({ DependsOn, ...resource }: Resource, known: ReadonlyMap<string, Attributes>): Resource {
  const left = [DependsOn ?? []].flat().filter((id) => !known.has(id));
  return left.length === 0 ? resource : { ...resource, DependsOn: left };
}

/** Replaces references to resources that are not in the template by their values, or by their logical ids. */
function withoutReferences(value: Json, known: ReadonlyMap<string, Attributes>): Json {
  if (Array.isArray(value)) return value.map((each) => withoutReferences(each, known));
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries<Json>(value);
  const [name, argument] = entries.length === 1 ? (entries[0] ?? []) : [];
  const valueFor = (id: string, attribute: string) => (known.has(id) ? (known.get(id)?.[attribute] ?? id) : undefined);
  if (name === 'Ref') return valueFor(argument, 'Ref') ?? value;
  if (name === 'Fn::GetAtt') {
    const [id = '', ...attribute] = typeof argument === 'string' ? argument.split('.') : argument;
    return valueFor(id, attribute.join('.')) ?? value;
  }
  if (name === 'Fn::Sub') {
    const [text, own = {}] = [argument].flat();
    const changed = substituted(text, (id, attribute) => (Object.hasOwn(own, id) ? undefined : valueFor(id, attribute)));
    return { [name]: Array.isArray(argument) ? [changed, withoutReferences(own, known)] : changed };
  }
  return Object.fromEntries(entries.map(([key, each]) => [key, withoutReferences(each, known)]));
}

/** Replaces `${id}` and `${id.attribute}` where a value is known. `${!id}` is a literal. */
function substituted(text: string, valueFor: (id: string, attribute: string) => string | undefined): string {
  return text.replace(/\$\{(\w+)(?:\.([\w.]+))?\}/g, (whole, id: string, attribute = 'Ref') => valueFor(id, attribute) ?? whole);
}
