// ACM certificates for names whose zone we control. We write the validation record, so the certificate exists before the name's traffic moves to us.
// ACM renews the certificate for as long as that record exists.

import { createHash } from 'node:crypto';
import {
  type ACMClient,
  type CertificateDetail,
  DeleteCertificateCommand,
  DescribeCertificateCommand,
  type FailureReason,
  ImportCertificateCommand,
  type KeyAlgorithm,
  ListCertificatesCommand,
  ListTagsForCertificateCommand,
  paginateListCertificates,
  type RenewalSummary,
  RequestCertificateCommand,
} from '@aws-sdk/client-acm';
import type { ResourceRecordSet } from '@aws-sdk/client-route-53';
import { domainIdOf } from '../../core/domains/attempts.ts';
import type { AttemptFailure } from '../../core/domains/domain.ts';
import { AuthoritySilent, type CertificateAuthority, type CertificateStatus } from '../../core/domains/ports.ts';
import { asStalePage, unlessNamed } from '../aws-errors.ts';
import type { Zone, Zones } from '../dns/route53-zones.ts';
import { STAGE_TAG } from '../edge/stage-tag.ts';

const REQUEST_TAG = 'petstore:request';
const TTL = 300;
/** Key types of the certificates requested here (RSA, ACM's default) and of imported ones (EC). Lists leave out certificates of other types. */
const KEY_TYPES: KeyAlgorithm[] = ['RSA_2048', 'EC_prime256v1'];
/** Maximum number of certificates per ListCertificates call (API reference). */
const MOST_PER_PAGE = 1_000;
/** Page size when listing unused certificates, each of which costs another call for its tags. */
const UNUSED_PAGE = 200;

const GONE = 'ResourceNotFoundException';

const PEM_CERTIFICATES = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g;

export interface DnsValidatedAuthority {
  request(host: string, requestId: string, zone: Zone): Promise<string>;
  check: CertificateAuthority['check'];
  release: CertificateAuthority['release'];
  readonly unused: NonNullable<CertificateAuthority['unused']>;
}

/**
 * Creates the part of the AWS authority that validates over DNS. @param zoneOf returns a host's zone; undefined if we don't control it
 * @param stage the value of STAGE_TAG: stages in the same AWS account leave each other's certificates alone
 */
export function createDnsValidatedAuthority(
  acm: ACMClient,
  zones: Zones,
  zoneOf: (host: string) => Promise<Zone | undefined>,
  stage: string,
): DnsValidatedAuthority {
  const describe = (arn: string) => describeCertificate(acm, arn);

  async function deleteCertificate(arn: string): Promise<void> {
    await acm.send(new DeleteCertificateCommand({ CertificateArn: arn })).catch(unlessNamed(GONE));
  }

  async function writeValidationRecords(certificate: CertificateDetail | undefined, zone: Zone): Promise<void> {
    const records = validationRecords(certificate);
    // ACM takes a few seconds to report the record it needs.
    if (records.length > 0) await zones.upsert(zone, records);
  }

  return {
    request: async (host, requestId, zone) => {
      const known = (await certificatesOf(acm, host)).filter((each) => each.requestId === requestId).map(({ arn }) => arn);
      const described = await Promise.all(known.map(async (arn) => ({ arn, certificate: await describe(arn) })));
      const usable = described.find(({ certificate }) => certificate !== undefined && statusOf(certificate).kind !== 'failed');
      // A failed request can't be retried, so a new one replaces it.
      const failed = described.filter(({ certificate }) => certificate !== undefined && statusOf(certificate).kind === 'failed');
      const attempt = [requestId, ...failed.map(({ arn }) => arn)].join(' ');
      const command = new RequestCertificateCommand({
        DomainName: host,
        ValidationMethod: 'DNS',
        // For one hour, ACM returns the same certificate for the same token; after that, we find it by its tag.
        IdempotencyToken: createHash('sha256').update(attempt).digest('hex').slice(0, 32),
        Tags: tagsFor(requestId, stage),
      });
      const arn = usable?.arn ?? (await acm.send(command)).CertificateArn ?? '';
      await writeValidationRecords(usable?.certificate ?? (await describe(arn)), zone);
      for (const each of failed) await deleteCertificate(each.arn);
      return arn;
    },

    check: async (arn) => {
      const certificate = await describe(arn);
      if (certificate === undefined) return { kind: 'failed', failure: 'other', detail: `no certificate ${arn}` };
      const status = statusOf(certificate);
      const zone = status.kind === 'pending' ? await zoneOf(certificate.DomainName ?? '') : undefined;
      if (zone !== undefined) await writeValidationRecords(certificate, zone);
      return status;
    },

    release: async ({ id, host }, except) => {
      const certificates = await certificatesOf(acm, host);
      const mine = certificates.filter(({ arn, requestId }) => arn !== except && requestId !== undefined && domainIdOf(requestId) === id);
      const zone = mine.length === 0 || mine.length < certificates.length ? undefined : await zoneOf(host);
      for (const { arn } of mine) {
        // A name's certificates share one validation record, which is removed just before the last certificate, while ACM still reports it.
        if (zone !== undefined) await zones.remove(zone, validationRecords(await describe(arn)));
        await deleteCertificate(arn);
      }
    },

    unused: {
      list: async (after) => {
        const command = new ListCertificatesCommand({ Includes: { keyTypes: KEY_TYPES }, MaxItems: UNUSED_PAGE, NextToken: after });
        const { CertificateSummaryList = [], NextToken } = await acm
          .send(command)
          .catch(asStalePage(after, 'InvalidArgsException', 'ValidationException'));
        const items = CertificateSummaryList.flatMap(({ CertificateArn, InUse, ManagedBy }) =>
          CertificateArn === undefined || InUse !== false || ManagedBy !== undefined ? [] : [CertificateArn],
        );
        return { items, next: NextToken };
      },
      domainOf: async (arn) => {
        const tags = await tagsOf(acm, arn).catch(unlessNamed(GONE));
        const requestId = tags?.get(REQUEST_TAG);
        return requestId === undefined || tags?.get(STAGE_TAG) !== stage ? undefined : domainIdOf(requestId);
      },
      delete: deleteCertificate,
    },
  };
}

/** Returns ACM's description of a certificate; undefined if there is none. */
export async function describeCertificate(acm: ACMClient, CertificateArn: string | undefined): Promise<CertificateDetail | undefined> {
  return (await acm.send(new DescribeCertificateCommand({ CertificateArn })).catch(unlessNamed(GONE)))?.Certificate;
}

/** Certificates that other authorities have issued. */
export interface CertificateImports {
  /** Imports a certificate unless it was imported before. @param chain PEM: the leaf, followed by its issuers @returns its ARN */
  importOnce(host: string, requestId: string, certificate: { readonly chain: string; readonly privateKey: string }): Promise<string>;
}

/** Creates the importer for one run of a command. Existing certificates are listed only once per run. */
export function createCertificateImports(acm: ACMClient, stage: string): CertificateImports {
  let listed: Promise<Map<string, string[]>> | undefined;
  return {
    importOnce: async (host, requestId, { chain, privateKey }) => {
      listed ??= arnsByHost(acm);
      for (const arn of (await listed).get(host) ?? []) if ((await tagsOf(acm, arn)).get(REQUEST_TAG) === requestId) return arn;
      const [leaf = '', ...others] = chain.match(PEM_CERTIFICATES) ?? [];
      const command = new ImportCertificateCommand({
        Certificate: Buffer.from(leaf),
        PrivateKey: Buffer.from(privateKey),
        ...(others.length > 0 && { CertificateChain: Buffer.from(others.join('\n')) }),
        Tags: tagsFor(requestId, stage),
      });
      return (await acm.send(command)).CertificateArn ?? '';
    },
  };
}

/** Returns the ARNs, by host, of certificates that CloudFront does not manage. ACM can't filter its list by host. */
async function arnsByHost(acm: ACMClient): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>();
  for await (const { CertificateSummaryList = [] } of paginateListCertificates(
    { client: acm, pageSize: MOST_PER_PAGE },
    { Includes: { keyTypes: KEY_TYPES } },
  )) {
    for (const { DomainName = '', ManagedBy, CertificateArn = '' } of CertificateSummaryList)
      if (ManagedBy === undefined) found.set(DomainName, [...(found.get(DomainName) ?? []), CertificateArn]);
  }
  return found;
}

/** Returns a host's certificates, each with the id of its request. */
async function certificatesOf(acm: ACMClient, host: string): Promise<{ arn: string; requestId: string | undefined }[]> {
  const found: { arn: string; requestId: string | undefined }[] = [];
  for (const arn of (await arnsByHost(acm)).get(host) ?? []) found.push({ arn, requestId: (await tagsOf(acm, arn)).get(REQUEST_TAG) });
  return found;
}

async function tagsOf(acm: ACMClient, arn: string): Promise<ReadonlyMap<string, string | undefined>> {
  const { Tags = [] } = await acm.send(new ListTagsForCertificateCommand({ CertificateArn: arn }));
  return new Map(Tags.map(({ Key = '', Value }) => [Key, Value]));
}

function tagsFor(requestId: string, stage: string) {
  return [
    { Key: REQUEST_TAG, Value: requestId },
    { Key: STAGE_TAG, Value: stage },
  ];
}

/** Returns the records with which ACM validates, and later renews, a certificate. */
function validationRecords(certificate: CertificateDetail | undefined): ResourceRecordSet[] {
  return (certificate?.DomainValidationOptions ?? []).flatMap(({ ResourceRecord: record }) =>
    record?.Name === undefined || record.Value === undefined
      ? []
      : [{ Name: record.Name, Type: 'CNAME' as const, TTL, ResourceRecords: [{ Value: record.Value }] }],
  );
}

// Translates the statuses of ACM certificates, and the errors of AWS calls. Source: ACM API reference, CertificateDetail, FailureReason.

const FAILURES: Partial<Readonly<Record<FailureReason, AttemptFailure>>> = {
  CAA_ERROR: { failure: 'caa', detail: 'a CAA record does not allow Amazon to issue certificates for this domain' },
  DOMAIN_NOT_ALLOWED: { failure: 'name_refused', detail: 'Amazon does not issue certificates for this domain; it may be listed as unsafe' },
  DOMAIN_VALIDATION_DENIED: { failure: 'name_refused', detail: 'Amazon refuses to validate this domain' },
  INVALID_PUBLIC_DOMAIN: { failure: 'name_refused', detail: 'Amazon does not recognize the suffix of this domain as a public one' },
  ADDITIONAL_VERIFICATION_REQUIRED: {
    failure: 'name_refused',
    detail: "Amazon requires additional verification for this domain; the platform's operator must contact AWS Support",
  },
};

/** Returns the status of an ACM certificate in terms of the domain rules. */
export function statusOf({
  Status,
  Type,
  FailureReason: reason,
  NotBefore,
  NotAfter,
  RenewalSummary: renewal,
}: CertificateDetail): CertificateStatus {
  switch (Status) {
    case 'ISSUED':
      return {
        kind: 'issued',
        life: NotBefore === undefined || NotAfter === undefined ? undefined : { notBefore: NotBefore.getTime(), notAfter: NotAfter.getTime() },
        problem: problemOf(renewal),
        // ACM does not renew imported certificates.
        ...(Type === 'IMPORTED' && { isForeign: true }),
      };
    case 'PENDING_VALIDATION':
      return { kind: 'pending' };
    case 'VALIDATION_TIMED_OUT':
      return { kind: 'failed', failure: 'timed_out', detail: 'the domain was not validated within 72 hours' };
    case 'FAILED':
      return { kind: 'failed', ...failureOf(reason) };
    default:
      return { kind: 'failed', failure: 'other', detail: `the certificate's status is ${Status ?? 'unknown'}` };
  }
}

/** Returns the failure for ACM's reason; `other` for a reason that is not in FAILURES. */
export function failureOf(reason: FailureReason | undefined): AttemptFailure {
  const known = reason && FAILURES[reason];
  return known ?? { failure: 'other', detail: `reason given by Amazon: ${reason ?? 'none'}` };
}

/** Returns why Amazon has not been able to renew a certificate; undefined if no problem is known. */
function problemOf(renewal: RenewalSummary | undefined): AttemptFailure | undefined {
  if (renewal?.RenewalStatus === 'FAILED') return failureOf(renewal.RenewalStatusReason);
  if (renewal?.RenewalStatus !== 'PENDING_VALIDATION') return undefined;
  return { failure: 'validation', detail: 'Amazon could not validate the domain again, so it does not renew the certificate' };
}

/** Errors about quotas, for which only the operator can request an increase. */
const QUOTAS: readonly string[] = ['LimitExceededException', 'EntityLimitExceeded'];
const DENIALS: readonly string[] = ['AccessDenied', 'AccessDeniedException'];

/** Turns an AWS call's error into one that makes the domain wait. Errors without `$metadata` don't come from a call, and are rethrown unchanged. */
export function asSilence(error: unknown): never {
  if (!(error instanceof Error) || !('$metadata' in error)) throw error;
  const { name, message, code } = error as Error & { readonly code?: unknown };
  if (QUOTAS.includes(name)) throw new AuthoritySilent(`a quota of the AWS account is used up: ${message}`, { failure: 'account', cause: error });
  // Owners see this message; AWS's own might name resources in the operator's account.
  if (DENIALS.includes(name)) throw new AuthoritySilent("AWS denies the platform's account this request", { failure: 'account', cause: error });
  throw new AuthoritySilent(`no usable answer from AWS (${typeof code === 'string' ? code : name})`, { cause: error });
}
