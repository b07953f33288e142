// The sandbox's DNS: records below one suffix, as an owner would set them at a DNS provider, and the answers of a name server based on them. It is
// for trying the whole procedure without owning a domain.

import { isIP, isIPv4 } from 'node:net';
import { isAtOrBelow } from '../domains/host-name.ts';

export const SANDBOX_TYPES = ['A', 'AAAA', 'CNAME', 'TXT', 'CAA', 'ALIAS'] as const;

export type SandboxType = (typeof SANDBOX_TYPES)[number];

export interface SandboxRecord {
  /** Lower case, without a trailing dot; the first label may be `*`. */
  readonly name: string;
  readonly type: SandboxType;
  /** As in a zone file: an address, a name, a string, or a value such as `0 issue "letsencrypt.org"`. */
  readonly value: string;
  /** Seconds. */
  readonly ttl: number;
}

export const DEFAULT_TTL = 3_600;
const MAX_TTL = 604_800;
const MAX_TEXT = 255;
/** Maximum length of a given value in a message. */
const SHOWN_CHARACTERS = 80;

export type SandboxRecordResult = { readonly ok: true; readonly record: SandboxRecord } | { readonly ok: false; readonly message: string };

/** Validates a record as a DNS provider's form does, and normalizes its names. */
export function parseSandboxRecord(
  fields: { readonly name: string; readonly type: string; readonly value: string; readonly ttl?: number | undefined },
  suffix: string,
): SandboxRecordResult {
  const name = canonical(fields.name);
  const type = SANDBOX_TYPES.find((known) => known === fields.type.toUpperCase());
  const ttl = fields.ttl ?? DEFAULT_TTL;
  if (!isName(name) || name === suffix || !isAtOrBelow(name, suffix))
    return refuse('name', fields.name, `a name below ${suffix}, such as www.my-shop.${suffix}`);
  if (type === undefined) return refuse('type', fields.type, SANDBOX_TYPES.join(', '));
  if (!Number.isInteger(ttl) || ttl < 1 || ttl > MAX_TTL) return refuse('TTL', String(fields.ttl), `seconds from 1 to ${MAX_TTL}`);
  const value = recordValue(type, fields.value);
  if (value === undefined) return refuse('value', fields.value, ALLOWED_VALUES[type]);
  return { ok: true, record: { name, type, value, ttl } };
}

const ALLOWED_VALUES: Readonly<Record<SandboxType, string>> = {
  A: 'an IPv4 address, such as 192.0.2.1',
  AAAA: 'an IPv6 address, such as 2001:db8::1',
  CNAME: 'a host name',
  ALIAS: 'a host name',
  TXT: `text of 1 to ${MAX_TEXT} ASCII characters`,
  CAA: 'flags, tag and value, such as 0 issue "letsencrypt.org"',
};

function recordValue(type: SandboxType, value: string): string | undefined {
  switch (type) {
    case 'A':
      return isIPv4(value) ? value : undefined;
    case 'AAAA':
      return isIP(value) === 6 ? value.toLowerCase() : undefined;
    case 'CNAME':
    case 'ALIAS':
      return isName(canonical(value)) ? canonical(value) : undefined;
    case 'TXT':
      return /^[\x20-\x7e]+$/.test(value) && value.length <= MAX_TEXT ? value : undefined;
    case 'CAA':
      return parseCaa(value) && value;
  }
}

/** Parses a CAA value from a zone file; returns undefined if it is invalid. */
export function parseCaa(value: string): { readonly flags: number; readonly tag: string; readonly value: string } | undefined {
  const match = /^(\d{1,3}) ([a-z0-9]{1,15}) "([\x20-\x21\x23-\x7e]*)"$/i.exec(value);
  const flags = Number(match?.[1]);
  return match === null || flags > 255 ? undefined : { flags, tag: match[2] ?? '', value: match[3] ?? '' };
}

/** What a sandbox name server finds at a name. */
export type SandboxAnswer =
  | { readonly kind: 'records'; readonly records: readonly SandboxRecord[] }
  /** The name has records of other types, or there are names below it. */
  | { readonly kind: 'no_data' }
  | { readonly kind: 'no_name' };

/** Returns all records at a name: its own, or those of the closest wildcard above (RFC 4592). */
export function sandboxRecordsAt(records: readonly SandboxRecord[], name: string): SandboxAnswer {
  const own = records.filter((record) => record.name === name);
  if (own.length > 0) return { kind: 'records', records: own };
  if (records.some((record) => record.name.endsWith(`.${name}`))) return { kind: 'no_data' };
  for (let parent = name.slice(name.indexOf('.') + 1); parent.includes('.'); parent = parent.slice(parent.indexOf('.') + 1)) {
    const wild = records.filter((record) => record.name === `*.${parent}`);
    if (wild.length > 0) return { kind: 'records', records: wild.map((record) => ({ ...record, name })) };
    // An existing name on the way up ends the search.
    if (records.some((record) => isAtOrBelow(record.name, parent) && !record.name.startsWith('*.'))) break;
  }
  return { kind: 'no_name' };
}

/** Returns a name's zone, which an owner would have registered, one label below the suffix: `shop.test` for `_petstore.www.shop.test`. */
export function zoneOfName(name: string, suffix: string): string {
  const labels = name.slice(0, -suffix.length - 1).split('.');
  return name === suffix ? suffix : `${labels.at(-1)}.${suffix}`;
}

function canonical(name: string): string {
  return name.trim().toLowerCase().replace(/\.$/, '');
}

/** Whether a name has only letters, digits, hyphens and underscores, or `*` as the whole first label. */
function isName(name: string): boolean {
  return (
    name.length <= 253 && name.includes('.') && /^(\*\.)?([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?\.)+[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(name)
  );
}

function refuse(what: string, given: string, allowed: string): SandboxRecordResult {
  return { ok: false, message: `${what}: got ${JSON.stringify(given.slice(0, SHOWN_CHARACTERS))}; allowed: ${allowed}` };
}
