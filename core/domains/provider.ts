// A DNS provider: its name servers, and how a record is added there.

/** Where the steps come from: the provider's own documentation, someone else's description of its pages, or neither. */
export type StepsOrigin = 'provider' | 'third_party' | 'general';

/** How a provider can point the apex to another name. */
export interface ApexAlias {
  /** What the provider calls it. */
  readonly name: string;
  /** The record type to choose in its form. */
  readonly type: string;
}

export interface DnsProvider {
  readonly id: string;
  readonly name: string;
  /** The whole name of each of its name servers, in lower case, without the trailing dot. */
  readonly nameServers: RegExp;
  /** The clicks to the form for a new record, in the provider's words. */
  readonly steps: readonly string[];
  readonly stepsFrom: StepsOrigin;
  /** What the form calls the fields. */
  readonly fields: { readonly name: string; readonly value: string };
  /** What to enter as the name of a record at the apex; empty: nothing. Names below the apex are entered without the zone at all of these providers. */
  readonly apexName: '@' | '';
  /** @default none: the apex can't point to another name */
  readonly alias?: ApexAlias;
  /** Whether a value that is a name must end with a dot: otherwise the provider appends the zone to it. @default false */
  readonly trailingDot?: true;
  /** What to choose as TTL. @default the value shown */
  readonly ttl?: string;
  /** What else goes wrong there. @default nothing known */
  readonly note?: string;
  /** A page of the provider about its records, for owners. */
  readonly link: string;
  /** A page about the provider's API or its support of Domain Connect. @default none known */
  readonly automation?: string;
  /** What the row is based on. */
  readonly sources: readonly string[];
}
