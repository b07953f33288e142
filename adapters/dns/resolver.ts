// Sends the queries for one lookup. A recursive resolver that timed out once is not used again during the lookup.

import type { RecordType } from 'dns-packet';
import type { Addresses } from '../../core/domains/diagnosis/dns-facts.ts';
import { addressesIn } from './answers.ts';
import type { NameServer } from './name-server.ts';
import type { DnsQuestion, QueryResult } from './query.ts';

/** If a recursive resolver has not responded within this time, in milliseconds, the next one is queried as well. */
const NEXT_RESOLVER_MS = 500;

export type SendQuery = (server: NameServer, name: string, type: RecordType, extra?: Omit<DnsQuestion, 'name' | 'type'>) => Promise<QueryResult>;

/** Queries recursive resolvers, falling back from one to the next. */
export class Resolver {
  readonly recursives: readonly NameServer[];
  /** Queries one server, authoritative or recursive. */
  readonly ask: SendQuery;
  readonly #silent: Set<NameServer>;
  #bogusSeenBy: NameServer | undefined;

  constructor(recursives: readonly NameServer[], ask: SendQuery, silent = new Set<NameServer>()) {
    this.recursives = recursives;
    this.ask = ask;
    this.#silent = silent;
  }

  /** Returns a resolver that shares the list of silent servers but has a separate `bogusSeenBy`. */
  fork(): Resolver {
    return new Resolver(this.recursives, this.ask, this.#silent);
  }

  /** A recursive resolver that rejected an answer because of its DNSSEC signatures. */
  get bogusSeenBy(): NameServer | undefined {
    return this.#bogusSeenBy;
  }

  isSilent(server: NameServer): boolean {
    return this.#silent.has(server);
  }

  /** Makes silent servers eligible again: a timeout for one name says nothing about the next. */
  forgetSilent(): void {
    this.#silent.clear();
  }

  /** Resolves a name to its addresses, following CNAMEs. @param options as for `resolve` */
  async addressesOf(name: string, options: { readonly unchecked?: boolean } = {}): Promise<Addresses> {
    const [a, aaaa] = await Promise.all([this.resolve(name, 'A', options), this.resolve(name, 'AAAA', options)]);
    return { a: addressesIn(a, 'A'), aaaa: addressesIn(aaaa, 'AAAA') };
  }

  /** Returns the first answer from a resolver. @param unchecked also accept invalid signatures, and note the server in `bogusSeenBy` */
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
    // With checking disabled, the server answers even if the signatures are invalid (RFC 4035, section 3.2.2).
    const taken = await this.ask(server, name, type, { recursive: true, checkingDisabled: true });
    if (taken.kind !== 'answer') return result;
    this.#bogusSeenBy ??= server;
    return taken;
  }
}
