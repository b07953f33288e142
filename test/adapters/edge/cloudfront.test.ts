// The edge on AWS: details that the workflow's tests do not cover.

import { describe, expect, test } from 'vitest';
import { createCloudFrontEdge, createTenants, tenantName } from '../../../adapters/edge/cloudfront.ts';
import { createKeyValueMap } from '../../../adapters/edge/key-value-map.ts';
import { currentOf, sampleProject } from '../../../testing/projects.ts';
import { allPages } from '../../../testing/suite.ts';
import { STORE_ARN } from '../../support/memory-aws/key-value-store.ts';
import { MemoryAws } from '../../support/memory-aws.ts';

const HOST = 'www.shop.dev';
const PROJECT = sampleProject({ id: 'prj_1', accountId: 'acc_1', currentDeploymentId: 'dpl_1' });
const DOMAIN = { id: 'dom_1', host: HOST, projectId: 'prj_1' };
const CURRENT = currentOf(PROJECT, [HOST]);
const ARN = 'arn:aws:acm:us-east-1:123456789012:certificate/1';

function makeEdge() {
  const aws = new MemoryAws();
  const tenants = createTenants(aws.cloudFront, { distributionId: 'E1', connectionGroup: 'group', stage: 'test' });
  const map = createKeyValueMap(aws.keyValueStore, STORE_ARN);
  return { aws, tenants, map, edge: createCloudFrontEdge(tenants, map) };
}

describe('edge on AWS', () => {
  test('updating a tenant keeps every setting that the update does not change', async () => {
    const { aws, tenants, edge } = makeEdge();
    await edge.attach(DOMAIN, CURRENT, ARN);
    await tenants.update(DOMAIN.id, { enabled: false });
    expect(aws.tenants.get(tenantName(DOMAIN.id))).toMatchObject({ Enabled: false, Customizations: { Certificate: { Arn: ARN } } });
    await edge.attach(DOMAIN, CURRENT, ARN);
    expect(aws.tenants.get(tenantName(DOMAIN.id))).toMatchObject({ Enabled: true });
    expect(await tenants.update('dom_nobody', { enabled: true })).toBe(false);
  });

  test('a tenant with an earlier certificate than the one that CloudFront manages for it does not serve it', async () => {
    const { aws, tenants, edge } = makeEdge();
    const managed = 'cloudfront:dom_1-g1/www.shop.dev';
    await tenants.create(DOMAIN, { request: { ValidationTokenHost: 'cloudfront', PrimaryDomainName: HOST } });
    const issue = () => {
      for (const certificate of aws.certificates.values()) certificate.Status = 'ISSUED';
    };
    const served = async () => {
      const looks = [1, 2, 3].map(() => edge.isServing(DOMAIN, managed));
      return (await Promise.all(looks)).at(-1);
    };
    issue();
    await edge.attach(DOMAIN, CURRENT, managed);
    expect(await served()).toBe(true);
    await tenants.update(DOMAIN.id, { request: { ValidationTokenHost: 'cloudfront', PrimaryDomainName: HOST } });
    issue();
    expect(await served()).toBe(false);
    await edge.attach(DOMAIN, CURRENT, managed);
    expect(await served()).toBe(true);
  });

  test('a tenant has a name that CloudFront accepts, and can be found by this name', async () => {
    const { aws, tenants, edge } = makeEdge();
    const id = 'dom_0aZ9bY8cX7';
    await edge.attach({ ...DOMAIN, id }, CURRENT, ARN);
    expect([aws.refused, [...aws.tenants.keys()]]).toEqual([[], ['dom-0aZ9bY8cX7']]);
    expect(await tenants.list()).toEqual({ items: [{ id, host: HOST }], next: undefined });
  });

  test('a tenant that is already correct is not updated', async () => {
    const { aws, edge } = makeEdge();
    await edge.attach(DOMAIN, CURRENT, ARN);
    await edge.attach(DOMAIN, CURRENT, ARN);
    expect(aws.log.filter((name) => name === 'UpdateDistributionTenant')).toEqual([]);
  });

  test("redirects and the deployment are written to the map, in as many writes as the store's size limit requires", async () => {
    const { aws, map } = makeEdge();
    const hosts = Array.from({ length: 120 }, (_, n) => `h${n}.shop.dev`);
    const configuration = { domains: { redirects: [{ from: 'h7.shop.dev', to: HOST, status: 308 as const }] } };
    await map.publish(PROJECT, currentOf({ ...PROJECT, configuration }, hosts));
    expect([aws.keys.get('prj_1'), aws.keys.get('h7.shop.dev'), aws.keys.get('h119.shop.dev')]).toEqual(['dpl_1', `prj_1 308 ${HOST}`, 'prj_1']);
    expect(aws.log.filter((name) => name === 'UpdateKeys')).toHaveLength(3);
    expect((await allPages(map.entries)).filter(({ host }) => host !== undefined)).toHaveLength(120);
    // Each call is charged, and the default is ten keys a page.
    expect(aws.log.filter((name) => name === 'ListKeys')).toHaveLength(3);
  });

  test('a certificate without an ARN and a taken name are faults', async () => {
    const { aws, edge } = makeEdge();
    await expect(edge.attach(DOMAIN, CURRENT, 'cloudfront:dom_1-g1/www.shop.dev')).rejects.toThrow('has no ARN');
    aws.takenElsewhere = HOST;
    await expect(edge.attach(DOMAIN, CURRENT, ARN)).rejects.toThrow('another AWS account');
    aws.takenElsewhere = undefined;
    aws.takenHere = HOST;
    await expect(edge.attach(DOMAIN, CURRENT, ARN)).rejects.toMatchObject({
      failure: 'name_in_use_here',
      message: expect.stringContaining('E0STANDARD'),
    });
    aws.takenHere = undefined;
    aws.resolves = false;
    await expect(edge.attach(DOMAIN, CURRENT, ARN)).rejects.toThrow('does not accept the name yet');
    expect(await edge.isServing(DOMAIN, ARN)).toBe(false);
    expect(await edge.release(DOMAIN)).toBe(true);
  });
});
