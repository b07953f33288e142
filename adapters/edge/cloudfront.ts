// The edge on AWS: one tenant of the multi-tenant distribution per domain, and the edge map that is read before the cache.

import {
  type CloudFrontClient,
  CreateDistributionTenantCommand,
  DeleteDistributionTenantCommand,
  type DistributionTenant,
  GetConnectionGroupCommand,
  GetDistributionTenantByDomainCommand,
  GetDistributionTenantCommand,
  GetManagedCertificateDetailsCommand,
  ListDistributionTenantsCommand,
  type ManagedCertificateDetails,
  type ManagedCertificateRequest,
  paginateListDistributions,
  UpdateDistributionTenantCommand,
} from '@aws-sdk/client-cloudfront';
import type { Domain } from '../../core/domains/domain.ts';
import { type Edge, type EdgeMap, NameInUse } from '../../core/domains/ports.ts';
import type { Page } from '../../core/page.ts';
import { DOMAIN_ID_PREFIX } from '../../core/projects/project.ts';
import { asStalePage, isNamed, unlessNamed } from '../aws-errors.ts';
import { STAGE_TAG } from './stage-tag.ts';

/** Creates the edge on AWS. */
export function createCloudFrontEdge(tenants: Tenants, map: EdgeMap): Edge {
  /** Returns a certificate's ARN; undefined if there is none. If CloudFront manages the certificate, only the tenant has the ARN. */
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

    // `Deployed` alone says neither that the domain is active nor that the tenant is enabled.
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

// Tenants of the multi-tenant distribution (CloudFront SaaS Manager), each named after its domain's id, so that the two can be matched after a crash.
// The certificate adapter creates the tenant when it requests the certificate; the edge adapter attaches the certificate and deletes the tenant.

export interface TenantSettings {
  readonly distributionId: string;
  /** Name of the connection group that receives the tenants' traffic. */
  readonly connectionGroup: string;
  /** The stage's name, the value of STAGE_TAG. */
  readonly stage: string;
}

export interface Tenant extends DistributionTenant {
  readonly etag: string;
}

export type TenantCreation =
  | { readonly kind: 'created' }
  /** CloudFront does not see the name pointing here yet, or another of our tenants still has the name. */
  | { readonly kind: 'waiting' }
  /** Something else at CloudFront has the name, in this AWS account or another one. */
  | { readonly kind: 'taken'; readonly failure: NameInUse['failure']; readonly detail: string };

export interface TenantChange {
  /** The tenant's new name, which replaces all others. @default its current names */
  readonly host?: string;
  readonly certificateArn?: string | undefined;
  readonly enabled?: boolean;
  readonly request?: ManagedCertificateRequest;
}

export interface Tenants {
  get(domainId: string): Promise<Tenant | undefined>;
  create(domain: Pick<Domain, 'id' | 'host'>, change: TenantChange): Promise<TenantCreation>;
  /** Changes the given settings and keeps all others. Returns false if the tenant no longer exists. */
  update(domainId: string, change: TenantChange): Promise<boolean>;
  /** Returns false while CloudFront does not permit the deletion yet. */
  delete(tenant: Tenant): Promise<boolean>;
  certificate(tenant: Tenant): Promise<ManagedCertificateDetails | undefined>;
  /** Returns a page of the tenants that were created for domains. @throws StalePage if the list can't be continued from `after` */
  list(after?: string): Promise<Page<Pick<Domain, 'id' | 'host'>>>;
  /** Returns the host name of the connection group's endpoint. */
  routingEndpoint(): Promise<string>;
}

/** Tenants per ListDistributionTenants call. */
const PAGE = 100;

/** Maximum number of attempts if another writer changes the tenant meanwhile; each attempt reads the tenant again. */
const TRIES = 5;

const NAME_PREFIX = DOMAIN_ID_PREFIX.replace('_', '-');

/** Returns the name of a domain's tenant. CloudFront does not allow underscores (API reference, CreateDistributionTenant). */
export function tenantName(domainId: string): string {
  return domainId.replace(DOMAIN_ID_PREFIX, NAME_PREFIX);
}

/** Returns the domain's id; undefined if the tenant was not created for a domain. */
function domainIdOf(name: string): string | undefined {
  return name.startsWith(NAME_PREFIX) ? name.replace(NAME_PREFIX, DOMAIN_ID_PREFIX) : undefined;
}

/** Creates access to the distribution's tenants. */
export function createTenants(client: CloudFrontClient, settings: TenantSettings): Tenants {
  let group: Promise<{ readonly id: string; readonly endpoint: string }> | undefined;
  const connectionGroup = () => {
    group ??= client.send(new GetConnectionGroupCommand({ Identifier: settings.connectionGroup })).then(
      ({ ConnectionGroup }) => ({ id: ConnectionGroup?.Id ?? '', endpoint: ConnectionGroup?.RoutingEndpoint ?? '' }),
      (error) => {
        group = undefined;
        throw error;
      },
    );
    return group;
  };

  async function get(domainId: string): Promise<Tenant | undefined> {
    const answer = await client.send(new GetDistributionTenantCommand({ Identifier: tenantName(domainId) })).catch(unlessNamed('EntityNotFound'));
    return answer?.DistributionTenant && { ...answer.DistributionTenant, etag: answer.ETag ?? '' };
  }

  /** Determines whether the name belongs to one of our tenants, to something else in this AWS account, or to another account. */
  async function whoHas(host: string): Promise<TenantCreation> {
    const answer = await client.send(new GetDistributionTenantByDomainCommand({ Domain: host })).catch(unlessNamed('EntityNotFound', 'AccessDenied'));
    const tenant = answer?.DistributionTenant;
    if (tenant?.DistributionId === settings.distributionId) return { kind: 'waiting' };
    const distribution = tenant?.DistributionId ?? (await distributionWith(host));
    if (distribution === undefined)
      return { kind: 'taken', failure: 'name_in_use', detail: `another AWS account uses ${host} at CloudFront and must release it first` };
    return { kind: 'taken', failure: 'name_in_use_here', detail: `CloudFront distribution ${distribution} uses ${host}` };
  }

  /** Returns the id of the standard distribution in this AWS account that has this alias. */
  async function distributionWith(host: string): Promise<string | undefined> {
    for await (const { DistributionList } of paginateListDistributions({ client }, {})) {
      const found = DistributionList?.Items?.find(({ Aliases }) => Aliases?.Items?.includes(host));
      if (found !== undefined) return found.Id;
    }
    return undefined;
  }

  return {
    get,

    routingEndpoint: async () => (await connectionGroup()).endpoint,

    create: async ({ id, host }, change) => {
      const command = new CreateDistributionTenantCommand({
        DistributionId: settings.distributionId,
        ConnectionGroupId: (await connectionGroup()).id,
        Name: tenantName(id),
        Domains: [{ Domain: host }],
        Enabled: true,
        Tags: { Items: [{ Key: STAGE_TAG, Value: settings.stage }] },
        ...(change.certificateArn !== undefined && { Customizations: { Certificate: { Arn: change.certificateArn } } }),
        ...(change.request !== undefined && { ManagedCertificateRequest: change.request }),
      });
      try {
        await client.send(command);
        return { kind: 'created' };
      } catch (error) {
        if (isNamed(error, 'EntityAlreadyExists')) return { kind: 'created' };
        if (isNamed(error, 'CNAMEAlreadyExists')) return whoHas(host);
        if (isNamed(error, 'InvalidArgument') && /verify Domain Name ownership/i.test(error.message)) return { kind: 'waiting' };
        throw error;
      }
    },

    update: async (domainId, { host, certificateArn, enabled, request }) => {
      for (let attempt = 1; ; attempt += 1) {
        const tenant = await get(domainId);
        if (tenant === undefined) return false;
        const { Customizations } = tenant;
        // Sends back every setting, because CloudFront drops those that are left out.
        const command = new UpdateDistributionTenantCommand({
          Id: tenant.Id,
          IfMatch: tenant.etag,
          DistributionId: tenant.DistributionId,
          ConnectionGroupId: tenant.ConnectionGroupId,
          Domains: host === undefined ? tenant.Domains?.map(({ Domain: name }) => ({ Domain: name })) : [{ Domain: host }],
          Parameters: tenant.Parameters,
          Enabled: enabled ?? tenant.Enabled,
          Customizations: certificateArn === undefined ? Customizations : { ...Customizations, Certificate: { Arn: certificateArn } },
          ...(request !== undefined && { ManagedCertificateRequest: request }),
        });
        try {
          await client.send(command);
          return true;
        } catch (error) {
          if (attempt >= TRIES || !isNamed(error, 'PreconditionFailed', 'InvalidIfMatchVersion')) throw error;
        }
      }
    },

    delete: async ({ Id, etag }) => {
      try {
        await client.send(new DeleteDistributionTenantCommand({ Id, IfMatch: etag }));
        return true;
      } catch (error) {
        if (isNamed(error, 'EntityNotFound')) return true;
        if (isNamed(error, 'ResourceNotDisabled', 'PreconditionFailed', 'InvalidIfMatchVersion')) return false;
        throw error;
      }
    },

    certificate: async ({ Id }) => {
      const answer = await client.send(new GetManagedCertificateDetailsCommand({ Identifier: Id })).catch(unlessNamed('EntityNotFound'));
      const details = answer?.ManagedCertificateDetails;
      return details?.CertificateStatus === undefined ? undefined : details;
    },

    list: async (after) => {
      const AssociationFilter = { DistributionId: settings.distributionId };
      const command = new ListDistributionTenantsCommand({ AssociationFilter, MaxItems: PAGE, Marker: after });
      const { DistributionTenantList = [], NextMarker } = await client.send(command).catch(asStalePage(after, 'InvalidArgument'));
      const items = DistributionTenantList.flatMap(({ Name = '', Domains }) => {
        const id = domainIdOf(Name);
        return id === undefined ? [] : [{ id, host: Domains?.[0]?.Domain ?? '' }];
      });
      return { items, next: NextMarker === '' ? undefined : NextMarker };
    },
  };
}
