// The stacks of custom domains: the edge, its entry, the workflow and the dashboard's control API.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Stack } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { afterAll, describe, expect, test } from 'vitest';
import { UNSUBSCRIBE_PATH } from '../../core/notifications/message.ts';
import { makeFolder } from '../../test/support/folders.ts';
import { everySetting } from '../../test/support/stage-settings.ts';
import type { PetstorePlatform } from '../petstore-platform.ts';
import { makeEveryConstruct } from './support/every-construct.ts';
import { EDGES, makeApp, makeStages } from './support/synthesis.ts';

const folder = makeFolder();
afterAll(() => folder.remove());

const inFolder = (name: string) => makeApp(join(folder.path, name));
const stages = makeStages(inFolder('stages'), EDGES);
const [staging, production] = stages as [PetstorePlatform, PetstorePlatform];
const templateOf = (stack: Stack) => Template.fromStack(stack);

describe('custom domains', () => {
  const { edge, edgeEntry, domains } = production as Required<PetstorePlatform>;

  test("only the distribution reads files, which survive the deletion of production's stack", () => {
    const template = templateOf(edge as Stack);
    template.hasResourceProperties('AWS::S3::Bucket', { PublicAccessBlockConfiguration: { BlockPublicAcls: true, RestrictPublicBuckets: true } });
    template.hasResource('AWS::S3::Bucket', { DeletionPolicy: 'RetainExceptOnCreate' });
    templateOf(staging.edge as Stack).hasResource('AWS::S3::Bucket', { DeletionPolicy: 'Delete' });
    template.hasResourceProperties('AWS::CloudFront::Distribution', {
      DistributionConfig: Match.objectLike({
        ConnectionMode: 'tenant-only',
        DefaultCacheBehavior: Match.objectLike({
          ViewerProtocolPolicy: 'redirect-to-https',
          Compress: true,
          FunctionAssociations: [Match.objectLike({ EventType: 'viewer-request' })],
        }),
      }),
    });
    template.hasResourceProperties('AWS::CloudFront::Function', {
      FunctionConfig: Match.objectLike({ Runtime: 'cloudfront-js-2.0', KeyValueStoreAssociations: Match.anyValue() }),
    });
  });

  test('with a certificate for all targets, projects are served there, not for search engines, by one tenant', () => {
    const certificateArn = 'arn:aws:acm:us-east-1:123456789012:certificate/0b';
    const [stage] = makeStages(inFolder('targets'), { ...EDGES, STAGING_EDGE_CERTIFICATE_ARN: certificateArn }) as [PetstorePlatform];
    const template = templateOf(stage.edge as Stack);
    template.resourceCountIs('AWS::CloudFront::Distribution', 2);
    const ViewerCertificate = { AcmCertificateArn: certificateArn, SslSupportMethod: 'sni-only', MinimumProtocolVersion: 'TLSv1.2_2021' };
    template.allResourcesProperties('AWS::CloudFront::Distribution', { DistributionConfig: Match.objectLike({ ViewerCertificate }) });
    const [policy] = Object.keys(
      template.findResources('AWS::CloudFront::ResponseHeadersPolicy', {
        Properties: {
          ResponseHeadersPolicyConfig: Match.objectLike({
            CustomHeadersConfig: { Items: [{ Header: 'x-robots-tag', Value: 'noindex', Override: true }] },
          }),
        },
      }),
    );
    template.hasResourceProperties('AWS::CloudFront::Distribution', {
      DistributionConfig: Match.objectLike({
        ConnectionMode: 'tenant-only',
        DefaultCacheBehavior: Match.objectLike({ ResponseHeadersPolicyId: { Ref: policy } }),
      }),
    });
    templateOf(stage.edgeEntry as Stack).hasResourceProperties('AWS::CloudFront::DistributionTenant', {
      Domains: ['*.edge.shop.dev'],
      Customizations: { Certificate: { Arn: certificateArn } },
      ConnectionGroupId: Match.anyValue(),
    });
    for (const part of [stage.dashboard, stage.domains])
      templateOf(part as Stack).hasResourceProperties('AWS::Lambda::Function', {
        Environment: { Variables: Match.objectLike({ EDGE_NAME: 'edge.shop.dev', SERVES_TARGETS: 'on' }) },
      });
    const without = templateOf(staging.edge as Stack);
    without.resourceCountIs('AWS::CloudFront::Distribution', 1);
    templateOf(staging.edgeEntry as Stack).resourceCountIs('AWS::CloudFront::DistributionTenant', 0);
  });

  test("errors of the bucket are answered by the function, which has its own share of the account's concurrency", () => {
    const template = templateOf(edge as Stack);
    template.hasResourceProperties('AWS::CloudFront::Distribution', {
      DistributionConfig: Match.objectLike({
        DefaultCacheBehavior: Match.objectLike({ TargetOriginId: 'sites-or-failover' }),
        OriginGroups: {
          Quantity: 1,
          Items: [
            {
              Id: 'sites-or-failover',
              Members: { Quantity: 2, Items: [{ OriginId: 'sites' }, { OriginId: 'failover' }] },
              FailoverCriteria: { StatusCodes: { Quantity: 8, Items: [400, 403, 404, 416, 500, 502, 503, 504] } },
            },
          ],
        },
        // Not for 404, which says how long it may be kept; without a page, as there is one for each project.
        CustomErrorResponses: [500, 502, 503, 504].map((ErrorCode) => ({ ErrorCode, ErrorCachingMinTTL: 1 })),
        ViewerCertificate: { CloudFrontDefaultCertificate: true },
      }),
    });
    template.hasResourceProperties('AWS::Lambda::Function', { ReservedConcurrentExecutions: 20 });
    template.hasResourceProperties('AWS::Lambda::Url', { AuthType: 'AWS_IAM' });
  });

  // CloudFront sets TLSv1 whatever the template says (API reference, "ViewerCertificate").
  test("no template claims a security policy with CloudFront's own certificate, or a certificate of another region", () => {
    const app = inFolder('constructs');
    makeEveryConstruct(app);
    const stacks = [app, ...stages, ...makeStages(inFolder('every'), everySetting())].flatMap(({ node }) => node.findAll().filter(Stack.isStack));
    const certificates = stacks.flatMap((stack) =>
      Object.values(templateOf(stack).findResources('AWS::CloudFront::Distribution')).map(
        ({ Properties }) => Properties.DistributionConfig.ViewerCertificate ?? {},
      ),
    );
    expect(certificates.length).toBeGreaterThan(10);
    const isHonoured = ({ AcmCertificateArn: arn, MinimumProtocolVersion: policy }: Record<string, string>) =>
      arn === undefined ? policy === undefined : arn.startsWith('arn:aws:acm:us-east-1:') && policy !== undefined;
    expect(certificates.filter((each) => !isHonoured(each))).toEqual([]);
  });

  test.each([
    ['viewer-request.js', production.edge],
    ['one-page.js', production.dashboard],
  ])('%s is deployed unchanged, on its intended runtime', (file, stack) => {
    const FunctionCode = readFileSync(join(import.meta.dirname, '../../adapters/edge', file), 'utf8');
    const FunctionConfig = Match.objectLike({ Runtime: 'cloudfront-js-2.0' });
    templateOf(stack as Stack).hasResourceProperties('AWS::CloudFront::Function', { FunctionCode, FunctionConfig });
  });

  test('the edge has a DNS record if its zone is known', () => {
    templateOf(edgeEntry as Stack).hasResourceProperties('AWS::Route53::RecordSet', { Name: '*.edge.petshop.dev.', Type: 'CNAME' });
    templateOf(staging.edgeEntry as Stack).resourceCountIs('AWS::Route53::RecordSet', 0);
  });

  test('the workflow may call only its one function, which may not start executions', () => {
    const template = templateOf(domains as Stack);
    const statements = Object.entries(template.findResources('AWS::IAM::Policy')).map(
      ([id, { Properties }]) => [id, JSON.stringify(Properties.PolicyDocument)] as const,
    );
    const of = (prefix: string) => statements.find(([id]) => id.startsWith(prefix))?.[1] ?? '';
    expect(of('Workflow')).toContain('lambda:InvokeFunction');
    expect(of('Steps')).not.toMatch(/states:|s3:|iam:|dynamodb:\*/);
    expect(of('Sweep')).toContain('states:StartExecution');
    template.hasResourceProperties('AWS::StepFunctions::StateMachine', {
      TracingConfiguration: { Enabled: true },
      LoggingConfiguration: Match.objectLike({ Level: 'ALL' }),
    });
    template.resourceCountIs('AWS::Events::Rule', 2);
  });

  test('a stage without an edge name has no edge', () => {
    const [stage] = makeStages(inFolder('plain'), {}) as [PetstorePlatform];
    expect([stage.domains, stage.edge, stage.edgeEntry]).toEqual([undefined, undefined, undefined]);
  });

  test("the profile production reserves concurrency for each function besides the catalogue's, as docs/aws/deploy.md says", () => {
    const reservedIn = (stage: PetstorePlatform) =>
      [stage.edge, stage.domains, stage.dashboard].flatMap((stack) =>
        Object.values(templateOf(stack as Stack).findResources('AWS::Lambda::Function')).map(
          ({ Properties }) => Properties.ReservedConcurrentExecutions,
        ),
      );
    const reserved = reservedIn(production);
    expect(reserved).toEqual([20, 20, 2, 50]);
    expect(reservedIn(staging)).toEqual(Array(4).fill(undefined));
    const sum = reserved.reduce((total, each) => total + each, 0);
    const page = readFileSync(join(import.meta.dirname, '../../docs/aws/deploy.md'), 'utf8');
    expect(page).toContain(`the stage reserves ${sum} concurrent environments`);
    expect(page).toContain(`a quota of ${sum + 100}, and ${sum} more for each further stage`);
  });

  test("the control API's throttle for all users is far above the limit of one user", () => {
    templateOf(production.dashboard as Stack).hasResourceProperties('AWS::ApiGatewayV2::Stage', {
      DefaultRouteSettings: Match.objectLike({ ThrottlingRateLimit: 1_000, ThrottlingBurstLimit: 1_000 }),
    });
  });

  test('pipelines, whose tokens only the function checks, have a throttle of their own', () => {
    templateOf(production.dashboard as Stack).hasResourceProperties('AWS::ApiGatewayV2::Stage', {
      RouteSettings: { 'ANY /deploy/v1/{proxy+}': { ThrottlingRateLimit: 100, ThrottlingBurstLimit: 100 } },
    });
  });

  test('the control API requires sign-in, except for its document, for pipelines and for links in emails', () => {
    const template = templateOf(production.dashboard as Stack);
    const routes = Object.values(template.findResources('AWS::ApiGatewayV2::Route')).map(({ Properties }) => [
      Properties.RouteKey,
      Properties.AuthorizationType,
    ]);
    expect(routes.sort()).toEqual([
      // Its tokens are checked by the function.
      ['ANY /deploy/v1/{proxy+}', 'NONE'],
      ['DELETE /dashboard/v1/{proxy+}', 'JWT'],
      ['GET /dashboard/v1/openapi.json', 'NONE'],
      // A POST has a proof that we wrote the email, and a GET changes nothing.
      [`GET ${UNSUBSCRIBE_PATH}`, 'NONE'],
      ['GET /dashboard/v1/{proxy+}', 'JWT'],
      ['HEAD /dashboard/v1/openapi.json', 'NONE'],
      [`HEAD ${UNSUBSCRIBE_PATH}`, 'NONE'],
      ['HEAD /dashboard/v1/{proxy+}', 'JWT'],
      ['OPTIONS /dashboard/v1/{proxy+}', 'NONE'],
      [`POST ${UNSUBSCRIBE_PATH}`, 'NONE'],
      ['POST /dashboard/v1/{proxy+}', 'JWT'],
      ['PUT /dashboard/v1/{proxy+}', 'JWT'],
    ]);
    template.hasResource('AWS::Cognito::UserPool', {
      DeletionPolicy: 'RetainExceptOnCreate',
      Properties: Match.objectLike({ DeletionProtection: 'ACTIVE' }),
    });
  });
});
