// CloudFront, its KeyValueStore, ACM, Route 53 and Step Functions in memory, as far as the adapters use them: with the waits that the emulator
// leaves out, with faults on demand, and with refusals of inputs that violate AWS's own descriptions of the operations. test/deploy compares the
// meaning of the calls with the emulator's.

import { ACMClient, ResourceNotFoundException as CertificateNotFound } from '@aws-sdk/client-acm';
import { CloudFrontClient } from '@aws-sdk/client-cloudfront';
import { CloudFrontKeyValueStoreClient, ConflictException, ResourceNotFoundException as KeyNotFound } from '@aws-sdk/client-cloudfront-keyvaluestore';
import { InvalidChangeBatch, type ListResourceRecordSetsRequest, type ResourceRecordSet, Route53Client } from '@aws-sdk/client-route-53';
import { ExecutionAlreadyExists, SFNClient } from '@aws-sdk/client-sfn';
import { checkInput } from './aws-reference/inputs.ts';
import { clientOf, pageOf } from './memory-clients.ts';
import { recordSetsFrom } from './memory-record-sets.ts';

export const FAULTS = ['throttled', 'timed out', 'failed', 'answered twice'] as const;

export type Fault = (typeof FAULTS)[number];

interface Tenant {
  Id: string;
  Name: string;
  Enabled: boolean;
  Status: string;
  Domains: { Domain: string; Status: string }[];
  Customizations?: { Certificate?: { Arn?: string } };
  version: number;
  /** Number of checks until a change has reached every edge location. */
  settling: number;
  managed: string | undefined;
}

interface Certificate {
  CertificateArn: string;
  DomainName: string;
  Status: string;
  FailureReason?: string;
  ManagedBy?: string;
  Tags: { Key?: string; Value?: string }[];
  token: string | undefined;
  /** Number of checks until a certificate is issued. */
  checks: number;
  /** Lists lag behind: they contain the resource from this call on. */
  listedFrom: number;
}

type Input = Record<string, never>;

/** Number of calls after which a new certificate appears in lists. */
const LIST_LAG = 4;
/** Items per page of a list: few, so that code which reads only the first page misses some. */
const PAGE = 2;

/** One AWS account, empty at first. */
export class MemoryAws {
  readonly tenants = new Map<string, Tenant>();
  readonly certificates = new Map<string, Certificate>();
  readonly keys = new Map<string, string>();
  readonly zones = new Map<string, { name: string; tags: { Key: string; Value: string }[]; records: ResourceRecordSet[] }>();
  /** Executions by name. */
  readonly executions = new Map<string, { readonly input: string; isRunning: boolean }>();
  /** All certificates requested so far. */
  requested = 0;
  /** Whether the name leads here, as CloudFront sees it. */
  resolves = true;
  failureReason: string | undefined;
  /** The number of calls so far, and the call that is to fail. */
  calls = 0;
  readonly log: string[] = [];
  /** The requests sent to AWS. */
  readonly requests: { readonly operation: string; readonly input: object }[] = [];
  /** Calls with an input that AWS would refuse, whatever their result. */
  readonly refused: string[] = [];
  fault: { readonly call: number; readonly kind: Fault } | undefined;
  #ids = 0;
  #mapVersion = 0;

  readonly cloudFront = clientOf(CloudFrontClient, this.#sender('cloudfront'));
  readonly keyValueStore = clientOf(CloudFrontKeyValueStoreClient, this.#sender('cloudfront-keyvaluestore'));
  readonly acm = clientOf(ACMClient, this.#sender('acm'));
  readonly route53 = clientOf(Route53Client, this.#sender('route53'));
  readonly stepFunctions = clientOf(SFNClient, this.#sender('stepfunctions'));

  #sender(service: string) {
    return (command: { input: Input }) => {
      const name = command.constructor.name.replace(/Command$/, '');
      return this.#call(name, async () => {
        // Paginators write the next token to the same input.
        this.requests.push({ operation: name, input: { ...command.input } });
        this.#check(`${service}:${name}`, command.input);
        return this.#perform(name, command.input);
      });
    };
  }

  #check(operation: string, input: Input): void {
    try {
      checkInput(operation, input);
    } catch (error) {
      this.refused.push((error as Error).message);
      throw error;
    }
  }

  /** A KeyValueStore whose calls are counted and fail as the other services' calls do. */
  failing<Store extends object>(store: Store): Store {
    const methods = Object.entries(store).map(([name, method]) => [name, (...args: unknown[]) => this.#call(name, () => method(...args))]);
    return Object.fromEntries(methods);
  }

  async #call<T>(name: string, perform: () => Promise<T>): Promise<T> {
    this.calls += 1;
    this.log.push(name);
    const kind = this.fault?.call === this.calls ? this.fault.kind : undefined;
    if (kind === 'throttled') throw named('ThrottlingException', 'Rate exceeded');
    if (kind === 'failed') throw named('ServiceException', 'internal error');
    const answer = await perform();
    // The answer was lost, and the SDK repeated the call.
    if (kind === 'answered twice') return perform();
    if (kind === 'timed out') throw named('TimeoutError', 'no answer');
    return answer;
  }

  #perform(name: string, input: Input): unknown {
    const operation = (this as unknown as Record<string, (input: Input) => unknown>)[name];
    if (operation === undefined) throw new Error(`no ${name} in memory`);
    return operation.call(this, input);
  }

  #tenant(identifier: string): Tenant {
    const found = [...this.tenants.values()].find(({ Id, Name }) => Id === identifier || Name === identifier);
    if (found === undefined) throw named('EntityNotFound', 'no such tenant');
    return found;
  }

  #write(tenant: Tenant, ifMatch: string): void {
    if (ifMatch !== `v${tenant.version}`) throw named('PreconditionFailed', 'changed meanwhile');
  }

  #managedCertificate(tenant: Tenant, host: string): void {
    this.requested += 1;
    this.#ids += 1;
    const CertificateArn = `arn:aws:acm:us-east-1:0:certificate/${this.#ids}`;
    this.certificates.set(CertificateArn, {
      CertificateArn,
      DomainName: host,
      Status: 'PENDING_VALIDATION',
      ManagedBy: 'CLOUDFRONT',
      Tags: [],
      token: undefined,
      checks: 2,
      listedFrom: 0,
    });
    tenant.managed = CertificateArn;
  }

  GetConnectionGroup() {
    return { ConnectionGroup: { Id: 'cg_1', RoutingEndpoint: 'd1.cloudfront.net' } };
  }

  GetDistributionTenant({ Identifier }: { Identifier: string }) {
    const tenant = this.#tenant(Identifier);
    if (tenant.settling > 0) tenant.settling -= 1;
    else tenant.Status = 'Deployed';
    const certificate = tenant.Customizations?.Certificate?.Arn;
    for (const domain of tenant.Domains) domain.Status = tenant.Status === 'Deployed' && certificate !== undefined ? 'active' : 'inactive';
    return { DistributionTenant: structuredClone(tenant), ETag: `v${tenant.version}` };
  }

  GetDistributionTenantByDomain({ Domain }: { Domain: string }) {
    const tenant = [...this.tenants.values()].find(({ Domains }) => Domains.some((each) => each.Domain === Domain));
    if (tenant === undefined) throw named('EntityNotFound', 'no such tenant');
    return { DistributionTenant: structuredClone(tenant) };
  }

  CreateDistributionTenant(input: {
    Name: string;
    Domains: { Domain: string }[];
    Customizations?: Tenant['Customizations'];
    ManagedCertificateRequest?: object;
  }) {
    const host = input.Domains[0]?.Domain ?? '';
    if (this.tenants.has(input.Name)) throw named('EntityAlreadyExists', 'the name is taken');
    if (host === this.takenElsewhere || [...this.tenants.values()].some(({ Domains }) => Domains.some(({ Domain }) => Domain === host)))
      throw named('CNAMEAlreadyExists', 'the domain is taken');
    if (!this.resolves) throw named('InvalidArgument', 'Could not verify Domain Name ownership');
    this.#ids += 1;
    const tenant: Tenant = {
      Id: `dt_${this.#ids}`,
      Name: input.Name,
      Enabled: true,
      Status: 'InProgress',
      Domains: [{ Domain: host, Status: 'inactive' }],
      ...(input.Customizations && { Customizations: input.Customizations }),
      version: 1,
      settling: 2,
      managed: undefined,
    };
    if (input.ManagedCertificateRequest !== undefined) this.#managedCertificate(tenant, host);
    this.tenants.set(input.Name, tenant);
    return { DistributionTenant: structuredClone(tenant), ETag: 'v1' };
  }

  /** A name that another AWS account has at CloudFront. */
  takenElsewhere: string | undefined;

  UpdateDistributionTenant(input: {
    Id: string;
    IfMatch: string;
    Enabled?: boolean;
    Customizations?: Tenant['Customizations'];
    ManagedCertificateRequest?: object;
  }) {
    const tenant = this.#tenant(input.Id);
    this.#write(tenant, input.IfMatch);
    // Members that are left out are dropped.
    tenant.Enabled = input.Enabled ?? false;
    if (input.Customizations === undefined) delete tenant.Customizations;
    else tenant.Customizations = input.Customizations;
    if (input.ManagedCertificateRequest !== undefined) this.#managedCertificate(tenant, tenant.Domains[0]?.Domain ?? '');
    tenant.version += 1;
    tenant.Status = 'InProgress';
    tenant.settling = 2;
    return { DistributionTenant: structuredClone(tenant), ETag: `v${tenant.version}` };
  }

  DeleteDistributionTenant({ Id, IfMatch }: { Id: string; IfMatch: string }) {
    const tenant = this.#tenant(Id);
    this.#write(tenant, IfMatch);
    if (tenant.Enabled || tenant.Status !== 'Deployed') throw named('ResourceNotDisabled', 'not disabled everywhere yet');
    this.tenants.delete(tenant.Name);
    return {};
  }

  GetManagedCertificateDetails({ Identifier }: { Identifier: string }) {
    const certificate = this.certificates.get(this.#tenant(Identifier).managed ?? '');
    if (certificate === undefined) return { ManagedCertificateDetails: {} };
    this.#look(certificate);
    const status = certificate.Status.toLowerCase().replaceAll('_', '-');
    return { ManagedCertificateDetails: { CertificateArn: certificate.CertificateArn, CertificateStatus: status } };
  }

  ListDistributionTenants({ Marker }: { Marker?: string }) {
    const { items, next } = pageOf(this.tenants, Marker, PAGE);
    return { DistributionTenantList: structuredClone(items), NextMarker: next };
  }

  #look(certificate: Certificate): void {
    if (certificate.Status !== 'PENDING_VALIDATION') return;
    if (certificate.ManagedBy === undefined && !this.#isValidated(certificate)) return;
    if (certificate.checks > 0) certificate.checks -= 1;
    else if (this.failureReason === undefined) certificate.Status = 'ISSUED';
    else Object.assign(certificate, { Status: 'FAILED', FailureReason: this.failureReason });
  }

  #isValidated({ DomainName }: Certificate): boolean {
    return [...this.zones.values()].some(({ records }) => records.some(({ Name }) => Name === `_acme.${DomainName}.`));
  }

  RequestCertificate(input: { DomainName: string; IdempotencyToken: string; Tags: { Key?: string; Value?: string }[] }) {
    const same = [...this.certificates.values()].find(({ token }) => token === input.IdempotencyToken);
    if (same !== undefined) return { CertificateArn: same.CertificateArn };
    this.requested += 1;
    this.#ids += 1;
    const CertificateArn = `arn:aws:acm:us-east-1:0:certificate/${this.#ids}`;
    const { DomainName, Tags, IdempotencyToken: token } = input;
    this.certificates.set(CertificateArn, {
      CertificateArn,
      DomainName,
      Status: 'PENDING_VALIDATION',
      Tags,
      token,
      checks: 2,
      listedFrom: this.calls + LIST_LAG,
    });
    return { CertificateArn };
  }

  DescribeCertificate({ CertificateArn }: { CertificateArn: string }) {
    const certificate = this.certificates.get(CertificateArn);
    if (certificate === undefined) throw new CertificateNotFound({ message: 'no such certificate', $metadata: {} });
    this.#look(certificate);
    return {
      Certificate: {
        ...certificate,
        NotBefore: new Date(0),
        NotAfter: new Date(1),
        DomainValidationOptions: [
          { DomainName: certificate.DomainName, ResourceRecord: { Name: `_acme.${certificate.DomainName}.`, Type: 'CNAME', Value: '_x.acm.aws.' } },
        ],
      },
    };
  }

  ListCertificates({ NextToken }: { NextToken?: string }) {
    const inUse = new Set([...this.tenants.values()].flatMap(({ managed, Customizations }) => [managed, Customizations?.Certificate?.Arn]));
    const listed = [...this.certificates].filter(([, { listedFrom }]) => this.calls >= listedFrom);
    const { items, next } = pageOf(new Map(listed), NextToken, PAGE);
    return { CertificateSummaryList: items.map((each) => ({ ...each, InUse: inUse.has(each.CertificateArn) })), NextToken: next };
  }

  ListTagsForCertificate({ CertificateArn }: { CertificateArn: string }) {
    return { Tags: this.certificates.get(CertificateArn)?.Tags };
  }

  DeleteCertificate({ CertificateArn }: { CertificateArn: string }) {
    if (!this.certificates.delete(CertificateArn)) throw new CertificateNotFound({ message: 'no such certificate', $metadata: {} });
    return {};
  }

  ListHostedZones({ Marker }: { Marker?: string }) {
    const { items, next } = pageOf(new Map([...this.zones].map(([id, { name }]) => [id, { id, name }])), Marker, PAGE);
    const HostedZones = items.map(({ id, name }) => ({ Id: `/hostedzone/${id}`, Name: `${name}.` }));
    return { HostedZones, IsTruncated: next !== undefined, NextMarker: next };
  }

  ListTagsForResource({ ResourceId }: { ResourceId: string }) {
    return { ResourceTagSet: { Tags: this.zones.get(ResourceId)?.tags } };
  }

  ListResourceRecordSets(input: ListResourceRecordSetsRequest) {
    return recordSetsFrom(this.zones.get(input.HostedZoneId ?? '')?.records ?? [], input);
  }

  ChangeResourceRecordSets({
    HostedZoneId,
    ChangeBatch,
  }: {
    HostedZoneId: string;
    ChangeBatch: { Changes: { Action: string; ResourceRecordSet: ResourceRecordSet }[] };
  }) {
    const zone = this.zones.get(HostedZoneId);
    if (zone === undefined) throw named('NoSuchHostedZone', 'no such zone');
    for (const { Action, ResourceRecordSet } of ChangeBatch.Changes) {
      const record = { ...ResourceRecordSet, Name: `${ResourceRecordSet.Name?.replace(/\.$/, '')}.` };
      const at = zone.records.findIndex(({ Name, Type }) => Name === record.Name && Type === record.Type);
      if (Action === 'DELETE') {
        if (at < 0 || JSON.stringify(zone.records[at]?.ResourceRecords) !== JSON.stringify(record.ResourceRecords))
          throw new InvalidChangeBatch({ message: 'it was not found', $metadata: {} });
        zone.records.splice(at, 1);
      } else if (at < 0) zone.records.push(record);
      else zone.records[at] = record;
    }
    return {};
  }

  StartExecution({ name, input }: { name: string; input: string }) {
    const same = this.executions.get(name);
    // While an execution runs, a start with the same input is idempotent (API reference).
    if (same !== undefined && !(same.isRunning && same.input === input)) throw new ExecutionAlreadyExists({ message: 'exists', $metadata: {} });
    this.executions.set(name, { input, isRunning: true });
    return { executionArn: `arn:execution:${name}` };
  }

  DescribeKeyValueStore() {
    return { ETag: `m${this.#mapVersion}` };
  }

  GetKey({ Key }: { Key: string }) {
    const Value = this.keys.get(Key);
    if (Value === undefined) throw new KeyNotFound({ message: 'no such key', $metadata: {} });
    return { Key, Value };
  }

  ListKeys({ NextToken }: { NextToken?: string }) {
    const { items, next } = pageOf(new Map([...this.keys].map(([Key, Value]) => [Key, { Key, Value }])), NextToken, PAGE);
    return { Items: items, NextToken: next };
  }

  UpdateKeys({ IfMatch, Puts, Deletes }: { IfMatch: string; Puts: { Key: string; Value: string }[]; Deletes: { Key: string }[] }) {
    if (IfMatch !== `m${this.#mapVersion}`) throw new ConflictException({ message: 'changed meanwhile', $metadata: {} });
    for (const { Key, Value } of Puts) this.keys.set(Key, Value);
    for (const { Key } of Deletes) this.keys.delete(Key);
    this.#mapVersion += 1;
    return { ETag: `m${this.#mapVersion}` };
  }
}

function named(name: string, message: string): Error {
  return Object.assign(new Error(message), { name });
}
