// The edge on AWS: one tenant of the multi-tenant distribution per domain, and the edge map that is read before the cache.

import { type Edge, type EdgeMap, NameInUse } from '../../core/domains/ports.ts';
import type { Tenant, Tenants } from './tenants.ts';

/** Creates the edge on AWS. */
export function createCloudFrontEdge(tenants: Tenants, map: EdgeMap): Edge {
  /** Returns a certificate's ARN; undefined if it has none. If CloudFront manages the certificate, only the tenant has the ARN. */
  async function arnOf(tenant: Tenant | undefined, certificate: string): Promise<string | undefined> {
    if (certificate.startsWith('arn:')) return certificate;
    return tenant && (await tenants.certificate(tenant))?.CertificateArn;
  }

  return {
    ...map,

    attach: async (domain, current, certificate) => {
      if (!(await current())?.hosts.includes(domain.host)) return;
      const tenant = await tenants.get(domain.id);
      const certificateArn = await arnOf(tenant, certificate);
      if (certificateArn === undefined) throw new Error(`certificate ${certificate} has no ARN`);
      if (tenant === undefined) {
        const created = await tenants.create(domain, { certificateArn });
        if (created.kind === 'taken') throw new NameInUse(created.failure, created.detail);
        if (created.kind === 'waiting') throw new Error(`${domain.host}: CloudFront does not accept the name yet`);
      } else if (tenant.Customizations?.Certificate?.Arn !== certificateArn || tenant.Enabled !== true) {
        await tenants.update(domain.id, { host: domain.host, certificateArn, enabled: true });
      }
      await map.publish({ id: domain.projectId }, current, [domain.host]);
    },

    // `Deployed` alone does not say whether the domain is active or the tenant is enabled.
    isServing: async ({ id, host }, certificate) => {
      const tenant = await tenants.get(id);
      const domain = tenant?.Domains?.find(({ Domain: name }) => name === host);
      const attached = tenant?.Customizations?.Certificate?.Arn;
      const isDeployed = tenant?.Enabled === true && tenant.Status === 'Deployed' && domain?.Status === 'active';
      return isDeployed && attached !== undefined && attached === (await arnOf(tenant, certificate));
    },

    release: async ({ id }) => {
      const tenant = await tenants.get(id);
      if (tenant === undefined) return true;
      // Disabling takes minutes to reach every edge location, and only a disabled tenant can be deleted.
      if (tenant.Enabled) await tenants.update(id, { enabled: false });
      const disabled = tenant.Enabled ? await tenants.get(id) : tenant;
      return disabled === undefined || tenants.delete(disabled);
    },

    made: tenants.list,
  };
}
