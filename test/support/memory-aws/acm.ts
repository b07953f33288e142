// ACM: a certificate is issued some checks after its validation record exists, and appears in lists with a delay.

import {
  ACMClient,
  DeleteCertificateCommand,
  DescribeCertificateCommand,
  ImportCertificateCommand,
  ListCertificatesCommand,
  ListTagsForCertificateCommand,
  RequestCertificateCommand,
  ResourceInUseException,
  ResourceNotFoundException,
} from '@aws-sdk/client-acm';
import { CLIENT_SETTINGS, type MemoryAccount } from './account.ts';
import { pageOf } from './pages.ts';

/** Number of calls after which a new certificate appears in lists. */
const LIST_LAG = 4;

/** Creates a client of the account's ACM. */
export function acmOf(account: MemoryAccount): ACMClient {
  const client = account.clientOf(new ACMClient(CLIENT_SETTINGS));

  account.on(RequestCertificateCommand, ({ DomainName = '', IdempotencyToken, Tags = [] }) => {
    const same = [...account.certificates.values()].find(({ token }) => token === IdempotencyToken);
    if (same !== undefined) return { CertificateArn: same.CertificateArn };
    const listedFrom = account.calls + LIST_LAG;
    return { CertificateArn: account.addCertificate({ DomainName, Tags, token: IdempotencyToken, listedFrom }) };
  });

  // The certificate's text is its name.
  account.on(ImportCertificateCommand, ({ Certificate = new Uint8Array(), Tags = [] }) => {
    const DomainName = Buffer.from(Certificate).toString().split('\n')[1] ?? '';
    const CertificateArn = account.addCertificate({ DomainName, Tags, token: undefined, listedFrom: account.calls });
    Object.assign(account.certificates.get(CertificateArn) ?? {}, { Type: 'IMPORTED', Status: 'ISSUED', life: account.life });
    return { CertificateArn };
  });

  account.on(DescribeCertificateCommand, ({ CertificateArn = '' }) => {
    const certificate = account.certificates.get(CertificateArn);
    if (certificate === undefined) throw noCertificate();
    account.look(certificate);
    const {
      DomainName,
      names: SubjectAlternativeNames = [DomainName],
      Status,
      FailureReason,
      ManagedBy,
      Type,
      life: ownLife = account.life,
      renewal: RenewalSummary,
    } = certificate;
    const ResourceRecord = { Name: `_acme.${DomainName}.`, Type: 'CNAME', Value: '_x.acm.aws.' } as const;
    const life = { NotBefore: new Date(ownLife.notBefore), NotAfter: new Date(ownLife.notAfter) };
    const DomainValidationOptions = [{ DomainName, ResourceRecord }];
    const ofRequest = { DomainName, SubjectAlternativeNames, DomainValidationOptions };
    return { Certificate: { CertificateArn, ...ofRequest, Status, FailureReason, ManagedBy, Type, RenewalSummary, ...life } };
  });

  account.on(ListCertificatesCommand, ({ NextToken }) => {
    const inUse = inUseBy(account);
    const listed = [...account.certificates].filter(([, { listedFrom }]) => account.calls >= listedFrom);
    const { items, next } = pageOf(new Map(listed), NextToken);
    const CertificateSummaryList = items.map(({ CertificateArn, DomainName, Status, ManagedBy }) => {
      return { CertificateArn, DomainName, Status, ManagedBy, InUse: inUse.has(CertificateArn) };
    });
    return { CertificateSummaryList, NextToken: next };
  });

  account.on(ListTagsForCertificateCommand, ({ CertificateArn = '' }) => ({ Tags: account.certificates.get(CertificateArn)?.Tags }));

  account.on(DeleteCertificateCommand, ({ CertificateArn = '' }) => {
    if (inUseBy(account).has(CertificateArn)) throw new ResourceInUseException({ message: 'a tenant uses it', $metadata: {} });
    if (!account.certificates.delete(CertificateArn)) throw noCertificate();
    return {};
  });

  return client;
}

/** Certificates that a tenant serves, or that CloudFront requests for one. */
const inUseBy = ({ tenants }: MemoryAccount) =>
  new Set([...tenants.values()].flatMap(({ managed, Customizations }) => [managed, Customizations?.Certificate?.Arn]));

const noCertificate = () => new ResourceNotFoundException({ message: 'no such certificate', $metadata: {} });
