// Tenants of the multi-tenant distribution: one a domain, named after the domain's id, so that the domain it was made for is still
// known after a crash (CloudFront SaaS Manager). The certificate's adapter makes it while it asks for a managed certificate, the edge's gives it the
// certificate and takes it down.

import {
  type CloudFrontClient,
  CreateDistributionTenantCommand,
  DeleteDistributionTenantCommand,
  type DistributionTenant,
  GetConnectionGroupCommand,
  GetDistributionTenantByDomainCommand,
  GetDistributionTenantCommand,
  GetManagedCertificateDetailsCommand,
  type ManagedCertificateDetails,
  type ManagedCertificateRequest,
  paginateListDistributionTenants,
  UpdateDistributionTenantCommand,
} from '@aws-sdk/client-cloudfront';
import type { Domain } from '../../core/domains/domain.ts';
import { DOMAIN_ID_PREFIX } from '../../core/projects/project.ts';

export interface TenantSettings {
  readonly distributionId: string;
  /** Name of the connection group that the tenants' traffic comes in by. */
  readonly connectionGroup: string;
  /** Value of the tag. */
  readonly stage: string;
}

export interface Tenant extends DistributionTenant {
  readonly etag: string;
}

export type TenantCreation =
  | { readonly kind: 'created' }
  /** The name does not lead here yet as CloudFront sees it, or another tenant of ours is about to go. */
  | { readonly kind: 'waiting' }
  /** Somebody else's account has the name at CloudFront. */
  | { readonly kind: 'taken'; readonly detail: string };

export interface TenantChange {
  readonly certificateArn?: string | undefined;
  readonly enabled?: boolean;
  readonly request?: ManagedCertificateRequest;
}

export interface Tenants {
  get(domainId: string): Promise<Tenant | undefined>;
  create(domain: Pick<Domain, 'id' | 'host'>, change: TenantChange): Promise<TenantCreation>;
  /** Changes what is given and nothing else. False if it is gone. */
  update(domainId: string, change: TenantChange): Promise<boolean>;
  /** False while CloudFront is not ready to. */
  delete(tenant: Tenant): Promise<boolean>;
  certificate(tenant: Tenant): Promise<ManagedCertificateDetails | undefined>;
  /** Those that were made here; others of the distribution are somebody else's, and stay as they are. */
  list(): Promise<readonly Pick<Domain, 'id' | 'host'>[]>;
  /** Where the connection group takes traffic in. */
  routingEndpoint(): Promise<string>;
}

/** On each tenant, with the name of its stage: the functions' policies allow creating tenants only with this tag. */
export const STAGE_TAG = 'petstore:stage';

/** Another one changed the tenant in between: read again, so often. */
const TRIES = 5;

const NAME_PREFIX = DOMAIN_ID_PREFIX.replace('_', '-');

/** The name of a domain's tenant. CloudFront takes no underscore (API reference, CreateDistributionTenant). */
export function tenantName(domainId: string): string {
  return domainId.replace(DOMAIN_ID_PREFIX, NAME_PREFIX);
}

/** @returns undefined if the tenant was not made for a domain */
function domainIdOf(name: string): string | undefined {
  return name.startsWith(NAME_PREFIX) ? name.replace(NAME_PREFIX, DOMAIN_ID_PREFIX) : undefined;
}

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

  /** Whose tenant has the name? */
  async function whoHas(host: string): Promise<TenantCreation> {
    const answer = await client.send(new GetDistributionTenantByDomainCommand({ Domain: host })).catch(unlessNamed('EntityNotFound', 'AccessDenied'));
    if (answer?.DistributionTenant !== undefined) return { kind: 'waiting' };
    return { kind: 'taken', detail: `another AWS account has ${host} at CloudFront, and has to give it up first` };
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
        if (isNamed(error, 'InvalidArgument') && /verify Domain Name ownership/i.test((error as Error).message)) return { kind: 'waiting' };
        throw error;
      }
    },

    update: async (domainId, { certificateArn, enabled, request }) => {
      for (let attempt = 1; ; attempt += 1) {
        const tenant = await get(domainId);
        if (tenant === undefined) return false;
        const { Customizations } = tenant;
        // Everything is given back as it is: what is left out would be dropped.
        const command = new UpdateDistributionTenantCommand({
          Id: tenant.Id,
          IfMatch: tenant.etag,
          DistributionId: tenant.DistributionId,
          ConnectionGroupId: tenant.ConnectionGroupId,
          Domains: tenant.Domains?.map(({ Domain: name }) => ({ Domain: name })),
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

    list: async () => {
      const found: Pick<Domain, 'id' | 'host'>[] = [];
      const input = { AssociationFilter: { DistributionId: settings.distributionId } };
      for await (const { DistributionTenantList = [] } of paginateListDistributionTenants({ client }, input)) {
        for (const { Name = '', Domains } of DistributionTenantList) {
          const id = domainIdOf(Name);
          if (id !== undefined) found.push({ id, host: Domains?.[0]?.Domain ?? '' });
        }
      }
      return found;
    },
  };
}

function isNamed(error: unknown, ...names: readonly string[]): boolean {
  return error instanceof Error && names.includes(error.name);
}

/** Takes errors of these names as "there is none". */
function unlessNamed(...names: readonly string[]): (error: unknown) => undefined {
  return (error) => {
    if (!isNamed(error, ...names)) throw error;
    return undefined;
  };
}
