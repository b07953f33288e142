// What an owner does at the DNS provider that hosts a domain's zone, in that provider's words.

import type { SeenZone } from './domain.ts';
import { labelOf } from './host-name.ts';
import type { NeededRecord } from './ports.ts';
import type { DnsProvider } from './provider.ts';
import { providerOf } from './providers.ts';

/** A record as the provider's form takes it. */
export interface FormRecord {
  readonly type: string;
  /** Empty if the field is left empty. */
  readonly name: string;
  readonly value: string;
  readonly ttl: string;
}

export interface ProviderView {
  readonly id: string;
  readonly name: string;
  /** What to do there, in order. */
  readonly steps: readonly string[];
  /** What goes wrong there. */
  readonly notes: readonly string[];
  /** What the form calls its fields. */
  readonly fields: { readonly name: string; readonly value: string };
  /** What the provider calls a record that points the apex to another name; null if it has none. */
  readonly apexAlias: string | null;
  readonly records: readonly FormRecord[];
  /** A page of the provider about its records. */
  readonly link: string;
  /** A page about its API, or its support of Domain Connect; null if none is known. */
  readonly automation: string | null;
}

/** @returns undefined if the zone's provider is unknown */
export function providerView(zone: SeenZone | undefined, records: readonly NeededRecord[]): ProviderView | undefined {
  const provider = zone && providerOf(zone.nameServers);
  if (zone === undefined || provider === undefined) return undefined;
  const { id, name, fields, alias, link, automation = null } = provider;
  return {
    id,
    name,
    steps: [...provider.steps, `Enter each record below${records.length === 1 ? '' : ', one after the other'}, and save.`],
    notes: notesFor(provider, zone, records),
    fields,
    apexAlias: alias?.name ?? null,
    records: records.map((record) => inForm(record, zone, provider)),
    link,
    automation,
  };
}

function inForm({ type, name, value, ttl }: NeededRecord, zone: SeenZone, { alias, apexName, trailingDot, ttl: choice }: DnsProvider): FormRecord {
  const label = labelOf(name, zone.name);
  return {
    type: type === 'ALIAS' ? (alias?.type ?? type) : type,
    name: label === '@' ? apexName : label,
    value: trailingDot && type !== 'TXT' ? `${value}.` : value,
    ttl: choice ?? String(ttl),
  };
}

function notesFor({ name, alias, note, trailingDot }: DnsProvider, zone: SeenZone, records: readonly NeededRecord[]): readonly string[] {
  const needsAlias = records.some(({ type }) => type === 'ALIAS');
  return [
    ...(needsAlias && alias === undefined
      ? [`${name} can't point ${zone.name} itself to another name: use www.${zone.name} instead, or move the DNS to a provider that can.`]
      : []),
    ...(needsAlias && alias !== undefined && alias.name !== alias.type ? [`${name} calls this ${alias.name}.`] : []),
    ...(trailingDot ? ['The dot at the end of the value belongs to it.'] : []),
    ...(note === undefined ? [] : [note]),
  ];
}
