// The edge on AWS: a tenant of the multi-tenant distribution for each domain, and the map that is asked before the cache.

import type { Edge, EdgeMap } from '../../core/domains/ports.ts';
import type { Tenant, Tenants } from './tenants.ts';

export function createCloudFrontEdge(tenants: Tenants, map: EdgeMap): Edge {
  /** The ARN of a certificate; one that CloudFront manages is known to its tenant alone. */
  async function arnOf(tenant: Tenant | undefined, certificate: string): Promise<string> {
    if (certificate.startsWith('arn:')) return certificate;
    const arn = tenant && (await tenants.certificate(tenant))?.CertificateArn;
    if (arn === undefined) throw new Error(`certificate ${certificate} has no ARN`);
    return arn;
  }

  return {
    detach: map.detach,
    publish: map.publish,
    hosts: map.hosts,
    ...(map.kept !== undefined && { kept: map.kept }),

    attach: async (domain, project, certificate) => {
      const tenant = await tenants.get(domain.id);
      const certificateArn = await arnOf(tenant, certificate);
      if (tenant === undefined) {
        const created = await tenants.create(domain, { certificateArn });
        if (created.kind !== 'created')
          throw new Error(`${domain.host}: ${created.kind === 'taken' ? created.detail : 'CloudFront does not take it yet'}`);
      } else if (tenant.Customizations?.Certificate?.Arn !== certificateArn || tenant.Enabled !== true) {
        await tenants.update(domain.id, { certificateArn, enabled: true });
      }
      await map.publish(project, [domain.host]);
    },

    // `Deployed` alone says nothing of the domain, nor whether the tenant takes traffic.
    isServing: async ({ id, host }) => {
      const tenant = await tenants.get(id);
      const domain = tenant?.Domains?.find(({ Domain: name }) => name === host);
      return (
        tenant?.Enabled === true &&
        tenant.Status === 'Deployed' &&
        domain?.Status === 'active' &&
        tenant.Customizations?.Certificate?.Arn !== undefined
      );
    },

    release: async ({ id }) => {
      const tenant = await tenants.get(id);
      if (tenant === undefined) return true;
      // Disabling reaches every edge within minutes; only then it can be deleted.
      if (tenant.Enabled) await tenants.update(id, { enabled: false });
      const disabled = tenant.Enabled ? await tenants.get(id) : tenant;
      return disabled === undefined || tenants.delete(disabled);
    },

    made: tenants.list,
  };
}
