// Which DNS provider hosts a zone, recognized by the names of its name servers. Registrars are in provider-registrars.ts; clouds, hosts and DNS
// services are here, alphabetically. docs/decisions/0010-domains.md says what the rows are based on.

import type { SeenZone } from '../domain.ts';
import { labelOf } from '../host-name.ts';
import type { NeededRecord } from '../ports.ts';
import { DNSCONTROL, type DnsProvider, GENERAL_STEPS, MICROSOFT, REGISTRARS } from './provider-registrars.ts';

const PLATFORMS: readonly DnsProvider[] = [
  {
    id: 'azure',
    name: 'Azure DNS',
    nameServers: /^ns\d-\d+\.azure-dns\.(?:com|net|org|info)$/,
    steps: ['In the Azure portal, search for DNS zones.', 'Choose the domain.', 'Choose Record set.'],
    stepsFrom: 'provider',
    fields: { name: 'Name', value: 'Alias, or Value' },
    apexName: '@',
    link: 'https://portal.azure.com',
    sources: [`${MICROSOFT}/create-dns-records-for-azure-dns-zones.md`],
  },
  {
    id: 'cloudflare',
    name: 'Cloudflare',
    nameServers: /^[a-z0-9-]+\.ns\.cloudflare\.com$/,
    steps: ['In the Cloudflare dashboard, choose the account and the domain.', 'Open DNS, then Records.', 'Choose Add record.'],
    stepsFrom: 'provider',
    fields: { name: 'Name', value: 'Target, or Content' },
    apexName: '@',
    alias: { name: 'CNAME flattening', type: 'CNAME' },
    ttl: 'Auto',
    note: 'Set Proxy status to DNS only: visitors would otherwise reach Cloudflare instead of your site here.',
    link: 'https://developers.cloudflare.com/dns/manage-dns-records/how-to/create-dns-records/',
    automation: 'https://developers.cloudflare.com/api/resources/dns/',
    sources: [
      'https://developers.cloudflare.com/dns/manage-dns-records/how-to/create-dns-records/',
      'https://developers.cloudflare.com/dns/cname-flattening/set-up-cname-flattening',
    ],
  },
  {
    id: 'digitalocean',
    name: 'DigitalOcean',
    nameServers: /^ns\d\.digitalocean\.com$/,
    ...GENERAL_STEPS,
    fields: { name: 'Hostname', value: 'Value' },
    apexName: '@',
    link: 'https://cloud.digitalocean.com/networking/domains',
    sources: [`${DNSCONTROL}/digitalocean/digitaloceanProvider.go`],
  },
  {
    id: 'dnsimple',
    name: 'DNSimple',
    nameServers: /^ns\d\.dnsimple(?:\.com|-edge\.(?:com|net|io|org))$/,
    ...GENERAL_STEPS,
    fields: { name: 'Name', value: 'Content' },
    apexName: '',
    alias: { name: 'ALIAS', type: 'ALIAS' },
    link: 'https://support.dnsimple.com/articles/alias-record/',
    automation: 'https://support.dnsimple.com/articles/api-documentation/',
    sources: ['https://support.dnsimple.com/articles/dnsimple-nameservers/', 'https://support.dnsimple.com/articles/alias-record/'],
  },
  {
    id: 'google',
    name: 'Squarespace (formerly Google Domains), or Google Cloud DNS',
    nameServers: /^ns-cloud-[a-e]\d\.googledomains\.com$/,
    ...GENERAL_STEPS,
    fields: { name: 'Host, or DNS name', value: 'Data' },
    apexName: '@',
    link: 'https://docs.cloud.google.com/dns/docs/records-overview',
    sources: [
      'https://docs.cloud.google.com/dns/docs/records-overview',
      'https://help.format.com/hc/en-us/articles/28139469958675-Connect-your-Google-Domains-now-Squarespace-Domains-custom-domain-name',
    ],
  },
  {
    id: 'hetzner',
    name: 'Hetzner',
    nameServers: /^(?:(?:hydrogen|oxygen|helium)\.ns\.hetzner\.(?:com|de)|ns1\.your-server\.de|ns\.second-ns\.com|ns3\.second-ns\.de)$/,
    steps: ['In the Hetzner Console, choose your project.', 'Choose DNS in the menu on the left, then the zone.', 'Add a record.'],
    stepsFrom: 'provider',
    fields: { name: 'Name', value: 'Value' },
    apexName: '@',
    trailingDot: true,
    link: 'https://www.hetzner.com/blog/dns-explained-how-domains-work-and-how-to-manage-them/',
    automation: 'https://docs.hetzner.cloud',
    sources: [
      'https://docs.hetzner.com/de/networking/dns/getting-started/delegate-to-hetzner',
      'https://docs.hetzner.com/de/konsoleh/account-management/configuration/dnsadministration',
      'https://wiki.hetzner.de/index.php/KonsoleH:DNS-Verwaltung/en',
    ],
  },
  {
    id: 'route_53',
    name: 'Amazon Route 53',
    nameServers: /^ns-\d+\.awsdns-\d+\.(?:com|net|org|co\.uk)$/,
    steps: ['In the Route 53 console, open Hosted zones.', 'Choose the name of the zone.', 'Choose Create record.'],
    stepsFrom: 'provider',
    fields: { name: 'Record name', value: 'Value' },
    apexName: '',
    note: "An alias in Route 53 can point only to AWS's own resources.",
    link: 'https://docs.aws.amazon.com/Route53/latest/DeveloperGuide/resource-record-sets-creating.html',
    automation: 'https://docs.aws.amazon.com/Route53/latest/APIReference/',
    sources: [
      'https://docs.aws.amazon.com/Route53/latest/DeveloperGuide/resource-record-sets-creating.html',
      'https://repost.aws/knowledge-center/route-53-create-alias-records',
    ],
  },
  {
    id: 'vercel',
    name: 'Vercel',
    nameServers: /^ns\d\.vercel-dns\.com$/,
    ...GENERAL_STEPS,
    fields: { name: 'Name', value: 'Value' },
    apexName: '',
    alias: { name: 'ALIAS', type: 'ALIAS' },
    link: 'https://vercel.com/docs/domains/managing-dns-records',
    sources: ['https://vercel.com/docs/concepts/projects/domains/working-with-dns'],
  },
];

export const PROVIDERS: readonly DnsProvider[] = [...REGISTRARS, ...PLATFORMS];

/**
 * Returns the provider of all of a zone's name servers. Only whole names count: anyone can have a name server whose name merely contains a
 * provider's, such as `ns1.cloudflare.com.evil.example`.
 *
 * @returns undefined if the provider is not in the table, or if several providers serve the zone
 */
export function providerOf(nameServers: readonly string[]): DnsProvider | undefined {
  const names = nameServers.map((name) => name.toLowerCase().replace(/\.$/, ''));
  if (names.length === 0) return undefined;
  return PROVIDERS.find((provider) => names.every((name) => provider.nameServers.test(name)));
}

// What an owner does at the DNS provider that hosts a domain's zone, in that provider's words.

/** Returns the steps at the DNS provider; the control API's schema describes the result. @returns undefined if the zone's provider is unknown */
export function providerView(zone: SeenZone | undefined, records: readonly NeededRecord[]) {
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

function inForm({ type, name, value, ttl }: NeededRecord, zone: SeenZone, { alias, apexName, trailingDot, ttl: choice }: DnsProvider) {
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
    ...(trailingDot ? ['The dot at the end is part of the value.'] : []),
    ...(note === undefined ? [] : [note]),
  ];
}
