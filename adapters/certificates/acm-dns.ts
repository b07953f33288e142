// ACM certificates for names whose zone we control. We write the validation record, so the certificate exists before the traffic moves. ACM renews
// the certificate for as long as that record exists.

import { createHash } from 'node:crypto';
import {
  type ACMClient,
  type CertificateDetail,
  DeleteCertificateCommand,
  DescribeCertificateCommand,
  ListTagsForCertificateCommand,
  paginateListCertificates,
  RequestCertificateCommand,
  ResourceNotFoundException,
} from '@aws-sdk/client-acm';
import type { ResourceRecordSet } from '@aws-sdk/client-route-53';
import type { CertificateAuthority } from '../../core/domains/ports.ts';
import { domainIdOf } from '../../core/domains/request-id.ts';
import type { Zone, Zones } from '../dns/route53-zones.ts';
import { statusOf } from './acm-failures.ts';

const REQUEST_TAG = 'petstore:request';
const TTL = 300;

export interface DnsValidatedAuthority {
  request(host: string, requestId: string, zone: Zone): Promise<string>;
  check: CertificateAuthority['check'];
  release: CertificateAuthority['release'];
}

/**
 * Creates the part of the AWS authority that validates over DNS.
 *
 * @param zoneOf returns the zone of a host, or undefined if we don't control it
 */
export function createDnsValidatedAuthority(
  acm: ACMClient,
  zones: Zones,
  zoneOf: (host: string) => Promise<Zone | undefined>,
): DnsValidatedAuthority {
  async function describe(arn: string): Promise<CertificateDetail | undefined> {
    try {
      return (await acm.send(new DescribeCertificateCommand({ CertificateArn: arn }))).Certificate;
    } catch (error) {
      if (error instanceof ResourceNotFoundException) return undefined;
      throw error;
    }
  }

  /** Returns a host's certificates, each with the id of the request that it was made for. */
  async function certificatesOf(host: string): Promise<{ arn: string; requestId: string | undefined }[]> {
    const found: { arn: string; requestId: string | undefined }[] = [];
    for await (const { CertificateSummaryList = [] } of paginateListCertificates({ client: acm }, {})) {
      for (const { DomainName, CertificateArn = '' } of CertificateSummaryList) {
        if (DomainName !== host) continue;
        const { Tags = [] } = await acm.send(new ListTagsForCertificateCommand({ CertificateArn }));
        found.push({ arn: CertificateArn, requestId: Tags.find(({ Key }) => Key === REQUEST_TAG)?.Value });
      }
    }
    return found;
  }

  async function writeValidationRecords(certificate: CertificateDetail | undefined, zone: Zone): Promise<void> {
    const records = validationRecords(certificate);
    // ACM takes a few seconds to report the record it needs.
    if (records.length > 0) await zones.upsert(zone, records);
  }

  return {
    request: async (host, requestId, zone) => {
      const known = (await certificatesOf(host)).find((each) => each.requestId === requestId)?.arn;
      const command = new RequestCertificateCommand({
        DomainName: host,
        ValidationMethod: 'DNS',
        // For one hour, ACM returns the same certificate for the same token; after that, we find it by its tag.
        IdempotencyToken: createHash('sha256').update(requestId).digest('hex').slice(0, 32),
        Tags: [{ Key: REQUEST_TAG, Value: requestId }],
      });
      const arn = known ?? (await acm.send(command)).CertificateArn ?? '';
      await writeValidationRecords(await describe(arn), zone);
      return arn;
    },

    check: async (arn) => {
      const certificate = await describe(arn);
      if (certificate === undefined) return { kind: 'failed', failure: 'other', detail: `no certificate ${arn}; verify again` };
      const status = statusOf(certificate);
      const zone = status.kind === 'pending' ? await zoneOf(certificate.DomainName ?? '') : undefined;
      if (zone !== undefined) await writeValidationRecords(certificate, zone);
      return status;
    },

    release: async ({ id, host }, except) => {
      const certificates = await certificatesOf(host);
      const mine = certificates.filter(({ arn, requestId }) => arn !== except && requestId !== undefined && domainIdOf(requestId) === id);
      const zone = mine.length === 0 || mine.length < certificates.length ? undefined : await zoneOf(host);
      for (const { arn } of mine) {
        // All certificates for a name share one validation record. The record is removed with the last certificate, and just before it, while ACM
        // can still report the record.
        if (zone !== undefined) await zones.remove(zone, validationRecords(await describe(arn)));
        await acm.send(new DeleteCertificateCommand({ CertificateArn: arn })).catch((error: unknown) => {
          if (!(error instanceof ResourceNotFoundException)) throw error;
        });
      }
    },
  };
}

/** Returns the records with which ACM validates, and later renews, a certificate. */
function validationRecords(certificate: CertificateDetail | undefined): ResourceRecordSet[] {
  return (certificate?.DomainValidationOptions ?? []).flatMap(({ ResourceRecord: record }) =>
    record?.Name === undefined || record.Value === undefined
      ? []
      : [{ Name: record.Name, Type: 'CNAME' as const, TTL, ResourceRecords: [{ Value: record.Value }] }],
  );
}
