// A domain's records at Cloudflare. An apex gets a CNAME, which Cloudflare resolves to addresses ("CNAME flattening"). No record is proxied, because
// the edge has to present its own certificate and see the visitor's address.

import type { NeededRecord, PublishResult, RecordPublisher } from 'petstore-platform';
import { type CloudflareApi, CloudflareError, type NewRecord, type ZoneRecord } from './api.ts';

/** A zone, and the account that owns it. */
export interface OwnedZone {
  readonly id: string;
  readonly name: string;
  readonly accountId: string;
}

/** "A record with that host already exists" in its forms, and "an identical record already exists": another client was faster. */
const ALREADY_EXISTS = [81053, 81054, 81057, 81058];
const TRIES = 3;

/** Creates the publisher. */
export function createCloudflarePublisher(api: CloudflareApi, zones: readonly OwnedZone[]): RecordPublisher {
  /** The nearest zone decides who owns a name. */
  function zoneFor(accountId: string, host: string): OwnedZone | undefined {
    const above = zones.filter(({ name }) => host === name || host.endsWith(`.${name}`));
    const nearest = above.toSorted((a, b) => b.name.length - a.name.length)[0];
    return nearest?.accountId === accountId ? nearest : undefined;
  }

  async function publishOnce(zone: OwnedZone, records: readonly NeededRecord[]): Promise<PublishResult> {
    const posts: NewRecord[] = [];
    for (const record of records) {
      const wanted = toNewRecord(record);
      const present = [...(await api.recordsAt(zone.id, record.name)), ...posts.filter(({ name }) => name === record.name)];
      if (present.some((other) => isSame(other, wanted))) continue;
      const inTheWay = present.find((other) => clash(record.type, other));
      if (inTheWay !== undefined) return { kind: 'conflict', seen: `${record.name} has ${inTheWay.type} ${unquoted(inTheWay)}` };
      posts.push(wanted);
    }
    if (posts.length > 0) await api.change(zone.id, { posts });
    return { kind: 'published' };
  }

  return {
    publish: async (accountId, host, records) => {
      const zone = zoneFor(accountId, host);
      if (zone === undefined) return { kind: 'no_zone' };
      for (let attempt = 1; ; attempt += 1) {
        try {
          return await publishOnce(zone, records);
        } catch (error) {
          // Another client set a record between the read and the write, so the records that are there now decide.
          if (attempt === TRIES || !(error instanceof CloudflareError) || !error.codes.some((code) => ALREADY_EXISTS.includes(code))) throw error;
        }
      }
    },

    manages: async (accountId, host) => zoneFor(accountId, host) !== undefined,

    withdraw: async (accountId, host, records) => {
      const zone = zoneFor(accountId, host);
      if (zone === undefined) return;
      const deletes: { readonly id: string }[] = [];
      for (const record of records) {
        const wanted = toNewRecord(record);
        for (const present of await api.recordsAt(zone.id, record.name)) if (isSame(present, wanted)) deletes.push({ id: present.id });
      }
      if (deletes.length > 0) await api.change(zone.id, { deletes });
    },
  };
}

function toNewRecord({ type, name, value, ttl }: NeededRecord): NewRecord {
  if (type === 'TXT') return { type, name, content: `"${value}"`, ttl };
  return { type: 'CNAME', name, content: value, ttl, proxied: false };
}

function isSame(one: Omit<ZoneRecord, 'id'>, other: Omit<ZoneRecord, 'id'>): boolean {
  if (one.type !== other.type) return false;
  return one.type === 'TXT' ? unquoted(one) === unquoted(other) : one.content.toLowerCase() === other.content.toLowerCase();
}

/** Whether records conflict. A CNAME conflicts with every other record (RFC 1034, section 3.6.2); a flattened one, only with CNAMEs and addresses. */
function clash(needed: NeededRecord['type'], { type }: Omit<ZoneRecord, 'id'>): boolean {
  if (needed === 'CNAME') return true;
  return type === 'CNAME' || (needed === 'ALIAS' && (type === 'A' || type === 'AAAA'));
}

function unquoted({ type, content }: Omit<ZoneRecord, 'id'>): string {
  return type === 'TXT' ? content.replace(/^"(.*)"$/s, '$1') : content;
}
