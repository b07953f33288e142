// The questions of one look. A recursive server that was silent once is not waited for again within it.

import type { RecordType } from 'dns-packet';
import type { Addresses } from '../../core/domains/dns-facts.ts';
import { allOf } from './answers.ts';
import type { NameServer } from './name-server.ts';
import type { QueryResult } from './query.ts';

/** A recursive server that has not answered within this time is not waited for alone any longer. */
const NEXT_RESOLVER_MS = 500;

export type Ask = (
  server: NameServer,
  name: string,
  type: RecordType,
  extra?: { recursive?: boolean; checkingDisabled?: boolean },
) => Promise<QueryResult>;

export class Resolver {
  readonly recursives: readonly NameServer[];
  /** Asks one server, whichever it is. */
  readonly ask: Ask;
  readonly #silent: Set<NameServer>;
  #bogusSeenBy: string | undefined;

  constructor(recursives: readonly NameServer[], ask: Ask, silent = new Set<NameServer>()) {
    this.recursives = recursives;
    this.ask = ask;
    this.#silent = silent;
  }

  /** One that knows who is silent, and keeps for itself whose signatures don't fit. */
  apart(): Resolver {
    return new Resolver(this.recursives, this.ask, this.#silent);
  }

  /** The address of a recursive server that refused an answer because of its signatures. */
  get bogusSeenBy(): string | undefined {
    return this.#bogusSeenBy;
  }

  isSilent(server: NameServer): boolean {
    return this.#silent.has(server);
  }

  /** That they say nothing of one name must not keep them from saying something of another. */
  askAllAgain(): void {
    this.#silent.clear();
  }

  /** Of any name at the end of the way: here a CNAME is followed. */
  async addressesOf(name: string): Promise<Addresses> {
    const [a, aaaa] = await Promise.all([this.resolve(name, 'A'), this.resolve(name, 'AAAA')]);
    return { a: allOf(a, 'A'), aaaa: allOf(aaaa, 'AAAA') };
  }

  /**
   * The first answer of a recursive server. Another one is asked beside it as soon as one fails, or takes its time.
   *
   * @param unchecked take answers too that don't fit their signatures, and note that they don't
   */
  resolve(name: string, type: RecordType, { unchecked = false } = {}): Promise<QueryResult> {
    const servers = this.recursives.filter((server) => !this.#silent.has(server));
    let left = servers.length;
    let last: QueryResult = { kind: 'failed', reason: 'timeout' };
    return new Promise((resolve) => {
      const next = () => {
        clearTimeout(timer);
        const server = servers.shift();
        if (server === undefined) return;
        timer = setTimeout(next, NEXT_RESOLVER_MS);
        void this.recurse(server, name, type, unchecked).then((result) => {
          left -= 1;
          if (result.kind === 'failed' && result.reason === 'timeout') this.#silent.add(server);
          last = result;
          if (result.kind === 'answer' || left === 0) {
            servers.length = 0;
            clearTimeout(timer);
            resolve(last);
          } else next();
        });
      };
      let timer: NodeJS.Timeout | undefined;
      if (left === 0) resolve(last);
      else next();
    });
  }

  async recurse(server: NameServer, name: string, type: RecordType, unchecked: boolean): Promise<QueryResult> {
    const result = await this.ask(server, name, type, { recursive: true });
    if (!unchecked || result.kind !== 'failed' || result.reason !== 'servfail') return result;
    // RFC 4035, section 3.2.2: with checking disabled it answers where nothing is wrong but the signatures.
    const taken = await this.ask(server, name, type, { recursive: true, checkingDisabled: true });
    if (taken.kind !== 'answer') return result;
    this.#bogusSeenBy ??= server.address;
    return taken;
  }
}
