// CloudFront's tenants: a change takes some checks to reach every edge location, and an update drops the settings that it leaves out.

import {
  CloudFrontClient,
  CNAMEAlreadyExists,
  CreateDistributionTenantCommand,
  type Customizations,
  DeleteDistributionTenantCommand,
  EntityAlreadyExists,
  EntityNotFound,
  GetConnectionGroupCommand,
  GetDistributionTenantByDomainCommand,
  GetDistributionTenantCommand,
  GetManagedCertificateDetailsCommand,
  InvalidArgument,
  ListDistributionsCommand,
  ListDistributionTenantsCommand,
  ListDomainConflictsCommand,
  ManagedCertificateStatus,
  PreconditionFailed,
  ResourceNotDisabled,
  UpdateDistributionTenantCommand,
  UpdateDomainAssociationCommand,
} from '@aws-sdk/client-cloudfront';
import { CLIENT_SETTINGS, type MemoryAccount, type MemoryTenant } from './account.ts';
import { pageOf } from './pages.ts';

/** Checks until a change has reached every edge location. */
const SETTLING = 2;

/** Creates a client of the account's CloudFront. */
export function cloudFrontOf(account: MemoryAccount): CloudFrontClient {
  const client = account.clientOf(new CloudFrontClient(CLIENT_SETTINGS));

  account.on(GetConnectionGroupCommand, () => ({ ConnectionGroup: { Id: 'cg_1', RoutingEndpoint: 'd1.cloudfront.net' } }));

  account.on(GetDistributionTenantCommand, ({ Identifier }) => {
    const tenant = tenantOf(account, Identifier);
    if (tenant.settling > 0) tenant.settling -= 1;
    else tenant.Status = 'Deployed';
    const certificate = tenant.Customizations?.Certificate?.Arn;
    for (const domain of tenant.Domains) domain.Status = tenant.Status === 'Deployed' && certificate !== undefined ? 'active' : 'inactive';
    return answerWith(tenant);
  });

  account.on(GetDistributionTenantByDomainCommand, ({ Domain }) => {
    const tenant = [...account.tenants.values()].find(({ Domains }) => Domains.some((each) => each.Domain === Domain));
    if (tenant === undefined) throw new EntityNotFound({ message: 'no such tenant', $metadata: {} });
    return { DistributionTenant: structuredClone(tenant) };
  });

  account.on(ListDistributionsCommand, () => {
    const aliases = account.takenHere === undefined ? {} : { Items: [account.takenHere] };
    return { DistributionList: { Items: [{ Id: 'E0STANDARD', Aliases: aliases }] } } as never;
  });

  account.on(CreateDistributionTenantCommand, ({ DistributionId, Name = '', Domains = [], Customizations, ManagedCertificateRequest }) => {
    const host = Domains[0]?.Domain ?? '';
    if (account.tenants.has(Name)) throw new EntityAlreadyExists({ message: 'the name is taken', $metadata: {} });
    const isTaken = [...account.tenants.values()].some((tenant) => tenant.Domains.some(({ Domain }) => Domain === host));
    if (isTaken || host === account.takenElsewhere || host === account.takenHere)
      throw new CNAMEAlreadyExists({ message: 'the domain is taken', $metadata: {} });
    if (!account.resolves) throw new InvalidArgument({ message: 'Could not verify Domain Name ownership', $metadata: {} });
    checkCertificate(account, Customizations, undefined);
    const tenant: MemoryTenant = {
      Id: `dt_${account.nextId()}`,
      DistributionId,
      Name,
      Enabled: true,
      Status: 'InProgress',
      Domains: [{ Domain: host, Status: 'inactive' }],
      ...(Customizations && { Customizations }),
      version: 1,
      settling: SETTLING,
      managed: undefined,
    };
    if (ManagedCertificateRequest !== undefined) tenant.managed = managedCertificate(account, host);
    account.tenants.set(Name, tenant);
    return answerWith(tenant);
  });

  account.on(UpdateDistributionTenantCommand, ({ Id, IfMatch, Domains = [], Enabled = false, Customizations, ManagedCertificateRequest }) => {
    const tenant = tenantOf(account, Id);
    checkVersion(tenant, IfMatch);
    checkCertificate(account, Customizations, tenant.Customizations);
    tenant.Enabled = Enabled;
    tenant.Domains = Domains.map(({ Domain }) => ({ Domain, Status: 'inactive' }));
    if (Customizations === undefined) delete tenant.Customizations;
    else tenant.Customizations = Customizations;
    if (ManagedCertificateRequest !== undefined) tenant.managed = managedCertificate(account, tenant.Domains[0]?.Domain ?? '');
    tenant.version += 1;
    tenant.Status = 'InProgress';
    tenant.settling = SETTLING;
    return answerWith(tenant);
  });

  account.on(DeleteDistributionTenantCommand, ({ Id, IfMatch }) => {
    const tenant = tenantOf(account, Id);
    checkVersion(tenant, IfMatch);
    if (tenant.Enabled || tenant.Status !== 'Deployed') throw new ResourceNotDisabled({ message: 'not disabled everywhere yet', $metadata: {} });
    account.tenants.delete(tenant.Name);
    return {};
  });

  account.on(ListDomainConflictsCommand, ({ Domain, DomainControlValidationResource: resource }) => {
    const { Customizations } = tenantOf(account, resource?.DistributionTenantId);
    if (account.certificates.get(Customizations?.Certificate?.Arn ?? '')?.names?.includes(Domain ?? '') !== true)
      throw new InvalidArgument({ message: 'the certificate of the tenant does not cover the domain', $metadata: {} });
    if (account.takenHere !== Domain) return { DomainConflicts: [] };
    return { DomainConflicts: [{ Domain, ResourceType: 'distribution' as const, ResourceId: '*****NDARD', AccountId: '******789012' }] };
  });

  account.on(UpdateDomainAssociationCommand, ({ Domain = '', TargetResource, IfMatch }) => {
    const tenant = tenantOf(account, TargetResource?.DistributionTenantId);
    checkVersion(tenant, IfMatch);
    if (account.takenHere !== Domain) throw new EntityNotFound({ message: 'nothing has the domain', $metadata: {} });
    account.takenHere = undefined;
    tenant.Domains.push({ Domain, Status: 'active' });
    tenant.version += 1;
    return { Domain, ResourceId: tenant.Id, ETag: `v${tenant.version}` };
  });

  account.on(GetManagedCertificateDetailsCommand, ({ Identifier }) => {
    const certificate = account.certificates.get(tenantOf(account, Identifier).managed ?? '');
    if (certificate === undefined) return { ManagedCertificateDetails: {} };
    account.look(certificate);
    const status = certificate.Status.toLowerCase().replaceAll('_', '-');
    const CertificateStatus = Object.values(ManagedCertificateStatus).find((each) => each === status);
    return { ManagedCertificateDetails: { CertificateArn: certificate.CertificateArn, CertificateStatus } };
  });

  account.on(ListDistributionTenantsCommand, ({ Marker }) => {
    if (Marker !== undefined && !account.tenants.has(Marker)) throw new InvalidArgument({ message: 'no such marker', $metadata: {} });
    const { items, next } = pageOf(account.tenants, Marker);
    return { DistributionTenantList: items.map(summaryOf), NextMarker: next };
  });

  return client;
}

function summaryOf({ version, ...tenant }: MemoryTenant) {
  const { Id, DistributionId, Name, Enabled, Status, Domains } = structuredClone(tenant);
  const times = { CreatedTime: new Date(0), LastModifiedTime: new Date(0) };
  return {
    Id,
    DistributionId,
    Name,
    Enabled,
    Status,
    Domains,
    Arn: `arn:aws:cloudfront::123456789012:distribution-tenant/${Id}`,
    ...times,
    ETag: `v${version}`,
  };
}

function tenantOf({ tenants }: MemoryAccount, identifier: string | undefined): MemoryTenant {
  const found = [...tenants.values()].find(({ Id, Name }) => Id === identifier || Name === identifier);
  if (found === undefined) throw new EntityNotFound({ message: 'no such tenant', $metadata: {} });
  return found;
}

function checkVersion({ version }: MemoryTenant, ifMatch: string | undefined): void {
  if (ifMatch !== `v${version}`) throw new PreconditionFailed({ message: 'changed meanwhile', $metadata: {} });
}

/** A tenant may get no certificate that is known to be invalid, but may keep it. */
function checkCertificate({ certificates, made }: MemoryAccount, next: Customizations | undefined, last: Customizations | undefined): void {
  const arn = next?.Certificate?.Arn;
  if (arn === undefined || arn === last?.Certificate?.Arn || !made.has(arn) || certificates.get(arn)?.Status === 'ISSUED') return;
  throw new InvalidArgument({ message: 'the certificate is not valid', $metadata: {} });
}

/** @returns the ARN of a certificate that CloudFront requests and validates itself */
function managedCertificate(account: MemoryAccount, DomainName: string): string {
  return account.addCertificate({ DomainName, ManagedBy: 'CLOUDFRONT', Tags: [], token: undefined, listedFrom: 0 });
}

const answerWith = (tenant: MemoryTenant) => ({ DistributionTenant: structuredClone(tenant), ETag: `v${tenant.version}` });
