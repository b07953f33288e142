// Small faults in templates, as an editor's slip makes them: another action, number, attribute, reference, policy, or nothing where something was.

// biome-ignore lint/suspicious/noExplicitAny: templates are what CloudFormation takes, and that is anything
type Json = any;
type Path = readonly (string | number)[];

/** A fault at one place, in every stage that has it. */
export interface Mutation {
  /** The stack's id in its stage. */
  readonly stack: string;
  readonly path: Path;
  /** The changed value; undefined removes it. */
  readonly to: Json;
}

/** The environment variable with the mutation of a run. */
export const MUTATION_VARIABLE = 'INFRA_MUTATION';

/** Texts for people, and what the CDK or the build writes: no change of these is a fault. */
const EQUIVALENT =
  /^(?:Description|AlarmDescription|Comment|Sid|Tags|UserPoolTags|Metadata|DashboardBody|DependsOn|Label|Code|FunctionCode|S3Key|S3Bucket|Content|DisplayName|EmailVerificationMessage|EmailVerificationSubject|SmsVerificationMessage|InviteMessageTemplate|VerificationMessageTemplate|UpdatePolicy|Layers|Conditions|CDKMetadata)$/;
/** Types that only the CDK's own code reads. */
const SKIPPED_TYPES = /^(?:AWS::CDK::|Custom::)/;

/** Values that have an opposite which AWS also accepts. */
const OPPOSITES: Readonly<Record<string, string>> = {
  Allow: 'Deny',
  always: 'never',
  Retain: 'Delete',
  RetainExceptOnCreate: 'Delete',
  Delete: 'Retain',
  Snapshot: 'Delete',
  Enabled: 'Disabled',
  ENABLED: 'DISABLED',
  'https-only': 'http-only',
  'redirect-to-https': 'allow-all',
  AWS_IAM: 'NONE',
  JWT: 'NONE',
  GreaterThanThreshold: 'LessThanThreshold',
  LessThanThreshold: 'GreaterThanThreshold',
  breaching: 'notBreaching',
  notBreaching: 'breaching',
  Sum: 'Average',
  Average: 'Sum',
  Maximum: 'Minimum',
  p99: 'p50',
  KEYS_ONLY: 'ALL',
  INCLUDE: 'KEYS_ONLY',
  ALL: 'KEYS_ONLY',
  OFF: 'ON',
};

/** What AWS, or its library, takes for a property that is missing: without it, nothing changes. */
const DEFAULTS: Readonly<Record<string, string | number>> = {
  // CloudFormation Template Reference, "DeletionPolicy attribute" and "UpdateReplacePolicy attribute": without one, the resource is deleted.
  DeletionPolicy: 'Delete',
  UpdateReplacePolicy: 'Delete',
  // CloudFormation Template Reference, AWS::IAM::Role: one hour.
  MaxSessionDuration: 3_600,
  // AWS::DynamoDB::GlobalTable SSESpecification: an enabled encryption is of this type, the only one.
  SSEType: 'KMS',
  // Powertools for AWS Lambda (TypeScript), "Logger", "Log levels".
  POWERTOOLS_LOG_LEVEL: 'INFO',
};

/** Every mutation of a stage's templates that `random` can choose: first a kind of value, then one of them. */
export function mutationOf(templates: ReadonlyMap<string, Json>, random: () => number): Mutation {
  const places = [...templates].flatMap(([stack, { Resources, Outputs = {} }]) => [
    ...Object.entries<Json>(Resources)
      .filter(([, { Type }]) => !SKIPPED_TYPES.test(Type))
      .flatMap(([id, { Type, ...resource }]) =>
        placesIn(withDefinition(resource), ['Resources', id]).map((path) => ({ stack, path, kind: kindOf(Type, path) })),
      ),
    ...Object.keys(Outputs).map((id) => ({ stack, path: ['Outputs', id, 'Value'], kind: 'Outputs' })),
  ]);
  const kinds = [...Map.groupBy(places, ({ kind }) => kind).values()];
  const everything = JSON.stringify([...templates.values()]);
  /** A name that nothing else refers to is as good as any, even if it is a logical id, too: those are keys. */
  const isOnlyName = (path: Path, value: Json) =>
    /Name$/.test(String(path.at(-1))) &&
    typeof value === 'string' &&
    everything.replaceAll(`${JSON.stringify(value)}:`, '').split(JSON.stringify(value)).length === 2;
  /** An id in an alarm that no expression there has (CloudWatch API Reference, "MetricDataQuery") is as good as any, too. */
  const isOnlyId = (template: Json, path: Path) => {
    const metrics: Json[] = path.at(-1) === 'Id' && path.at(-3) === 'Metrics' ? valueAt(template, path.slice(0, -2)) : [];
    return metrics.length > 0 && !metrics.some(({ Expression = '' }) => Expression.split(/\W+/).includes(valueAt(template, path)));
  };
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  for (;;) {
    const { stack, path } = pick(pick(kinds));
    const template = withDefinitions(templates.get(stack));
    const value = valueAt(template, path);
    if (isOnlyName(path, value) || isOnlyId(template, path)) continue;
    const to = random() < 0.25 ? undefined : changed(value, template, templates, pick);
    // What is missing is off, and a rule that does not say so is on.
    if (to === undefined && (value === false || value === 'ENABLED' || value === DEFAULTS[String(path.at(-1))])) continue;
    if (JSON.stringify(to) !== JSON.stringify(value)) return { stack, path, to };
  }
}

/** Returns the template with the fault, if it has the place. */
export function mutated(template: Json, { path, to }: Mutation): Json {
  const copy = withDefinitions(structuredClone(template));
  const [section = '', id = '', ...rest] = path;
  // The id of a function's version ends with a digest of the function, which `templatesOf` leaves out.
  const ownId = Object.keys(copy[section] ?? {}).find((each) => each.replace(/(?<=CurrentVersion\w{8})[0-9a-f]{32}$/, '') === id);
  const parent = valueAt(copy, [section, ownId ?? id, ...rest.slice(0, -1)]);
  const last = path.at(-1) ?? '';
  if (parent?.[last] === undefined) return template;
  if (to !== undefined) parent[last] = to;
  else if (Array.isArray(parent)) parent.splice(Number(last), 1);
  else delete parent[last];
  return withoutDefinitions(copy);
}

/** The places of all values inside, and of everything that is an item of a list. */
function placesIn(value: Json, path: Path): Path[] {
  if (value === null || typeof value !== 'object' || isReference(value)) return [path];
  return Object.entries<Json>(value)
    .filter(([key]) => !EQUIVALENT.test(key))
    .flatMap(([key, each]) => placesIn(each, [...path, Array.isArray(value) ? Number(key) : key]));
}

/** Items of lists, and the states of a state machine, are of one kind. */
const kindOf = (type: string, path: Path) =>
  [type, ...path.slice(2).map((key, index, keys) => (typeof key === 'number' || keys[index - 1] === 'States' ? '*' : key))].join('.');

const isReference = (value: object) => Object.keys(value).length === 1 && /^(?:Ref|Fn::GetAtt|Fn::GetStackOutput)$/.test(Object.keys(value)[0] ?? '');

const valueAt = (value: Json, path: Path): Json => path.reduce((inside, key) => inside?.[key], value);

function changed(value: Json, template: Json, templates: ReadonlyMap<string, Json>, pick: <T>(items: readonly T[]) => T): Json {
  if (typeof value === 'boolean') return !value;
  if (typeof value === 'number') return value === 0 ? 1 : pick([value * 10, Math.floor(value / 10)]);
  if (typeof value === 'string')
    return OPPOSITES[value] ?? (/^\d+$/.test(value) ? String(Number(value) + 1) : `${value.slice(0, -1)}${value.endsWith('x') ? 'y' : 'x'}`);
  const [name, argument] = Object.entries<Json>(value ?? {})[0] ?? [];
  if (name === 'Fn::GetStackOutput') {
    const outputs = Object.keys(templates.get(argument.StackName.split('-').at(-1)).Outputs).filter((each) => each !== argument.OutputName);
    return { [name]: { ...argument, OutputName: pick(outputs) } };
  }
  const [id, attribute] = [argument].flat();
  const resources = template.Resources;
  const others = Object.keys(resources).filter((each) => each !== id && resources[each].Type === resources[id]?.Type);
  // The id instead of the ARN, or another resource of the type.
  if (name === 'Fn::GetAtt') {
    const faults = [...(attribute === 'Id' ? [] : [{ Ref: id }]), ...(others.length > 0 ? [{ [name]: [pick(others), attribute] }] : [])];
    return faults.length > 0 ? pick(faults) : value;
  }
  if (name === 'Ref') return others.length > 0 ? { Ref: pick(others) } : undefined;
  return undefined;
}

/** Around a reference inside a definition. */
const MARK = '%%';

/** Makes the fields of state machines places: their definitions are JSON in texts that have references in between. */
function withDefinitions(template: Json): Json {
  return {
    ...template,
    Resources: Object.fromEntries(Object.entries<Json>(template.Resources).map(([id, resource]) => [id, withDefinition(resource)])),
  };
}

function withDefinition(resource: Json): Json {
  const parts: Json[] | undefined = resource.Properties?.DefinitionString?.['Fn::Join']?.[1];
  if (parts === undefined) return resource;
  const text = parts.map((part) => (typeof part === 'string' ? part : `${MARK}${Buffer.from(JSON.stringify(part)).toString('hex')}${MARK}`)).join('');
  return { ...resource, Properties: { ...resource.Properties, DefinitionString: JSON.parse(text) } };
}

function withoutDefinitions(template: Json): Json {
  for (const { Properties } of Object.values<Json>(template.Resources)) {
    if (Properties?.DefinitionString?.States === undefined) continue;
    const parts = JSON.stringify(Properties.DefinitionString).split(MARK);
    Properties.DefinitionString = {
      'Fn::Join': ['', parts.map((part, index) => (index % 2 === 0 ? part : JSON.parse(Buffer.from(part, 'hex').toString())))],
    };
  }
  return template;
}
