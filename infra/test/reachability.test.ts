// What visitors and callers need to reach a stage, and what browsers are told about it.

import { afterAll, describe, expect, test } from 'vitest';
import { makeFolder } from '../../test/support/folders.ts';
import { everySetting, THREE_STAGES } from '../../test/support/stage-settings.ts';
import { deployedStage } from './support/deployed-templates.ts';
import { makeApp, makeStages } from './support/synthesis.ts';

const folder = makeFolder();
afterAll(() => folder.remove());

const stages = makeStages(makeApp(folder.path), everySetting(THREE_STAGES), THREE_STAGES).map(
  (stage) => [stage.stageName, deployedStage(stage)] as const,
);

const YEAR_SECONDS = 365 * 86_400;

describe.each(stages)('%s', (_name, stage) => {
  test('records point to what serves the name: an address and its zone are of one resource', () => {
    const records = stage.resources('AWS::Route53::RecordSet').map(({ properties }) => properties);
    expect(records).toHaveLength(3);
    const domains = stage.resources('AWS::ApiGatewayV2::DomainName').map(({ stack, id }) => `${stack}-${id}`.toLowerCase());
    const groups = stage.resources('AWS::CloudFront::ConnectionGroup').map(({ stack, id }) => `${stack}-${id}`.toLowerCase());
    // AWS::ApiGatewayV2::DomainName and AWS::CloudFront::ConnectionGroup, "Return values".
    const targets = [
      ...domains.map((id) => ({ DNSName: `${id}.RegionalDomainName`, HostedZoneId: `${id}.RegionalHostedZoneId` })),
      ...groups.map((id) => `${id}.RoutingEndpoint`),
    ];
    for (const { Name, AliasTarget, ResourceRecords = [] } of records)
      for (const target of AliasTarget === undefined ? ResourceRecords : [AliasTarget]) expect(targets, Name).toContainEqual(target);
  });

  test('visitors whose provider has only IPv6 reach every site and the dashboard', () => {
    for (const { properties } of stage.resources('AWS::CloudFront::ConnectionGroup')) expect(properties.Ipv6Enabled).toBe(true);
    // Sites are reached through the connection group.
    for (const { id, properties } of stage.resources('AWS::CloudFront::Distribution'))
      if (properties.DistributionConfig.ConnectionMode !== 'tenant-only') expect(properties.DistributionConfig.IPV6Enabled, id).toBe(true);
  });

  // Otherwise a deployment leaves the code of the one before in front of the cache (AWS::CloudFront::Function, "AutoPublish").
  test('functions in front of the cache are published with each deployment', () => {
    for (const { id, properties } of stage.resources('AWS::CloudFront::Function')) expect(properties.AutoPublish, id).toBe(true);
  });

  test('answers are compressed wherever CloudFront can: it does not unless it is told to', () => {
    for (const { id, properties } of stage.resources('AWS::CloudFront::Distribution'))
      for (const behavior of [properties.DistributionConfig.DefaultCacheBehavior, ...(properties.DistributionConfig.CacheBehaviors ?? [])])
        expect(behavior.Compress, id).toBe(true);
  });

  test('browsers use HTTPS for a year, on this name only; owners of sites may say otherwise for theirs', () => {
    const policies = stage.resources('AWS::CloudFront::ResponseHeadersPolicy');
    expect(policies).toHaveLength(3);
    for (const { stack, id, properties } of policies) {
      const { StrictTransportSecurity } = properties.ResponseHeadersPolicyConfig.SecurityHeadersConfig;
      expect(StrictTransportSecurity, id).toEqual({
        AccessControlMaxAgeSec: YEAR_SECONDS,
        // Names below it may be of servers elsewhere, without HTTPS.
        IncludeSubdomains: false,
        Override: stack.endsWith('-Dashboard'),
      });
    }
  });

  test('the dashboard shares no browsing context with pages that open it, nor with pages that it opens', () => {
    const [policy, ...others] = stage.resources('AWS::CloudFront::ResponseHeadersPolicy').filter(({ stack }) => stack.endsWith('-Dashboard'));
    expect(others).toEqual([]);
    expect(policy?.properties.ResponseHeadersPolicyConfig.CustomHeadersConfig.Items).toEqual([
      { Header: 'cross-origin-opener-policy', Value: 'same-origin', Override: true },
    ]);
  });
});
