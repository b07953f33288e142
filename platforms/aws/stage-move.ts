// A stage on AWS as the place to which an installation moves from one machine.

import { createHash, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { ACMClient } from '@aws-sdk/client-acm';
import { CloudFrontClient } from '@aws-sdk/client-cloudfront';
import { CognitoIdentityProviderClient } from '@aws-sdk/client-cognito-identity-provider';
import { S3Client } from '@aws-sdk/client-s3';
import { importOnce } from '../../adapters/certificates/acm-dns.ts';
import { createTenants } from '../../adapters/edge/cloudfront.ts';
import { SITES_FOLDER } from '../../adapters/files/data-folder.ts';
import { createMovedUsers } from '../../adapters/identity/cognito.ts';
import { objectSizes } from '../../adapters/sites/s3.ts';
import { createDynamoDbClients, getItem, partition, putItem } from '../../adapters/store/dynamodb/calls.ts';
import { createItemTarget, createPetTarget, petRecords } from '../../adapters/store/dynamodb/item-target.ts';
import { attributes, controlKey, type Item, text } from '../../adapters/store/dynamodb/items.ts';
import { isMovedPartition, movedItems, type ReadKind } from '../../adapters/store/dynamodb/moved-items.ts';
import { ACCOUNTS_PARTITION } from '../../adapters/store/dynamodb/tables.ts';
import { requestIdOf } from '../../core/domains/attempts.ts';
import type { Domain } from '../../core/domains/domain.ts';
import { isAtEdge, publish } from '../../core/domains/publication.ts';
import { MOVED, MOVING } from '../../core/ports.ts';
import type { RecordKindName } from '../../core/records/kinds.ts';
import { type Synchronized, synchronize } from '../../core/records/synchronize.ts';
import { StoreFault } from '../../core/refusal.ts';
import { type MoveSource, type MoveTarget, recordsOf, storeFile } from '../embedded/move.ts';
import { PlatformError } from '../platform.ts';
import { CLOUDFRONT } from './platform.ts';
import { type StageName, settingsPrefix } from './stage-name.ts';
import { openStagePlatform } from './stage-platform.ts';
import { COMMAND_TIMEOUTS, dataOf, readParameters } from './stage-stores.ts';

/** The mark of the move, in the control table. */
const markKey = (name: string) => controlKey('move', name);

/** Domains, or projects, that are worked on at once. */
const AT_ONCE = 5;

/** What admits requests and lets owners in. It comes last, so that the stage is not used before everything is there. */
const LAST: ReadonlySet<RecordKindName> = new Set(['usage', 'members']);

const NOTHING = createHash('sha256').digest('hex');
const NONE: Synchronized = { records: 0, written: 0, removed: 0, source: NOTHING, target: NOTHING };

export interface StageMoveOptions {
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** Gets what could not be moved, and what follows from it. */
  readonly warn: (line: string) => void;
}

/** Opens a stage for an installation. @throws PlatformError if the stage lacks something that the installation needs */
export async function openStageTarget(source: MoveSource, stage: StageName, { clock, warn }: StageMoveOptions): Promise<MoveTarget> {
  const { pets, usage, control, audit } = await dataOf(stage);
  if (pets === undefined || audit === undefined)
    throw new PlatformError(
      `--to-stage ${stage}: it has no catalogue, or is of a release before 0.4.0; deploy all of the platform with this release first`,
    );
  const read: ReadKind = (kind) => recordsOf(source, kind);
  const owners = isEmpty(read('users')) && isEmpty(read('projects')) ? undefined : await openOwners(source, stage, warn);
  const { retrying: client, once } = createDynamoDbClients({ requestHandler: COMMAND_TIMEOUTS, maxAttempts: 10 });
  const items = createItemTarget(client, { pets, usage, control, audit });
  let now = clock();
  let isLast = false;
  let users: ReadonlyMap<string, string> = new Map();
  let certificates: ReadonlyMap<string, string> = new Map();

  return {
    where: `stage ${stage}`,
    isEmpty: async () => (await partition(client, control, ACCOUNTS_PARTITION)).length === 0,
    // Its other keys are of no use there: Cognito signs in users.
    keys: async (name, fresh) => {
      if (name !== MOVING && name !== MOVED) return fresh;
      const found = await getItem(client, control, markKey(name));
      if (found !== undefined || fresh === undefined) return found && text(found, 'content');
      const other = await putItem(client, control, { ...markKey(name), ...attributes({ content: fresh }) }, 'attribute_not_exists(pk)');
      return other === undefined ? fresh : text(other, 'content');
    },
    beginPass: async (last) => {
      [isLast, now] = [last, clock()];
      items.forget();
      users = (await owners?.takeUsers()) ?? users;
    },
    synchronize: async (kind, onProgress) => {
      if (kind === 'site_files') return (await owners?.takeFiles(onProgress)) ?? NONE;
      if (kind === 'pets') return synchronize(kind, petRecords(read(kind)), createPetTarget(client, pets), onProgress);
      if (kind === 'users') return { ...NONE, records: users.size };
      if (LAST.has(kind) && !isLast) return NONE;
      if (kind === 'domains') certificates = (await owners?.takeCertificates()) ?? certificates;
      const domain = (moved: Domain) => atStage(moved, certificates, now);
      return items.take(movedItems(kind, read, { now, users, domain }), onProgress);
    },
    complete: async () => {
      // In the table of animals, only records of requests could be left, which end soon.
      await items.removeOthers('usage', () => true);
      await items.removeOthers('control', ({ pk }: Item) => isMovedPartition(pk?.S ?? ''));
      await owners?.complete([...users.values()]);
    },
    close: async () => {
      items.close();
      await owners?.close();
      for (const each of [client, once]) each.destroy();
    },
  };
}

/** The certificate that a domain is served with, or about to be. */
function certificateOf({ state }: Domain): string | undefined {
  return isAtEdge(state) && 'certificate' in state ? state.certificate : undefined;
}

/** A domain as the stage goes on with it. Certificates are ACM's from then on, and what was about to be issued is requested again. */
function atStage(domain: Domain, certificates: ReadonlyMap<string, string>, now: number): Domain {
  const { state } = domain;
  if (!('certificate' in state)) return domain;
  const reference = certificateOf(domain);
  const certificate = reference && certificates.get(reference);
  if (reference !== undefined && certificate === undefined) return { ...domain, state: { name: 'verified', since: now } };
  return { ...domain, state: { ...state, certificate, ...('renewal' in state && { renewal: undefined }) } as Domain['state'] };
}

/** What owners have at a stage: users, files and certificates. */
async function openOwners(source: MoveSource, stage: StageName, warn: StageMoveOptions['warn']) {
  const userPoolId = await userPoolOf(stage);
  const edge = await readParameters(stage, 'edge');
  const [distributionId, connectionGroup, tag, bucket] = [
    edge.get('distribution'),
    edge.get('connection-group'),
    edge.get('tag'),
    edge.get('bucket'),
  ];
  if (userPoolId === undefined || distributionId === undefined || connectionGroup === undefined || tag === undefined || bucket === undefined)
    throw new PlatformError(
      `--to-stage ${stage}: the installation has users or projects, and the stage no dashboard or no custom domains; deploy it with ${settingsPrefix(stage)}EDGE_NAME set`,
    );
  const platform = await openStagePlatform(stage, () => ({ kind: 'operator' }));
  const [acm, cloudFront] = [new ACMClient(CLOUDFRONT), new CloudFrontClient(CLOUDFRONT)];
  const [cognito, s3] = [new CognitoIdentityProviderClient({}), new S3Client({})];
  const movedUsers = createMovedUsers(cognito, userPoolId, () => `${randomBytes(24).toString('base64url')}aA1!`);
  const tenants = createTenants(cloudFront, { distributionId, connectionGroup, stage: tag });
  const known = new Map<string, string>();
  const certificates = new Map<string, string>();
  const refused = new Set<string>();

  /** Stores a domain's certificate, and makes its tenant. A fault is this domain's alone: it gets a certificate once its name points to the stage. */
  async function takeCertificate(domain: Domain, reference: string): Promise<void> {
    const row = source.database.prepare('SELECT chain, private_key, not_after FROM certificates WHERE reference = ?').get(reference);
    if (row === undefined) return;
    const { id, host } = domain;
    try {
      const requestId = `${requestIdOf(domain)}-m${row.not_after}`;
      const pem = { chain: String(row.chain), privateKey: String(row.private_key) };
      const certificateArn = await importOnce(acm, { host, requestId, stage: tag as string }, pem);
      if (!(await tenants.update(id, { host, certificateArn, enabled: true }))) {
        const created = await tenants.create({ id, host }, { certificateArn });
        if (created.kind !== 'created') throw new Error(created.kind === 'taken' ? created.detail : 'CloudFront does not accept the name yet');
      }
      certificates.set(reference, certificateArn);
    } catch (error) {
      if (!refused.has(host))
        warn(`${host}: its certificate can't be taken along: ${messageOf(error)}; the stage requests one once the name points there`);
      refused.add(host);
    }
  }

  return {
    takeUsers: async (): Promise<ReadonlyMap<string, string>> => {
      for (const [id, email] of recordsOf(source, 'users') as Iterable<readonly [string, string]>)
        if (!known.has(id)) known.set(id, await movedUsers.take(email).catch(failedFor(email)));
      return known;
    },

    takeCertificates: async (): Promise<ReadonlyMap<string, string>> => {
      const domains = [...recordsOf(source, 'domains')].map((record) => JSON.parse(record.at(-1) as string) as Domain);
      await each(domains, async (domain) => {
        const reference = certificateOf(domain);
        if (reference !== undefined && !certificates.has(reference)) await takeCertificate(domain, reference);
      });
      return certificates;
    },

    /** Files of a deployment never change: those whose sizes are the same are there. */
    takeFiles: async (onProgress: (files: number) => void): Promise<Synchronized> => {
      const digests = { source: createHash('sha256'), target: createHash('sha256') };
      const counts = { records: 0, written: 0, removed: 0 };
      let [folder, sizes]: [string, ReadonlyMap<string, number>] = ['', new Map()];
      for await (const [projectId, id, name, bytes] of recordsOf(source, 'site_files') as AsyncIterable<readonly [string, string, string, bigint]>) {
        const prefix = `${projectId}/${id}/`;
        if (prefix !== folder) [folder, sizes] = [prefix, await objectSizes(s3, bucket, prefix)];
        const stored = sizes.get(`${prefix}${name}`);
        digests.source.update(`${prefix}${name} ${bytes}\n`);
        if (stored !== undefined) digests.target.update(`${prefix}${name} ${stored}\n`);
        counts.records += 1;
        if (stored !== Number(bytes)) {
          await storeFile(platform.sites, { projectId, id }, name, join(source.dataFolder, SITES_FOLDER, projectId, id, name), Number(bytes));
          counts.written += 1;
        }
        onProgress(counts.records);
      }
      return { ...counts, source: digests.source.digest('hex'), target: digests.target.digest('hex') };
    },

    complete: async (userIds: readonly string[]): Promise<void> => {
      await each(await platform.projects.listProjects(), (project) => publish(platform, project));
      const faults: string[] = [];
      for (const userId of userIds) await movedUsers.askForPassword(userId).catch((error: unknown) => faults.push(messageOf(error)));
      if (faults.length > 0) warn(`${faults.length} users got no email about their new password (${faults[0]}); they use "Forgot your password?"`);
    },

    close: async () => {
      await platform.close();
      for (const client of [acm, cloudFront, cognito, s3]) client.destroy();
    },
  };
}

async function userPoolOf(stage: StageName): Promise<string | undefined> {
  const configuration = (await readParameters(stage, 'dashboard')).get('configuration');
  if (configuration === undefined) return undefined;
  // https://cognito-idp.<region>.amazonaws.com/<user pool>
  return (JSON.parse(configuration) as { readonly authority: string }).authority.split('/').at(-1);
}

/** Makes a fault of a call one of storage, which can be tried again. */
function failedFor(email: string): (error: unknown) => never {
  return (error) => {
    throw new StoreFault('unavailable', `Cognito does not take ${email}: ${messageOf(error)}`, { cause: error });
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}

async function each<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  const entries = all.values();
  const worker = async () => {
    for (const one of entries) await work(one);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

function isEmpty(records: Iterable<unknown>): boolean {
  for (const _ of records) return false;
  return true;
}
