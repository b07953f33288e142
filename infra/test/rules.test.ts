// Rules of form that hold for every resource of every stage, whatever it is for.

import { Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { afterAll, describe, expect, test } from 'vitest';
import { listOf } from '../../judge/rules.ts';
import { makeFolder } from '../../test/support/folders.ts';
import { everySetting, THREE_STAGES } from '../../test/support/stage-settings.ts';
import { ACCOUNT, deployedStage, REGION } from './support/deployed-templates.ts';
import { statementsOf } from './support/policies.ts';
import { makeApp, makeStages } from './support/synthesis.ts';

const folder = makeFolder();
afterAll(() => folder.remove());

// biome-ignore lint/suspicious/noExplicitAny: properties of any resource
type Json = any;

interface Place {
  /** Stack, logical id and path. */
  readonly at: string;
  readonly key: string;
  readonly value: Json;
  readonly parent: Json;
}

function* placesIn(parent: Json, at: string): Generator<Place> {
  if (parent === null || typeof parent !== 'object') return;
  for (const [key, value] of Object.entries<Json>(parent)) {
    yield { at: `${at}.${key}`, key, value, parent };
    yield* placesIn(value, `${at}.${key}`);
  }
}

const settings = everySetting(THREE_STAGES);
const stages = makeStages(makeApp(folder.path), settings, THREE_STAGES).map((stage) => {
  const resolved = deployedStage(stage);
  const resources = resolved.types().flatMap((type) => resolved.resources(type).map((each) => ({ ...each, type })));
  const templates = stage.node.children.filter(Stack.isStack).map((stack) => Template.fromStack(stack).toJSON());
  return [
    stage.stageName,
    { resolved, resources, templates, places: resources.flatMap(({ id, properties }) => [...placesIn(properties, id)]) },
  ] as const;
});

describe.each(stages)('%s', (name, { resolved, resources, templates, places }) => {
  /** The places with this key whose value is wrong. */
  const wrong = (key: RegExp, isRight: (value: Json, parent: Json) => boolean) =>
    places.filter((place) => key.test(place.key) && !isRight(place.value, place.parent)).map(({ at, value }) => `${at}: ${JSON.stringify(value)}`);
  const idOf = ({ stack, id }: { readonly stack: string; readonly id: string }) => `${stack}-${id}`.toLowerCase();

  test('where an ARN is wanted, there is one, of an account and a region of this stage', () => {
    const isArn = (value: Json) =>
      listOf(value).every((each) => typeof each !== 'string' || /^(?:arn:aws:[a-z0-9-]+:[a-z0-9-]*:(?:|aws|\d{12}):.|\*$)/.test(each));
    expect(
      wrong(
        /(?:Arn|Arns|_ARN|StoreARN)$|^(?:AlarmActions|OKActions|SourceArn|Topics)$/,
        (value, { Ref }) => Ref !== undefined || isArn(value) || (typeof value === 'object' && !Array.isArray(value)),
      ),
    ).toEqual([]);
    const inPolicies = statementsOf(resolved).flatMap(({ place, Resource }) =>
      listOf(Resource ?? [])
        .filter((each) => !isArn(each))
        .map((each) => `${place}: ${each}`),
    );
    expect(inPolicies).toEqual([]);
    const strangers = places.filter(
      ({ value }) => typeof value === 'string' && /^arn:aws:[^:]*:[^:]*:\d{12}:/.test(value) && !value.includes(`:${ACCOUNT}:`),
    );
    expect(strangers.map(({ at, value }) => `${at}: ${value}`)).toEqual([]);
    // CloudFront is controlled in us-east-1, and emails are sent from a region of their own.
    const regions = [REGION, 'us-east-1', ...Object.values(settings).flatMap((value) => /:([a-z]+-[a-z]+-\d)$/.exec(value)?.[1] ?? [])];
    const elsewhere = places.flatMap(({ at, key, value }) => {
      const region = key === 'Region' ? value : /^arn:aws:[^:]*:([^:]+):/.exec(typeof value === 'string' ? value : '')?.[1];
      return region === undefined || regions.includes(region) ? [] : [`${at}: ${region}`];
    });
    expect(elsewhere).toEqual([]);
  });

  // CloudFormation's schema does not list the values (API Gateway Developer Guide, "Custom domain names for HTTP APIs": Regional ones, with TLS 1.2).
  test("an HTTP API's own domain is regional, and takes no old TLS", () => {
    const configurations = resources
      .filter(({ type }) => type === 'AWS::ApiGatewayV2::DomainName')
      .flatMap(({ properties }) => properties.DomainNameConfigurations as { readonly EndpointType: string; readonly SecurityPolicy: string }[]);
    expect(configurations.length).toBeGreaterThan(0);
    for (const { EndpointType, SecurityPolicy } of configurations) expect([EndpointType, SecurityPolicy]).toEqual(['REGIONAL', 'TLS_1_2']);
  });

  test("projects' own addresses are served as domains are, but for the headers", () => {
    const configurations = resources
      .filter(({ type, properties }) => type === 'AWS::CloudFront::Distribution' && properties.DistributionConfig.ConnectionMode === 'tenant-only')
      .map(({ properties: { DistributionConfig } }) => {
        const { Comment, DefaultCacheBehavior, ...configuration } = DistributionConfig;
        return { ...configuration, behavior: { ...DefaultCacheBehavior, ResponseHeadersPolicyId: 'its own' } };
      });
    expect(configurations).toHaveLength(2);
    expect(configurations[1]).toEqual(configurations[0]);
  });

  test('no bucket can be opened to everyone, by a policy or by its objects', () => {
    const buckets = resources.filter(({ type }) => type === 'AWS::S3::Bucket');
    expect(buckets.length).toBeGreaterThan(1);
    const all = { BlockPublicAcls: true, BlockPublicPolicy: true, IgnorePublicAcls: true, RestrictPublicBuckets: true };
    for (const { id, properties } of buckets) expect([id, properties.PublicAccessBlockConfiguration]).toEqual([id, all]);
  });

  test('policies name buckets, tables, functions and state machines that exist', () => {
    const names: Readonly<Record<string, readonly string[]>> = {
      s3: resources.filter(({ type }) => type === 'AWS::S3::Bucket').flatMap((each) => [each.properties.BucketName, idOf(each)]),
      dynamodb: resources.filter(({ type }) => type === 'AWS::DynamoDB::GlobalTable').map(({ properties }) => properties.TableName),
      lambda: resources.filter(({ type }) => type === 'AWS::Lambda::Function').map(idOf),
      states: resources.filter(({ type }) => type === 'AWS::StepFunctions::StateMachine').map(({ properties }) => properties.StateMachineName),
    };
    // The role that detects drift reads whatever the stage has, by patterns.
    const problems = statementsOf(resolved)
      .filter(({ place }) => !place.includes('DriftRole'))
      .flatMap(({ place, Resource }) =>
        listOf(Resource ?? [])
          .filter((arn) => {
            const [, , service = '', , , ...rest] = arn.split(':');
            const named = service === 's3' ? rest.join(':').split('/')[0] : service === 'dynamodb' ? rest.join(':').split('/')[1] : rest[1];
            return names[service] !== undefined && !names[service].includes(named ?? '');
          })
          .map((arn) => `${place}: ${arn}`),
      );
    expect(problems).toEqual([]);
  });

  test('each role is assumed by the service that uses it, and by nobody else', () => {
    const services: Readonly<Record<string, string>> = {
      'AWS::Lambda::Function': 'lambda',
      'AWS::StepFunctions::StateMachine': 'states',
      'AWS::CodeDeploy::DeploymentGroup': 'codedeploy',
    };
    const used = new Map(
      resources.flatMap(({ type, properties: { Role, RoleArn, ServiceRoleArn } }) =>
        services[type] === undefined ? [] : [[Role ?? RoleArn ?? ServiceRoleArn, services[type]] as const],
      ),
    );
    expect(used.size).toBeGreaterThanOrEqual(8);
    for (const [arn, service] of used) {
      const role = resources.find(
        (each) => each.type === 'AWS::IAM::Role' && arn === `arn:aws:iam::${ACCOUNT}:role/${each.properties.RoleName ?? idOf(each)}`,
      );
      expect(role?.properties.AssumeRolePolicyDocument.Statement, arn).toMatchObject([
        { Effect: 'Allow', Action: 'sts:AssumeRole', Principal: { Service: expect.stringMatching(new RegExp(`^${service}\\b`)) } },
      ]);
    }
  });

  test('nothing is switched off, and headers replace those of origins', () => {
    const off = wrong(/^(?:Enabled|State|Status|Override|DetailedMetricsEnabled|SSEEnabled|ActionsEnabled|CloudFrontDefaultCertificate)$/, (value) =>
      [true, 'ENABLED', 'Enabled'].includes(value),
    );
    // Insights are paid for, where data is protected; owners may ask for another time of HTTPS.
    expect(off.filter((line) => !/ContributorInsights|^(?:Target)?Headers\w*\..*StrictTransportSecurity/.test(line))).toEqual([]);
  });

  test('lists are as long as they say, and have nothing twice', () => {
    expect(wrong(/^Quantity$/, (value, { Items }) => value === Items.length)).toEqual([]);
    const twice = places.filter(
      ({ key, value }) => key !== 'Fn::Join' && Array.isArray(value) && new Set(value.map((each) => JSON.stringify(each))).size < value.length,
    );
    expect(twice.map(({ at, value }) => `${at}: ${JSON.stringify(value)}`)).toEqual([]);
  });

  test('distributions name their origins, and methods that CloudFront can choose together', () => {
    const sets = [
      ['GET', 'HEAD'],
      ['GET', 'HEAD', 'OPTIONS'],
      ['GET', 'HEAD', 'OPTIONS', 'PUT', 'PATCH', 'POST', 'DELETE'],
    ].map((each) => each.toSorted().join());
    expect(
      wrong(
        /^(?:AllowedMethods|CachedMethods)$/,
        (value, { CorsRules }) =>
          !Array.isArray(value) || CorsRules !== undefined || sets.includes(value.toSorted().join()) || value.join() === 'PUT',
      ),
    ).toEqual([]);
    for (const { properties } of resources.filter(({ type }) => type === 'AWS::CloudFront::Distribution')) {
      const { Origins, OriginGroups, DefaultCacheBehavior, CacheBehaviors = [] } = properties.DistributionConfig;
      const ids = [...Origins, ...(OriginGroups?.Items ?? [])].map(({ Id }) => Id);
      for (const behavior of [DefaultCacheBehavior, ...CacheBehaviors]) {
        expect(ids).toContain(behavior.TargetOriginId);
        expect(behavior.ViewerProtocolPolicy).toMatch(/^(?:redirect-to-https|https-only)$/);
        expect(behavior.Compress).not.toBe(false);
      }
      expect(properties.DistributionConfig.HttpVersion).toMatch(/^http2(?:and3)?$/);
      for (const { CustomOriginConfig } of Origins.filter((each: Json) => each.CustomOriginConfig !== undefined))
        expect(CustomOriginConfig).toMatchObject({ OriginProtocolPolicy: 'https-only', OriginSSLProtocols: ['TLSv1.2'] });
    }
  });

  test("policies for caches and origins are this stage's or AWS's, records are in the zones of the settings", () => {
    const own = resources.map(idOf);
    expect(wrong(/^(?:\w*PolicyId)$/, (value) => /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value) || own.includes(value))).toEqual([]);
    for (const { properties } of resources.filter(({ type }) => type === 'AWS::Route53::RecordSet')) {
      expect(
        Object.values(settings).some((value) => value.endsWith(`:${properties.HostedZoneId}`)),
        properties.Name,
      ).toBe(true);
      expect(properties.Type).toMatch(/^(?:A|AAAA|CNAME)$/);
    }
  });

  test('integrations pass requests on whole, alarms send emails, and each policy is of the role whose name it has', () => {
    expect(wrong(/^IntegrationType$/, (value, { PayloadFormatVersion }) => value === 'AWS_PROXY' && PayloadFormatVersion === '2.0')).toEqual([]);
    expect(
      wrong(/^Protocol$/, (value, { Endpoint }) => Endpoint === undefined || (value === 'email' && Object.values(settings).includes(Endpoint))),
    ).toEqual([]);
    const roles = resources.filter(({ type }) => type === 'AWS::IAM::Role');
    for (const { stack, id, properties } of resources.filter((each) => each.type === 'AWS::IAM::Policy' && each.id.includes('DefaultPolicy'))) {
      const own = roles.filter((role) => role.stack === stack && role.id.startsWith(id.split('DefaultPolicy')[0] ?? ''));
      expect(properties.Roles, id).toEqual(own.map((role) => role.properties.RoleName ?? idOf(role)));
    }
  });

  test('what is kept when a resource is deleted is kept when it is replaced', () => {
    const others = templates
      .flatMap(({ Resources }) => Object.entries<Json>(Resources))
      .filter(([, { DeletionPolicy = 'Delete', UpdateReplacePolicy = 'Delete' }]) => {
        return DeletionPolicy.replace('ExceptOnCreate', '') !== UpdateReplacePolicy;
      });
    expect(others.map(([id]) => id)).toEqual([]);
  });

  test('alarms on a percentile ignore too few samples, and read the slowest hundredth', () => {
    expect(wrong(/^EvaluateLowSampleCountPercentile$/, (value, { ExtendedStatistic }) => value === 'ignore' && ExtendedStatistic === 'p99')).toEqual(
      [],
    );
  });

  test('roles allow, and deny nothing: what is not allowed is denied; versions of functions are kept for a roll-back', () => {
    const denied = resources
      .filter(({ type }) => /^AWS::IAM::(?:Policy|Role|ManagedPolicy)$/.test(type))
      .flatMap(({ id, properties }) => [...placesIn(properties, id)])
      .filter(({ key, value }) => key === 'Effect' && value !== 'Allow');
    expect(denied.map(({ at }) => at)).toEqual([]);
    const versions = templates.flatMap(({ Resources = {} }) => Object.values<Json>(Resources).filter(({ Type }) => Type === 'AWS::Lambda::Version'));
    expect(versions.filter(({ DeletionPolicy }) => DeletionPolicy !== 'Retain')).toEqual([]);
  });

  test('accounts, certificates and the names of dimensions are those of the stage and its settings', () => {
    const texts = places.filter(({ value }) => typeof value === 'string');
    const accounts = texts.flatMap(({ at, value }) =>
      (value.match(/(?<![0-9a-f-])\d{12}(?![0-9a-f])/g) ?? []).map((account: string) => [at, account]),
    );
    expect(accounts.filter(([, account]) => account !== ACCOUNT)).toEqual([]);
    const certificates = texts.flatMap(({ at, value }) =>
      (value.match(/^arn:aws:acm:[a-z0-9-]+:\d{12}:certificate\/[0-9a-z-]+$/g) ?? []).map((arn: string) => [at, arn]),
    );
    expect(certificates.filter(([, arn]) => !Object.values(settings).includes(String(arn)))).toEqual([]);
    const dimensions = places.filter(({ key }) => key === 'Dimensions').flatMap(({ value }) => value.map(({ Name }: { Name: string }) => Name));
    const known =
      'ApiId DistributionId ExecutedVersion FunctionName GlobalSecondaryIndexName Operation Region Resource StateMachineArn TableName TopicName UserPool UserPoolClient operation plan service'.split(
        ' ',
      );
    expect([...new Set(dimensions)].filter((each) => !known.includes(each))).toEqual([]);
  });

  test('a distribution asks its other origin after statuses that CloudFront can choose', () => {
    // CloudFront Developer Guide, "Origin failover".
    const statuses = places.filter(({ key }) => key === 'StatusCodes').map(({ value }) => value.Items);
    for (const items of statuses)
      expect(items.filter((status: number) => ![400, 403, 404, 416, 429, 500, 502, 503, 504].includes(status))).toEqual([]);
  });

  test('a password has at least 12 characters of every kind', () => {
    for (const { properties } of resources.filter(({ type }) => type === 'AWS::Cognito::UserPool'))
      expect(properties.Policies.PasswordPolicy).toEqual({
        MinimumLength: 12,
        ...{ RequireLowercase: true, RequireUppercase: true, RequireNumbers: true, RequireSymbols: true },
      });
  });

  test('policies are of the current version, sessions last an hour, and tokens of GitHub were made for AWS', () => {
    expect(wrong(/:aud$/, (value) => value === 'sts.amazonaws.com')).toEqual([]);
    expect(wrong(/^MaxSessionDuration$/, (value) => value === 3_600)).toEqual([]);
    expect(wrong(/^Version$/, (value, { Statement }) => Statement === undefined || value === '2012-10-17')).toEqual([]);
  });

  test('functions run as they were built, are traced, and write to a log group of this stage', () => {
    const groups = resources.filter(({ type }) => type === 'AWS::Logs::LogGroup').map((each) => each.properties.LogGroupName ?? idOf(each));
    for (const { properties } of resources.filter(({ type }) => type === 'AWS::Lambda::Function')) {
      expect(properties).toMatchObject({
        Runtime: 'nodejs24.x',
        Architectures: ['arm64'],
        Handler: 'index.handler',
        TracingConfig: { Mode: 'Active' },
      });
      expect(groups).toContain(properties.LoggingConfig.LogGroup);
    }
  });

  test('log groups of one stage are kept for one time', () => {
    const times = resources.filter(({ type }) => type === 'AWS::Logs::LogGroup').map(({ properties }) => properties.RetentionInDays);
    expect(new Set(times).size).toBe(1);
  });

  test('tokens are for exactly the clients of the pool, valid equally long, and every route of the control API wants one, or a key of its own', () => {
    const clients = resources.filter(({ type }) => type === 'AWS::Cognito::UserPoolClient');
    const authorizers = resources.filter(({ type }) => type === 'AWS::ApiGatewayV2::Authorizer');
    for (const { properties } of authorizers) expect(properties.JwtConfiguration.Audience.toSorted()).toEqual(clients.map(idOf).toSorted());
    const times = clients.map(({ properties: { AccessTokenValidity, IdTokenValidity, RefreshTokenValidity, TokenValidityUnits } }) => ({
      ...{ AccessTokenValidity, IdTokenValidity, RefreshTokenValidity, TokenValidityUnits },
    }));
    expect(new Set(times.map((each) => JSON.stringify(each))).size).toBe(1);
    for (const { properties } of resources.filter(({ type }) => type === 'AWS::ApiGatewayV2::Route'))
      expect(properties.AuthorizationType === 'JWT' ? authorizers.map(idOf) : [undefined]).toContain(properties.AuthorizerId);
  });

  test('the values of all settings are in the templates', () => {
    const prefix = `${name.toUpperCase().replaceAll('-', '_')}_`;
    const texts = places.flatMap(({ value }) => (typeof value === 'string' || typeof value === 'number' ? [String(value)] : []));
    const missing = Object.entries(settings)
      .filter(([setting]) => setting.startsWith(prefix))
      .flatMap(([setting, value]) => value.split(/[,:](?=[A-Z\d]{5,}$)/).map((part) => [setting, part] as const))
      .filter(([, part]) => part.length > 6 && !texts.some((text) => text === part || text.includes(part)));
    expect(missing).toEqual([]);
    expect(texts).toContain(REGION);
  });
});
