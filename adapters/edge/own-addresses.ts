// The addresses that projects have by themselves on one machine: <token>.<edge name>. The certificate is requested at the first visit, as "on-demand
// TLS" does, and renewed at a visit when it is due; nobody can ask for more certificates than there are projects.

import type { DatabaseSync } from 'node:sqlite';
import { BoundedMap } from '../../core/bounded-map.ts';
import { AuthoritySilent, type CertificateAuthority } from '../../core/domains/ports.ts';
import { tokenOfTarget } from '../../core/domains/project-target.ts';
import { renewalDueAt } from '../../core/domains/renewal.ts';
import type { CertificateVault } from '../certificates/sqlite-vault.ts';
import { prepareSelect } from '../store/sqlite/select.ts';
import { guarded, written } from '../store/sqlite/transaction.ts';

export interface OwnAddresses {
  /** Returns the id of the project whose own address the host is; undefined if it is none. */
  projectOf(host: string): string | undefined;
  /** Returns the reference of the address's certificate; waits for a new one for some seconds. Undefined while there is none. */
  certificateFor(host: string): Promise<string | undefined>;
  /** Removes the certificates of deleted projects. */
  forgetDeleted(): Promise<void>;
}

export interface OwnAddressOptions {
  readonly database: DatabaseSync;
  /** The parent of all addresses. */
  readonly edgeHost: string;
  /** The installation's own name, which gets its certificate in the same way. @default none */
  readonly platformHost?: string | undefined;
  readonly authority: Pick<CertificateAuthority, 'request' | 'check' | 'release'>;
  readonly vault: Pick<CertificateVault, 'get'>;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  readonly onFault: (error: unknown) => void;
}

/** How long a handshake waits for a new certificate, in milliseconds; the next visit may find it. */
const PATIENCE_MS = 8_000;
const POLL_MS = 250;
/** An authority works on a request for this long at most, in milliseconds. */
const ISSUE_MS = 5 * 60_000;
/** After a failure, an address is not requested again for so long: authorities limit failures by the hour. */
const AFTER_FAILURE_MS = 30 * 60_000;
/** So long after the authority did not answer. */
const AFTER_SILENCE_MS = 60_000;
/** Addresses whose failure is remembered. */
const REMEMBERED = 10_000;
/** Stands in for a project's id, which begins with prj_. */
const PLATFORM = 'platform';
/** Certificates requested at the same time. */
const MOST_AT_ONCE = 4;

interface Row {
  readonly project_id: string;
  readonly token: string;
  readonly certificate: string;
}

/** A certificate to request. */
interface Wanted {
  readonly requestId: string;
  /** The reference of the present certificate. */
  readonly current: string | undefined;
}

/** Creates the addresses. */
export function createOwnAddresses({ database, edgeHost, platformHost, authority, vault, clock, onFault }: OwnAddressOptions): OwnAddresses {
  const selectProject = prepareSelect<{ id: string }>(database, 'SELECT id FROM projects WHERE token = ? AND deleted_at IS NULL AND withheld = 0');
  const select = prepareSelect<Row>(database, 'SELECT * FROM own_addresses WHERE project_id = ?');
  const selectDeleted = prepareSelect<Row>(
    database,
    'SELECT own_addresses.* FROM own_addresses JOIN projects ON projects.id = project_id WHERE deleted_at IS NOT NULL',
  );
  const upsert = database.prepare('INSERT OR REPLACE INTO own_addresses (project_id, token, certificate) VALUES (?, ?, ?)');
  const remove = database.prepare('DELETE FROM own_addresses WHERE project_id = ?');
  /** Requests in progress, by project. */
  const requests = new Map<string, Promise<string | undefined>>();
  /** When a project's address may be requested again. */
  const pausedUntil = new BoundedMap<string, number>(REMEMBERED);

  const projectOf = (host: string) => {
    const token = tokenOfTarget(host, edgeHost);
    return token === undefined ? undefined : guarded(() => selectProject.one(token)?.id);
  };

  async function issued(reference: string): Promise<boolean> {
    for (const end = clock() + ISSUE_MS; clock() < end; ) {
      const status = await authority.check(reference);
      if (status.kind === 'issued') return true;
      if (status.kind === 'failed') {
        onFault(new Error(`the authority refused the certificate ${reference}: ${status.detail}`));
        return false;
      }
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
    return false;
  }

  /** Requests a certificate, unless that is in progress already. */
  function request(host: string, projectId: string, { requestId, current }: Wanted): Promise<string | undefined> {
    const running = requests.get(projectId);
    if (running !== undefined) return running;
    // However many projects' addresses are visited, the installation's own name has its turn.
    if ((requests.size >= MOST_AT_ONCE && projectId !== PLATFORM) || (pausedUntil.get(projectId) ?? 0) > clock()) return Promise.resolve(undefined);
    const work = async () => {
      const reference = await authority.request(host, requestId);
      if (!(await issued(reference))) {
        pausedUntil.set(projectId, clock() + AFTER_FAILURE_MS);
        // An order that failed stays failed: the next attempt needs a new one.
        await authority.release({ id: projectId, host }, current);
        return undefined;
      }
      await written(() => void upsert.run(projectId, tokenOfTarget(host, edgeHost) ?? '', reference));
      await authority.release({ id: projectId, host }, reference);
      await forgetDeleted();
      return reference;
    };
    const done = work()
      .catch((error: unknown) => {
        // An authority that is away is no fault of ours; both are tried again later.
        const isAway = error instanceof AuthoritySilent;
        if (!isAway) onFault(error);
        pausedUntil.set(projectId, clock() + (isAway ? AFTER_SILENCE_MS : AFTER_FAILURE_MS));
        return undefined;
      })
      .finally(() => requests.delete(projectId));
    requests.set(projectId, done);
    return done;
  }

  async function forgetDeleted(): Promise<void> {
    for (const { project_id, token } of guarded(() => selectDeleted.all())) {
      await authority.release({ id: project_id, host: `${token}.${edgeHost}` });
      await written(() => void remove.run(project_id));
    }
  }

  return {
    projectOf,
    forgetDeleted,
    certificateFor: async (host) => {
      const projectId = host === platformHost ? PLATFORM : projectOf(host);
      if (projectId === undefined) return undefined;
      const reference = guarded(() => select.one(projectId)?.certificate);
      const certificate = reference === undefined ? undefined : vault.get(reference);
      const wanted = { requestId: `${projectId}-own-${certificate?.notAfter ?? 0}`, current: reference };
      if (reference !== undefined && certificate !== undefined) {
        // Renewed in the background: visitors get the old one meanwhile, as long as it is valid.
        if (renewalDueAt(certificate, projectId) <= clock()) void request(host, projectId, wanted);
        if (certificate.notAfter > clock()) return reference;
      }
      const requested = request(host, projectId, wanted);
      return Promise.race([requested, after(PATIENCE_MS)]);
    },
  };
}

function after(milliseconds: number): Promise<undefined> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds, undefined).unref();
  });
}
