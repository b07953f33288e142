// A stage on AWS, as the target when an installation on one machine is moved there.

import { createHash, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { ACMClient } from '@aws-sdk/client-acm';
import { CloudFrontClient } from '@aws-sdk/client-cloudfront';
import { CognitoIdentityProviderClient, DescribeUserPoolCommand } from '@aws-sdk/client-cognito-identity-provider';
import { S3Client } from '@aws-sdk/client-s3';
import { createCertificateImports } from '../../adapters/certificates/acm-dns.ts';
import { createTenants } from '../../adapters/edge/cloudfront.ts';
import { SITES_FOLDER } from '../../adapters/files/data-folder.ts';
import { createMovedUsers } from '../../adapters/identity/cognito.ts';
import { objectSizes } from '../../adapters/sites/s3.ts';
import { createDynamoDbClients, getItem, partition, putItem } from '../../adapters/store/dynamodb/calls.ts';
import { attributes, controlKey, type Item, text } from '../../adapters/store/dynamodb/items.ts';
import { createItemTarget, createPetTarget, type ItemTarget, petRecords } from '../../adapters/store/dynamodb/move/item-target.ts';
import { isMovedPartition, movedItems, type ReadKind } from '../../adapters/store/dynamodb/move/moved-items.ts';
import { ACCOUNTS_PARTITION } from '../../adapters/store/dynamodb/tables.ts';
import { readRecords } from '../../adapters/store/sqlite/records.ts';
import { requestIdOf } from '../../core/domains/attempts.ts';
import type { Domain } from '../../core/domains/domain.ts';
import { isAtEdge, publish } from '../../core/domains/publication.ts';
import { MOVED, MOVING } from '../../core/ports.ts';
import type { RecordKindName } from '../../core/records/kinds.ts';
import { type Synchronized, synchronize } from '../../core/records/synchronize.ts';
import { StoreFault } from '../../core/refusal.ts';
import { filesOf, type MovedKind, type MoveSource, type MoveTarget, storeFile } from '../embedded/move.ts';
import { PlatformError } from '../platform.ts';
import { paced, SWEEP_RATES } from './pace.ts';
import { CLOUDFRONT } from './platform.ts';
import { type StageName, settingsPrefix } from './stage-name.ts';
import { openStagePlatform } from './stage-platform.ts';
import { COMMAND_TIMEOUTS, dataOf, readParameters } from './stage-stores.ts';

/** Returns the key of the move's mark, in the control table. */
const markKey = (name: string) => controlKey('move', name);

/** For ACM, in calls per second: half of the documented rates (ACM User Guide, "Quotas"), except for imports. */
const IMPORT_RATES = { perOperation: { ImportCertificate: 1, ListCertificates: 2, ListTagsForCertificate: 5 }, others: 5 };

/** Maximum number of domains, or of projects, processed at the same time. */
const AT_ONCE = 5;

/** Moved last, in this order, because they trigger a stage's work: sweeps (domains, notifications), requests (usage) and owners (members). */
const LAST: readonly RecordKindName[] = ['domains', 'notifications', 'usage', 'members'];
/** Matches the control table's partitions that contain members. */
const MEMBERS = /^(account-)?members#/;

const NOTHING = createHash('sha256').digest('hex');
const NONE: Synchronized = { records: 0, written: 0, removed: 0, source: NOTHING, target: NOTHING };

export interface StageMoveOptions {
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** The machine's edge name, below which projects have their targets. */
  readonly edgeName: string;
  /** Called with each item that could not be moved, and the consequences. */
  readonly warn: (line: string) => void;
}

/** Opens a stage for an installation. @throws PlatformError if the stage lacks something that the installation needs */
export async function openStageTarget(source: MoveSource, stage: StageName, { clock, edgeName, warn }: StageMoveOptions): Promise<MoveTarget> {
  const { pets, usage, control, audit } = await dataOf(stage);
  if (pets === undefined || audit === undefined)
    throw new PlatformError(
      `--to-stage ${stage}: it has no catalogue, or is from a release before 0.4.0; deploy all of the platform with this release first`,
    );
  const read: ReadKind = (kind) => readRecords(source.database, kind);
  const owners = isEmpty(read('users')) && isEmpty(read('projects')) ? undefined : await openOwners(source, stage, edgeName, warn);
  const { retrying: client, once } = createDynamoDbClients({ requestHandler: COMMAND_TIMEOUTS, maxAttempts: 10 });
  const items = createItemTarget(client, { pets, usage, control, audit });
  let now = clock();
  let users: ReadonlyMap<string, string> = new Map();
  let certificates: ReadonlyMap<string, string> = new Map();
  const take = (kind: RecordKindName, onProgress: (items: number) => void = () => {}) =>
    items.take(movedItems(kind, read, { now, users, domain: (moved) => atStage(moved, certificates, now) }), onProgress);

  return {
    where: `stage ${stage}`,
    isEmpty: async () => (await partition(client, control, ACCOUNTS_PARTITION)).length === 0,
    // A stage doesn't need the installation's other keys, because Cognito signs in its users.
    keys: async (name, fresh) => {
      if (name !== MOVING && name !== MOVED) return fresh;
      const found = await getItem(client, control, markKey(name));
      if (found !== undefined || fresh === undefined) return found && text(found, 'content');
      const other = await putItem(client, control, { ...markKey(name), ...attributes({ content: fresh }) }, 'attribute_not_exists(pk)');
      return other === undefined ? fresh : text(other, 'content');
    },
    beginPass: async () => {
      now = clock();
      items.forget();
      users = (await owners?.takeUsers()) ?? users;
    },
    synchronize: async (kind, onProgress) => {
      if (kind === 'site_files') return (await owners?.takeFiles(onProgress)) ?? NONE;
      if (kind === 'domains') certificates = (await owners?.takeCertificates()) ?? certificates;
      if (LAST.includes(kind)) return NONE;
      if (kind === 'pets') return synchronize(kind, petRecords(read(kind)), createPetTarget(client, pets), onProgress);
      if (kind === 'users') return { ...NONE, records: users.size };
      return take(kind, onProgress);
    },
    complete: async () => {
      try {
        for (const kind of LAST) {
          if (kind === 'usage') await owners?.publish();
          await take(kind);
        }
        await items.removeOthers('usage', () => true);
        // Only records of requests, which expire soon, could be left in the table of animals.
        await items.removeOthers('control', ({ pk }: Item) => isMovedPartition(pk?.S ?? ''));
        const found: MovedKind[] = [];
        for (const kind of LAST) found.push({ kind, ...(await take(kind)) });
        return found;
      } catch (error) {
        await shut(items);
        throw error;
      }
    },
    welcome: async () => owners?.welcome([...users.values()]),
    close: async () => {
      items.close();
      await owners?.close();
      for (const each of [client, once]) each.destroy();
    },
  };
}

/** Returns the certificate with which a domain is served, or is about to be. */
function certificateOf({ state }: Domain): string | undefined {
  return isAtEdge(state) && 'certificate' in state ? state.certificate : undefined;
}

/** Undoes a move. The stage then admits no requests. */
export async function withdrawFromStage(stage: StageName): Promise<void> {
  const { usage, control } = await dataOf(stage);
  const { retrying: client, once } = createDynamoDbClients({ requestHandler: COMMAND_TIMEOUTS, maxAttempts: 10 });
  const items = createItemTarget(client, { pets: '', usage, control, audit: '' });
  await shut(items);
  items.close();
  for (const each of [client, once]) each.destroy();
}

/** Removes whatever lets in requests and members. */
async function shut(items: ItemTarget): Promise<void> {
  items.forget();
  await items.removeOthers('usage', () => true);
  await items.removeOthers('control', ({ pk }) => MEMBERS.test(pk?.S ?? ''));
}

/** Returns a domain in the form that the stage needs: with the imported certificate, or else in a state in which a certificate is requested. */
function atStage(domain: Domain, certificates: ReadonlyMap<string, string>, now: number): Domain {
  const { state } = domain;
  if (!('certificate' in state)) return domain;
  const reference = certificateOf(domain);
  const certificate = reference && certificates.get(reference);
  if (reference !== undefined && certificate === undefined) return { ...domain, state: { name: 'verified', since: now } };
  return { ...domain, state: { ...state, certificate, ...('renewal' in state && { renewal: undefined }) } as Domain['state'] };
}

/** Opens the parts of a stage that hold users, sites' files and domains' certificates. */
async function openOwners(source: MoveSource, stage: StageName, edgeName: string, warn: StageMoveOptions['warn']) {
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
      `--to-stage ${stage}: the installation has users or projects, but the stage has no dashboard or no custom domains; deploy it with ${settingsPrefix(stage)}EDGE_NAME set`,
    );
  if (edge.get('name') !== edgeName)
    throw new PlatformError(
      `--to-stage ${stage}: its edge name is ${edge.get('name')}, and this machine's is ${edgeName}, to which owners' records point; deploy it with ${settingsPrefix(stage)}EDGE_NAME=${edgeName}`,
    );
  const platform = await openStagePlatform(stage, () => ({ kind: 'operator' }));
  const patient = { maxAttempts: 10 };
  const acm = paced(new ACMClient({ ...CLOUDFRONT, ...patient }), IMPORT_RATES);
  const cloudFront = paced(new CloudFrontClient({ ...CLOUDFRONT, ...patient }), SWEEP_RATES.cloudFront);
  const [cognito, s3] = [new CognitoIdentityProviderClient(patient), new S3Client({})];
  await refuseLaxer(cognito, source, stage, userPoolId, warn);
  const movedUsers = createMovedUsers(cognito, userPoolId, () => `${randomBytes(24).toString('base64url')}aA1!`);
  const tenants = createTenants(cloudFront, { distributionId, connectionGroup, stage: tag });
  const imports = createCertificateImports(acm, tag);
  const known = new Map<string, string>();
  const certificates = new Map<string, string>();
  const refused = new Set<string>();

  /** Imports a domain's certificate, and creates its tenant. If either is rejected, the stage requests a certificate once the name points there. */
  async function takeCertificate(domain: Domain, reference: string): Promise<void> {
    const row = source.database.prepare('SELECT chain, private_key, not_after FROM certificates WHERE reference = ?').get(reference);
    if (row === undefined) return;
    const { id, host } = domain;
    const lose = (why: string) => {
      if (!refused.has(host)) warn(`${host}: its certificate can't be moved: ${why}; the stage requests one once the name points there`);
      refused.add(host);
    };
    try {
      const pem = { chain: String(row.chain), privateKey: String(row.private_key) };
      const certificateArn = await imports.importOnce(host, `${requestIdOf(domain)}-m${row.not_after}`, pem);
      if (!(await tenants.update(id, { host, certificateArn, enabled: true }))) {
        const created = await tenants.create({ id, host }, { certificateArn });
        if (created.kind !== 'created') return lose(created.kind === 'taken' ? created.detail : 'CloudFront does not accept the name yet');
      }
      certificates.set(reference, certificateArn);
    } catch (error) {
      if (!isFinal(error)) throw new StoreFault('unavailable', `${host}: ${messageOf(error)}`, { cause: error });
      lose(messageOf(error));
    }
  }

  return {
    takeUsers: async (): Promise<ReadonlyMap<string, string>> => {
      for (const [id, email] of readRecords(source.database, 'users') as Iterable<readonly unknown[]> as Iterable<readonly [string, string]>)
        if (!known.has(id) && !refused.has(id)) {
          const taken = await movedUsers.take(email).catch(failedFor(email));
          if (taken !== undefined) known.set(id, taken);
          else {
            refused.add(id);
            warn(`${email}: Cognito does not accept this address; the user must sign up again with another one`);
          }
        }
      return known;
    },

    takeCertificates: async (): Promise<ReadonlyMap<string, string>> => {
      const domains = [...readRecords(source.database, 'domains')].map((record) => JSON.parse(record.at(-1) as string) as Domain);
      await each(domains, async (domain) => {
        const reference = certificateOf(domain);
        if (reference !== undefined && !certificates.has(reference)) await takeCertificate(domain, reference);
      });
      return certificates;
    },

    /** Files of a deployment never change, so a file that is in the bucket with the same size need not be copied again. */
    takeFiles: async (onProgress: (files: number) => void): Promise<Synchronized> => {
      const digests = { source: createHash('sha256'), target: createHash('sha256') };
      const counts = { records: 0, written: 0, removed: 0 };
      let [folder, sizes]: [string, ReadonlyMap<string, number>] = ['', new Map()];
      for await (const [projectId, id, name, bytes] of filesOf(source) as AsyncIterable<readonly unknown[]> as AsyncIterable<
        readonly [string, string, string, bigint]
      >) {
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

    publish: async (): Promise<void> => each(await platform.projects.listProjects(), (project) => publish(platform, project)),

    welcome: async (userIds: readonly string[]): Promise<void> => {
      const faults: string[] = [];
      await each(userIds, (userId) => movedUsers.askForPassword(userId).catch((error: unknown) => void faults.push(messageOf(error))));
      if (faults.length > 0) warn(`${faults.length} users got no email about a new password (${faults[0]}); they can use "Forgot your password?"`);
    },

    close: async () => {
      await platform.close();
      for (const client of [acm, cloudFront, cognito, s3]) client.destroy();
    },
  };
}

/** Refuses to move if an account requires a second factor and the stage does not. Warns if anyone can sign up. */
async function refuseLaxer(
  cognito: CognitoIdentityProviderClient,
  { database }: MoveSource,
  stage: StageName,
  UserPoolId: string,
  warn: StageMoveOptions['warn'],
): Promise<void> {
  const { UserPool } = await cognito.send(new DescribeUserPoolCommand({ UserPoolId }));
  const prefix = settingsPrefix(stage);
  const requiring = database.prepare('SELECT id FROM accounts WHERE second_factor = 1 AND deleted_at IS NULL').get();
  if (requiring !== undefined && UserPool?.MfaConfiguration !== 'ON')
    throw new PlatformError(
      `--to-stage ${stage}: account ${requiring.id} requires a second factor, but a stage requires one for all or no accounts; deploy it with ${prefix}MFA=required`,
    );
  if (UserPool?.AdminCreateUserConfig?.AllowAdminCreateUserOnly === false)
    warn(`anyone can sign up at stage ${stage}; if only invited people may, deploy it with ${prefix}SIGN_UP=invited`);
}

/** Whether a retry would fail again, because the service has rejected the input. */
function isFinal(error: unknown): boolean {
  const { $fault, $retryable, name = '' } = error as { $fault?: string; $retryable?: object; name?: string };
  return $fault === 'client' && $retryable === undefined && !/Throttl|TooManyRequests|LimitExceeded/.test(name);
}

async function userPoolOf(stage: StageName): Promise<string | undefined> {
  const configuration = (await readParameters(stage, 'dashboard')).get('configuration');
  if (configuration === undefined) return undefined;
  // https://cognito-idp.<region>.amazonaws.com/<user pool>
  return (JSON.parse(configuration) as { readonly authority: string }).authority.split('/').at(-1);
}

/** Returns a handler that turns a call's fault into a storage fault, after which the call can be retried. */
function failedFor(email: string): (error: unknown) => never {
  return (error) => {
    throw new StoreFault('unavailable', `Cognito does not accept ${email}: ${messageOf(error)}`, { cause: error });
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
