// What the templates and the code that runs in them have to agree on: keys of tables, settings of functions, limits of time, signatures, the workflow.

import { afterAll, describe, expect, test } from 'vitest';
import { LONGEST_CALL_MS } from '../../adapters/store/dynamodb/calls.ts';
import { TTL_ATTRIBUTE, tableDefinitions } from '../../adapters/store/dynamodb/tables.ts';
import {
  catalogueSettings,
  controlSettings,
  domainSettings,
  failoverSettings,
  notifierSettings,
  parseEnvironment,
  probeSettings,
} from '../../platforms/aws/function-settings.ts';
import { type ParameterGroup, type ParameterOf, parameterName } from '../../platforms/aws/stage-parameters.ts';
import { CONTROL_PREFIX, DEPLOY_PREFIX } from '../../service/control/operation.ts';
import { ALLOWED_HEADERS, ALLOWED_METHODS, EXPOSED_HEADERS, PREFLIGHT_MAX_AGE_SECONDS } from '../../service/http/cors-headers.ts';
import { makeFolder } from '../../test/support/folders.ts';
import { everySetting, THREE_STAGES } from '../../test/support/stage-settings.ts';
import { domainWorkflow, STEP_TIMEOUT_SECONDS } from '../workflow/definition.ts';
import { deployedStage } from './support/deployed-templates.ts';
import { makeApp, makeStages } from './support/synthesis.ts';

const folder = makeFolder();
afterAll(() => folder.remove());

const stages = makeStages(makeApp(folder.path), everySetting(THREE_STAGES), THREE_STAGES).map(
  (stage) => [stage.stageName, deployedStage(stage)] as const,
);

const parsing = (schema: Parameters<typeof parseEnvironment<object>>[0]) => (environment: Record<string, string>) =>
  parseEnvironment(schema, environment);

/** By the start of a function's logical id: its settings, and bounds of its time in seconds: what its work takes, and what its caller waits. */
const FUNCTIONS: Readonly<Record<string, readonly [parse: (environment: Record<string, string>) => object, least: number, most: number]>> = {
  // Two calls to storage. An HTTP API waits 30 seconds (API Gateway, "Quotas for HTTP APIs").
  Api: [parsing(catalogueSettings), (2 * LONGEST_CALL_MS) / 1_000, 30],
  Control: [parsing(controlSettings), (4 * LONGEST_CALL_MS) / 1_000, 30],
  // A lookup takes up to a minute.
  Steps: [parsing(domainSettings), 60, STEP_TIMEOUT_SECONDS],
  // The next event comes after five minutes, or after one.
  Sweep: [parsing(domainSettings), 120, 300],
  Notifier: [parsing(notifierSettings), 30, 60],
  Probe: [parsing(probeSettings), 20, 60],
  // CloudFront waits 30 seconds for an origin.
  Failover: [parsing(failoverSettings), 5, 30],
};

describe.each(stages)('%s', (name, stage) => {
  const parameter = <Group extends ParameterGroup>(group: Group, of: ParameterOf<Group>) => String(stage.parameter(parameterName(name, group, of)));
  const functions = stage.resources('AWS::Lambda::Function').map(({ id, properties }) => {
    const [kind = expect.fail(`${id} is in no row`)] = Object.keys(FUNCTIONS).filter((each) => id.startsWith(each));
    return { id, kind, properties };
  });
  /** Of the type's resources, the values that the property has, or the names that AWS generates. */
  const idsOf = (type: string) => stage.resources(type).map(({ stack, id }) => `${stack}-${id}`.toLowerCase());

  test('tables have the keys and indexes that the adapters use, and expire items by the attribute that they write', () => {
    const tables = { pets: parameter('tables', 'pets'), usage: parameter('tables', 'usage'), control: parameter('tables', 'control') };
    const definitions = tableDefinitions({ ...tables, audit: parameter('tables', 'audit') });
    const deployed = stage.resources('AWS::DynamoDB::GlobalTable').map(({ properties }) => properties);
    expect(deployed).toHaveLength(definitions.length);
    for (const { TableName, AttributeDefinitions = [], ...others } of definitions) {
      const properties = deployed.find((each) => each.TableName === TableName);
      // What an account has used belongs to the account, which has no end.
      const ttl = TableName === tables.usage ? undefined : { AttributeName: TTL_ATTRIBUTE, Enabled: true };
      expect(properties).toMatchObject(others);
      for (const { GlobalSecondaryIndexes: indexes = [] } of properties.Replicas)
        expect(indexes.map(({ IndexName }: { IndexName: string }) => IndexName)).toEqual(
          others.GlobalSecondaryIndexes?.map(({ IndexName }) => IndexName) ?? [],
        );
      expect(new Set(properties.AttributeDefinitions)).toEqual(new Set(AttributeDefinitions));
      expect(properties.TimeToLiveSpecification).toEqual(ttl);
    }
  });

  test('every function finds its settings, and each names what it says', () => {
    /** What only some functions have, or what is in no parameter. */
    const known: Readonly<Record<string, readonly string[]>> = {
      PETS_TABLE: [parameter('tables', 'pets')],
      USAGE_TABLE: [parameter('tables', 'usage')],
      CONTROL_TABLE: [parameter('tables', 'control')],
      AUDIT_TABLE: [parameter('tables', 'audit')],
      KEY_MODE: [parameter('tables', 'key-mode')],
      EDGE_NAME: [parameter('edge', 'name')],
      SITES_BUCKET: [parameter('edge', 'bucket')],
      EDGE_MAP_ARN: [parameter('edge', 'map')],
      WORKFLOW_ARN: [parameter('edge', 'workflow')],
      ZONE_IDS: [parameter('edge', 'zones')],
      ROUTING_ENDPOINT_PARAMETER: [parameterName(name, 'edge', 'routing-endpoint')],
      PUBLISH_FUNCTION: idsOf('AWS::Lambda::Function')
        .filter((id) => id.includes('-steps'))
        .map((id) => `arn:aws:lambda:eu-central-1:123456789012:function:${id}`),
      STAGE: [name],
      API_URL: [`https://api.${name}.example.com`],
      SERVICE_NAME: [`petstore-${name}`],
      SENDS_MAIL: ['on'],
      SERVES_TARGETS: ['on'],
      DRAFT_HEADERS: ['on'],
      POWERTOOLS_LOG_LEVEL: ['INFO'],
      USER_POOL_ID: stage.resources('AWS::Cognito::UserPool').map(({ id }) => `eu-central-1_${id}`),
      CONNECTION_GROUP: stage.resources('AWS::CloudFront::ConnectionGroup').map(({ properties }) => properties.Name),
    };
    for (const { id, kind, properties } of functions) {
      const variables: Record<string, string> = properties.Environment.Variables;
      expect(() => FUNCTIONS[kind]?.[0](variables), id).not.toThrow();
      for (const [variable, value] of Object.entries(variables))
        if (known[variable] !== undefined) expect(known[variable], `${id} ${variable}`).toContain(value);
    }
  });

  test('with every setting on, every function has each variable that it reads, and none that it does not', () => {
    /** What these functions share with others and do not use, and what the logger reads itself. */
    const unused: Readonly<Record<string, readonly string[]>> = { Steps: ['WORKFLOW_ARN', 'SITES_BUCKET', 'ZONE_IDS'], Sweep: ['ZONE_IDS'] };
    for (const { id, kind, properties } of functions) {
      const { POWERTOOLS_LOG_LEVEL: _, ...variables } = properties.Environment.Variables as Record<string, string>;
      const read = new Set<string>();
      const get = (from: Record<string, string>, variable: string) => {
        read.add(variable);
        return from[variable];
      };
      FUNCTIONS[kind]?.[0](new Proxy(variables, { get }));
      expect(Object.keys(variables).sort(), id).toEqual([...read].filter((each) => !unused[kind]?.includes(each)).sort());
    }
  });

  test('every function has the time that its work takes, and ends before its caller stops waiting', () => {
    for (const { id, kind, properties } of functions) {
      const [, least = 0, most = 0] = FUNCTIONS[kind] ?? [];
      expect(properties.Timeout, id).toBeGreaterThanOrEqual(least);
      expect(properties.Timeout, id).toBeLessThanOrEqual(most);
      expect(properties.MemorySize, id).toBeGreaterThanOrEqual(256);
      // With 1,769 MB, a function has one whole processor, and Node uses no second one.
      expect(properties.MemorySize, id).toBeLessThanOrEqual(1_769);
    }
  });

  test('CloudFront signs every request to an origin that asks for a signature, in the form that it checks', () => {
    const controls = stage.resources('AWS::CloudFront::OriginAccessControl').map(({ properties }) => properties.OriginAccessControlConfig);
    expect(controls.length).toBeGreaterThanOrEqual(3);
    for (const control of controls) expect(control).toMatchObject({ SigningBehavior: 'always', SigningProtocol: 'sigv4' });
    const controlIds = (type: string) =>
      stage
        .resources('AWS::CloudFront::OriginAccessControl')
        .filter(({ properties }) => properties.OriginAccessControlConfig.OriginAccessControlOriginType === type)
        .map(({ stack, id }) => `${stack}-${id}`.toLowerCase());
    const origins = stage.resources('AWS::CloudFront::Distribution').flatMap(({ properties }) => properties.DistributionConfig.Origins);
    for (const { DomainName, OriginAccessControlId, S3OriginConfig } of origins)
      if (S3OriginConfig !== undefined)
        expect([controlIds('s3').includes(OriginAccessControlId), S3OriginConfig]).toEqual([true, { OriginAccessIdentity: '' }]);
      else if (DomainName?.includes('.lambda-url.')) expect(controlIds('lambda')).toContain(OriginAccessControlId);
      else expect(OriginAccessControlId).toBeUndefined();
  });

  test("the dashboard's distribution passes each path of the control API on, and no other", () => {
    const keys = stage
      .resources('AWS::ApiGatewayV2::Route')
      .filter(({ stack }) => stack.endsWith('-Dashboard'))
      .map(({ properties }) => properties.RouteKey);
    const paths = keys.flatMap((key) => /^\w+ (.*)\/\{proxy\+\}$/.exec(key)?.slice(1) ?? []).map((path) => `${path}/*`);
    const behaviors = stage
      .resources('AWS::CloudFront::Distribution')
      .flatMap(({ properties }) => properties.DistributionConfig.CacheBehaviors ?? []);
    expect(new Set(behaviors.map(({ PathPattern }) => PathPattern))).toEqual(new Set(paths));
    expect(new Set(paths)).toEqual(new Set([`${CONTROL_PREFIX}/*`, `${DEPLOY_PREFIX}/*`]));
  });

  test('APIs are served without a stage in their paths, and answer preflight requests as the service does', () => {
    for (const { properties } of stage.resources('AWS::ApiGatewayV2::Stage'))
      expect(properties).toMatchObject({ StageName: '$default', AutoDeploy: true });
    const cors = stage.resources('AWS::ApiGatewayV2::Api').flatMap(({ properties }) => properties.CorsConfiguration ?? []);
    expect(cors).toEqual([
      {
        AllowOrigins: ['*'],
        AllowMethods: ALLOWED_METHODS,
        AllowHeaders: ALLOWED_HEADERS,
        ExposeHeaders: EXPOSED_HEADERS,
        MaxAge: PREFLIGHT_MAX_AGE_SECONDS,
      },
    ]);
  });

  test('users sign in with their email address, which is verified, and by which they get a new password', () => {
    for (const { properties } of stage.resources('AWS::Cognito::UserPool'))
      expect(properties).toMatchObject({
        UsernameAttributes: ['email'],
        UsernameConfiguration: { CaseSensitive: false },
        AutoVerifiedAttributes: ['email'],
        AccountRecoverySetting: { RecoveryMechanisms: [{ Name: 'verified_email', Priority: 1 }] },
      });
  });

  test("sign-in begins at the pool's own pages and ends at the dashboard, which knows its client", () => {
    const configuration = JSON.parse(parameter('dashboard', 'configuration'));
    const [domain] = stage.resources('AWS::Cognito::UserPoolDomain').map(({ properties }) => properties.Domain);
    const [dashboard, commandLine] = stage.resources('AWS::Cognito::UserPoolClient').toSorted((one, other) => (one.id < other.id ? -1 : 1));
    expect([configuration.clientId, configuration.commandLine.clientId]).toEqual(
      [dashboard, commandLine].map((each) => `${each?.stack}-${each?.id}`.toLowerCase()),
    );
    for (const url of Object.values<string>(configuration.metadata).slice(1))
      expect(new URL(url).hostname).toBe(`${domain}.auth.eu-central-1.amazoncognito.com`);
    const [origin] = stage.resources('AWS::Lambda::Function').flatMap(({ properties }) => properties.Environment.Variables.DASHBOARD_URL ?? []);
    const { CallbackURLs, LogoutURLs } = dashboard?.properties ?? {};
    // dashboard/src/session.ts
    expect([CallbackURLs, LogoutURLs]).toEqual([[`${origin}/signed-in`], [`${origin}/`]]);
    // All callers send their tokens there: dashboard/src/session.ts, client/, cli/.
    for (const { properties } of stage.resources('AWS::ApiGatewayV2::Authorizer'))
      expect([properties.JwtConfiguration.Issuer, properties.IdentitySource]).toEqual([
        configuration.metadata.issuer,
        ['$request.header.Authorization'],
      ]);
    const [pool] = stage.resources('AWS::Cognito::UserPool').map(({ id }) => `eu-central-1_${id}`);
    expect(configuration.metadata.issuer).toBe(`https://cognito-idp.eu-central-1.amazonaws.com/${pool}`);
  });

  test('a release that fails or is stopped is reported: the pattern matches the events that CodeDeploy sends about it', () => {
    const applications = stage.resources('AWS::CodeDeploy::Application').map(({ properties }) => properties.ApplicationName);
    const patterns = stage.resources('AWS::Events::Rule').flatMap(({ properties }) => properties.EventPattern ?? []);
    // CodeDeploy User Guide, "Monitoring deployments with Amazon CloudWatch Events".
    const type = { source: ['aws.codedeploy'], 'detail-type': ['CodeDeploy Deployment State-change Notification'] };
    expect(patterns).toEqual(applications.map((application) => ({ ...type, detail: { application: [application], state: ['FAILURE', 'STOP'] } })));
  });

  test("alarms and routes use the alias that releases change, and domain names an API's own stage", () => {
    const aliases = stage.resources('AWS::Lambda::Alias').map(({ properties }) => `${properties.FunctionName}:${properties.Name}`);
    const watched = stage
      .resources('AWS::CloudWatch::Alarm')
      .flatMap(({ properties }) => properties.Dimensions ?? [])
      .filter(({ Name }: { Name: string }) => Name === 'Resource');
    for (const { Value } of watched) expect(aliases).toContain(Value);
    const served = stage.resources('AWS::ApiGatewayV2::Stage').map(({ properties }) => `${properties.ApiId}/${properties.StageName}`);
    for (const { properties } of stage.resources('AWS::ApiGatewayV2::ApiMapping'))
      expect(served).toContain(`${properties.ApiId}/${properties.Stage}`);
  });

  test('every request to an API is logged as JSON with its id, in a group that no function writes to', () => {
    const ofFunctions = functions.map(({ properties }) => properties.LoggingConfig.LogGroup);
    for (const { id, properties } of stage.resources('AWS::ApiGatewayV2::Stage')) {
      const { DestinationArn = '', Format = '{}' } = properties.AccessLogSettings ?? {};
      const group = /:log-group:([^:]+)/.exec(DestinationArn)?.[1];
      expect(idsOf('AWS::Logs::LogGroup'), id).toContain(group);
      expect(ofFunctions, id).not.toContain(group);
      expect(JSON.parse(Format), id).toMatchObject({ requestId: '$context.requestId', status: '$context.status' });
    }
  });

  test('the state machine is the workflow that is tested, with the function for steps', () => {
    const [steps] = idsOf('AWS::Lambda::Function').filter((id) => id.includes('-steps'));
    const arn = `arn:aws:lambda:eu-central-1:123456789012:function:${steps}`;
    const [machine] = stage.resources('AWS::StepFunctions::StateMachine');
    expect(JSON.parse(machine?.properties.DefinitionString)).toEqual(JSON.parse(JSON.stringify(domainWorkflow(arn))));
  });
});
