// One AWS account in memory: what its services hold, a log of the calls, and faults on demand.

import type { CertificateDetail, CertificateStatus, FailureReason, RenewalSummary, Tag } from '@aws-sdk/client-acm';
import type { Customizations, DomainResult } from '@aws-sdk/client-cloudfront';
import type { ResourceRecordSet } from '@aws-sdk/client-route-53';
import type { StartExecutionCommandOutput } from '@aws-sdk/client-sfn';
import type { AwsCommand } from 'aws-sdk-client-mock';
import { answeredClient, operationOf } from '../mocked-clients.ts';

export const FAULTS = ['throttled', 'timed out', 'failed', 'unreachable', 'answered twice'] as const;

export type Fault = (typeof FAULTS)[number];

export interface MemoryTenant {
  readonly Id: string;
  readonly DistributionId: string | undefined;
  readonly Name: string;
  Enabled: boolean;
  Status: string;
  Domains: DomainResult[];
  Customizations?: Customizations;
  version: number;
  /** Number of checks until a change has reached every edge location. */
  settling: number;
  /** ARN of the certificate that CloudFront manages. */
  managed: string | undefined;
}

export interface MemoryCertificate extends Pick<CertificateDetail, 'ManagedBy' | 'Type'> {
  readonly CertificateArn: string;
  readonly DomainName: string;
  /** @default the domain name alone */
  readonly names?: string[];
  Status: CertificateStatus;
  FailureReason?: FailureReason;
  readonly Tags: Tag[];
  /** Of the request: for an hour, it gives this certificate. */
  token: string | undefined;
  /** From its issuance on, in milliseconds since 1970. */
  life?: { notBefore: number; notAfter: number };
  /** What ACM says of its renewal. */
  renewal?: RenewalSummary;
  /** Number of checks until a certificate is issued. */
  checks: number;
  /** Lists lag: they contain the resource only from this call on. */
  readonly listedFrom: number;
}

interface MemoryZone {
  readonly name: string;
  /** @default false */
  readonly isPrivate?: boolean;
  readonly tags: { Key: string; Value: string }[];
  readonly records: ResourceRecordSet[];
}

/** What the outputs of all operations contain. */
type Metadata = Pick<StartExecutionCommandOutput, '$metadata'>;

/** For clients that send no requests. */
export const CLIENT_SETTINGS = { region: 'us-east-1', credentials: { accessKeyId: 'x', secretAccessKey: 'x' } };

/** An account, empty at first. */
export class MemoryAccount {
  /** Of the certificates that are issued now, in milliseconds since 1970. */
  life = { notBefore: 0, notAfter: Date.UTC(2100) };
  readonly tenants = new Map<string, MemoryTenant>();
  readonly certificates = new Map<string, MemoryCertificate>();
  /** ARNs of all certificates that ever were. */
  readonly made = new Set<string>();
  readonly keys = new Map<string, string>();
  readonly zones = new Map<string, MemoryZone>();
  /** Executions by name. */
  readonly executions = new Map<string, { readonly input: string; isRunning: boolean }>();
  /** All certificates requested so far. */
  requested = 0;
  /** Whether domains resolve to CloudFront. */
  resolves = true;
  /** A domain that another AWS account uses at CloudFront. */
  takenElsewhere: string | undefined;
  /** A domain that a standard distribution of this account has. */
  takenHere: string | undefined;
  failureReason: FailureReason | undefined;
  /** Whether names are validated. Otherwise requests go on waiting. */
  validates = true;
  /** Plays a fault at each call of an operation; an error is the service's answer. */
  play: (operation: string) => Fault | Error | undefined = () => undefined;
  /** A name whose record changes Route 53 throttles. */
  throttledRecord: string | undefined;
  /** The number of calls so far, and the call that is to fail. */
  calls = 0;
  readonly log: string[] = [];
  /** The requests sent to AWS. */
  readonly requests: { readonly operation: string; readonly input: object }[] = [];
  fault: { readonly call: number; readonly kind: Fault } | undefined;
  #ids = 0;
  /** By command class. */
  readonly #answers = new Map<unknown, (input: object) => object>();

  /** A KeyValueStore whose calls are counted and fail like those of the other services. */
  failing<Store extends object>(store: Store): Store {
    const methods = Object.entries(store).map(([name, method]) => [name, (...args: unknown[]) => this.#call(name, () => method(...args))]);
    return Object.fromEntries(methods);
  }

  /** Makes the account answer this client's requests. */
  clientOf<Client extends object>(client: Client): Client {
    return answeredClient(client, async (command) => {
      const operation = operationOf(command);
      const answer = this.#answers.get(command.constructor);
      if (answer === undefined) throw new Error(`${operation} has no answer in memory`);
      return this.#call(operation, async () => {
        // Paginators write the next token to the same input.
        this.requests.push({ operation, input: { ...command.input } });
        return answer(command.input);
      });
    });
  }

  /** Answers an operation. @param answer may throw what the service would */
  on<Input extends object, Output extends Metadata>(
    command: new (input: Input) => AwsCommand<Input, Output>,
    answer: (input: Input) => Omit<Output, '$metadata'>,
  ): void {
    this.#answers.set(command, answer as (input: object) => object);
  }

  /** Different for each call. */
  nextId(): number {
    this.#ids += 1;
    return this.#ids;
  }

  /** Adds a certificate that waits for its validation. @returns its ARN */
  addCertificate(certificate: Pick<MemoryCertificate, 'DomainName' | 'names' | 'ManagedBy' | 'Tags' | 'token' | 'listedFrom'>): string {
    this.requested += 1;
    const CertificateArn = `arn:aws:acm:us-east-1:123456789012:certificate/${this.nextId()}`;
    this.made.add(CertificateArn);
    this.certificates.set(CertificateArn, { ...certificate, CertificateArn, Status: 'PENDING_VALIDATION', checks: 2 });
    return CertificateArn;
  }

  /** Simulates a check of a certificate: each one brings it closer to its final status. */
  look(certificate: MemoryCertificate): void {
    if (certificate.Status !== 'PENDING_VALIDATION') return;
    if (certificate.ManagedBy === undefined && !this.#isValidated(certificate)) return;
    if (!this.validates) return;
    if (certificate.checks > 0) certificate.checks -= 1;
    else if (this.failureReason === undefined) Object.assign(certificate, { Status: 'ISSUED', life: this.life });
    else Object.assign(certificate, { Status: 'FAILED', FailureReason: this.failureReason });
  }

  #isValidated({ DomainName }: MemoryCertificate): boolean {
    return [...this.zones.values()].some(({ records }) => records.some(({ Name }) => Name === `_acme.${DomainName}.`));
  }

  async #call<T>(name: string, perform: () => Promise<T>): Promise<T> {
    this.calls += 1;
    this.log.push(name);
    const kind = this.fault?.call === this.calls ? this.fault.kind : this.play(name);
    if (kind instanceof Error) throw kind;
    if (kind === 'throttled') throw named('ThrottlingException', 'Rate exceeded');
    if (kind === 'failed') throw named('ServiceException', 'internal error');
    if (kind === 'unreachable') throw named('Error', 'connect ECONNREFUSED');
    const answer = await perform();
    // The answer was lost, and the SDK repeated the call.
    if (kind === 'answered twice') return perform();
    if (kind === 'timed out') throw named('TimeoutError', 'no answer');
    return answer;
  }
}

/** An error of a call. The SDK adds $metadata to all of them, even if there was no answer. */
export function named(name: string, message: string): Error {
  return Object.assign(new Error(message), { name, $metadata: {} });
}
