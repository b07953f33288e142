// DNS providers: their name servers, and how a record is added there.

/** Where the steps come from: the provider's own documentation, someone else's description of its pages, or neither. */
export type StepsOrigin = 'provider' | 'third_party' | 'general';

/** How a provider can point the apex to another name. */
export interface ApexAlias {
  /** What the provider calls it. */
  readonly name: string;
  /** The record type to choose in the provider's form. */
  readonly type: string;
}

export interface DnsProvider {
  readonly id: string;
  readonly name: string;
  /** Matches the whole name of each of its name servers, in lower case, without the trailing dot. */
  readonly nameServers: RegExp;
  /** The steps that lead to the form for a new record, in the provider's words. */
  readonly steps: readonly string[];
  readonly stepsFrom: StepsOrigin;
  readonly fields: { readonly name: string; readonly value: string };
  /** What to enter as a record's name at the apex, if anything. At all of these providers, names below the apex are entered without the zone. */
  readonly apexName: '@' | '';
  /** @default none: the apex can't point to another name */
  readonly alias?: ApexAlias;
  /** Whether a value that is a name must end with a dot, without which the provider appends the zone. @default false */
  readonly trailingDot?: true;
  /** The TTL to choose. @default the value shown */
  readonly ttl?: string;
  /** What else can go wrong there. @default nothing known */
  readonly note?: string;
  /** The provider's page on DNS records, for owners. */
  readonly link: string;
  /** A page about the provider's API or its support for Domain Connect. @default none known */
  readonly automation?: string;
  readonly sources: readonly string[];
}

// DNS providers that sell names and websites to everyone, alphabetically. docs/decisions/0010-domains.md says what the rows are based on.

/** DNSControl's adapters list the providers' name servers, and show which providers support ALIAS. */
export const DNSCONTROL = 'https://github.com/StackExchange/dnscontrol/tree/7a079bc2a3201df47b4c6969d6231b91a950375f/providers';
/** Microsoft's instructions for adding records at many providers. */
export const MICROSOFT = 'https://github.com/MicrosoftDocs/microsoft-365-docs/blob/public/microsoft-365/admin/dns';
export const GENERAL_STEPS = { steps: ['Sign in, and open your domain.', 'Open its DNS records, and add one.'], stepsFrom: 'general' } as const;

export const REGISTRARS: readonly DnsProvider[] = [
  {
    id: 'all_inkl',
    name: 'ALL-INKL',
    nameServers: /^ns\d+\.kasserver\.com$/,
    steps: ['Sign in to KAS (the technical administration).', 'Open DNS-Einstellungen, and choose the domain.', 'Add a new DNS record.'],
    stepsFrom: 'third_party',
    fields: { name: 'Name', value: 'Data' },
    apexName: '',
    link: 'https://all-inkl.com',
    sources: ['https://webhosting.de/all-inkl-dns-verwaltung-besten-praktiken-leistungscheck'],
  },
  {
    id: 'bluehost',
    name: 'Bluehost',
    nameServers: /^ns\d\.bluehost\.com$/,
    steps: ['Open Domains, and choose the domain.', 'In the row DNS Zone Editor, choose Manage DNS records.', 'Go to Add DNS Record.'],
    stepsFrom: 'third_party',
    fields: { name: 'Host Record', value: 'Points To, or TXT Value' },
    apexName: '@',
    ttl: '14400',
    link: 'https://my.bluehost.com/cgi/dm',
    sources: [`${MICROSOFT}/create-dns-records-at-bluehost.md`],
  },
  {
    id: 'dreamhost',
    name: 'DreamHost',
    nameServers: /^ns\d\.dreamhost\.com$/,
    steps: ['In the panel, open Manage Websites.', 'Click the three dots next to your domain, then DNS Settings.', 'Add a record.'],
    stepsFrom: 'provider',
    fields: { name: 'Host', value: 'Value' },
    apexName: '',
    alias: { name: 'ALIAS', type: 'ALIAS' },
    link: 'https://help.dreamhost.com/hc/en-us/articles/214694348-Basic-DNS-records',
    sources: ['https://help.dreamhost.com/hc/en-us/articles/214694348-Basic-DNS-records'],
  },
  {
    id: 'gandi',
    name: 'Gandi',
    nameServers: /^(?:ns-\d+-[abc]|[abc]\.dns)\.gandi\.net$/,
    steps: ['Choose the domain in your list of domains.', 'Open DNS Records.', 'Choose Add.'],
    stepsFrom: 'provider',
    fields: { name: 'Name', value: 'Hostname, or Text value' },
    apexName: '@',
    alias: { name: 'ALIAS', type: 'ALIAS' },
    trailingDot: true,
    note: 'ALIAS does not work together with DNSSEC: switch DNSSEC off first.',
    link: 'https://docs.gandi.net/en/domain_names/common_operations/dns_records.html',
    automation: 'https://api.gandi.net/docs/livedns/',
    sources: [
      'https://docs.gandi.net/fr/noms_domaine/operations_courantes/enregistrements_dns.html',
      'https://docs.dnscontrol.org/provider/gandi_v5',
    ],
  },
  {
    id: 'godaddy',
    name: 'GoDaddy',
    nameServers: /^ns\d+\.domaincontrol\.com$/,
    steps: ['Open your Domain Portfolio, and choose the domain.', 'Choose DNS.', 'Choose Add New Record.'],
    stepsFrom: 'third_party',
    fields: { name: 'Name', value: 'Value' },
    apexName: '@',
    ttl: '1 hour',
    link: 'https://account.godaddy.com/products/',
    automation: 'https://www.godaddy.com/garage/dns-domain-connect/',
    sources: ['https://ca.hostadvice.com/hosting-company/godaddy-reviews/cname-record/', `${MICROSOFT}/create-dns-records-at-godaddy.md`],
  },
  {
    id: 'hostinger',
    name: 'Hostinger',
    nameServers: /^[a-z0-9-]+\.dns-parking\.com$/,
    ...GENERAL_STEPS,
    fields: { name: 'Name', value: 'Target, or TXT value' },
    apexName: '@',
    link: 'https://hpanel.hostinger.com',
    sources: ['https://www.hostinger.com/tutorials/what-is-dns'],
  },
  {
    id: 'hover',
    name: 'Hover',
    nameServers: /^ns\d\.hover\.com$/,
    steps: ['Under Manage Your Domains, choose the domain.', 'Open the DNS tab.', 'Choose Add New.'],
    stepsFrom: 'third_party',
    fields: { name: 'Hostname', value: 'Target Host, or Value' },
    apexName: '@',
    link: 'https://www.hover.com/domains',
    sources: [`${MICROSOFT}/create-dns-records-at-hover.md`],
  },
  {
    id: 'infomaniak',
    name: 'Infomaniak',
    nameServers: /^ns\d+\.infomaniak\.(?:ch|com)$/,
    steps: ['In the Infomaniak Manager, choose the domain.', 'Choose DNS Zone in the menu on the left.', 'Add a record.'],
    stepsFrom: 'provider',
    fields: { name: 'Source', value: 'Target' },
    apexName: '',
    link: 'https://www.infomaniak.com/en/support/faq/admin2/domain',
    sources: ['https://infomaniak.com/fr/support/faq/admin2/domaine?i=7', 'https://infomaniak.com/it/assistenza/faq/admin2/dominio?i=3'],
  },
  {
    id: 'ionos',
    name: 'IONOS',
    nameServers: /^ns\d+\.ui-dns\.(?:com|de|org|biz)$/,
    steps: ['Open Menu, then Domains & SSL.', 'Next to the domain, click the gear under Actions, then DNS.', 'Choose Add record, and the type.'],
    stepsFrom: 'provider',
    fields: { name: 'Hostname', value: 'Points to, or Value' },
    apexName: '@',
    link: 'https://www.ionos.com/help/domains/configuring-cname-records-for-subdomains/configuring-a-cname-record-for-a-subdomain',
    sources: [
      'https://www.ionos.com/help/domains/configuring-cname-records-for-subdomains/configuring-a-cname-record-for-a-subdomain',
      'https://hosting.1und1.de/hilfe/domains/cname-records-fuer-subdomains-konfigurieren/cname-record-fuer-eine-bestehende-subdomain-konfigurieren/',
    ],
  },
  {
    id: 'name_com',
    name: 'Name.com',
    nameServers: /^ns\d(?:[a-z]{3})?\.name\.com$/,
    steps: ['Under My Domains, choose the domain.', 'Choose DNS Records.', 'Fill in the boxes for the new record, and choose Add Record.'],
    stepsFrom: 'third_party',
    fields: { name: 'Host', value: 'Answer' },
    apexName: '',
    alias: { name: 'ANAME', type: 'ANAME' },
    ttl: '300',
    link: 'https://www.name.com/account/domain',
    sources: [
      `${MICROSOFT}/create-dns-records-at-name-com.md`,
      'https://www.name.dev/learn/cname-records-when-to-use-them-when-to-avoid-them-and-common-pitfalls',
      `${DNSCONTROL}/namedotcom/nameservers.go`,
    ],
  },
  {
    id: 'namecheap',
    name: 'Namecheap',
    nameServers: /^p?dns\d\.registrar-servers\.com$/,
    steps: ['Open Domain List, and choose Manage next to the domain.', 'Open Advanced DNS.', 'Under Host Records, choose Add New Record.'],
    stepsFrom: 'provider',
    fields: { name: 'Host', value: 'Value' },
    apexName: '@',
    alias: { name: 'ALIAS', type: 'ALIAS Record' },
    ttl: 'Automatic',
    link: 'https://namecheap.com/support/knowledgebase/article.aspx/9646/10/how-can-i-set-up-a-cname-record-for-my-domain',
    sources: [
      'https://namecheap.com/support/knowledgebase/article.aspx/9646/10/how-can-i-set-up-a-cname-record-for-my-domain',
      `${DNSCONTROL}/namecheap/namecheapProvider.go`,
    ],
  },
  {
    id: 'network_solutions',
    name: 'Network Solutions',
    nameServers: /^ns\d+\.worldnic\.com$/,
    steps: [
      'Open Manage My Domain Names, and choose the domain.',
      'Choose Edit DNS, then Manage Advanced DNS Records.',
      'Choose Edit next to the record type.',
    ],
    stepsFrom: 'third_party',
    fields: { name: 'Alias, or Host', value: 'Other Host, or Text' },
    apexName: '@',
    trailingDot: true,
    ttl: '3600',
    link: 'https://www.networksolutions.com/manage-it',
    sources: [`${MICROSOFT}/create-dns-records-at-network-solutions.md`],
  },
  {
    id: 'ovh',
    name: 'OVHcloud',
    nameServers: /^(?:(?:dns|ns)\d+\.ovh\.(?:net|ca)|(?:dns|ns)200\.anycast\.me)$/,
    steps: [
      'In the Control Panel, open Web Cloud, then Domain names, and choose the domain.',
      'Open the DNS zone tab.',
      'Choose Add an entry, and the type.',
    ],
    stepsFrom: 'provider',
    fields: { name: 'Sub-domain', value: 'Target, or Value' },
    apexName: '',
    trailingDot: true,
    link: 'https://docs.ovhcloud.com/en/guides/web-cloud/domains/dns-zone-edit',
    automation: 'https://api.ovh.com',
    sources: ['https://github.com/ovh/docs/blob/develop/pages/web_cloud/domains/dns_zone_edit/guide.en-gb.md'],
  },
  {
    id: 'porkbun',
    name: 'Porkbun',
    nameServers: /^[a-z]+\.ns\.porkbun\.com$/,
    steps: ['Open Domain Management.', 'Next to the domain, choose DNS.', 'Add a record.'],
    stepsFrom: 'general',
    fields: { name: 'Host', value: 'Answer' },
    apexName: '',
    alias: { name: 'ALIAS', type: 'ALIAS' },
    ttl: '600',
    note: 'New domains have an ALIAS and a CNAME that point to pixie.porkbun.com: delete them first.',
    link: 'https://porkbun.com/account/domainsSpeedy',
    automation: 'https://porkbun.com/api/json/v3/documentation',
    sources: [`${DNSCONTROL}/porkbun/porkbunProvider.go`, 'https://github.com/qdm12/ddns-updater'],
  },
  {
    id: 'squarespace',
    name: 'Squarespace',
    nameServers: /^[a-z0-9-]+\.squarespacedns\.com$/,
    ...GENERAL_STEPS,
    fields: { name: 'Host', value: 'Data' },
    apexName: '@',
    link: 'https://account.squarespace.com/domains',
    sources: ['https://support.squarespace.com/hc/en-us/articles/360002101888'],
  },
  {
    id: 'strato',
    name: 'STRATO',
    nameServers: /^(?:shades|docks)\d+\.rzone\.de$/,
    steps: ['After signing in, open Domains, then the domain administration.', 'Open the settings of the domain or subdomain.', 'Open the DNS tab.'],
    stepsFrom: 'provider',
    fields: { name: 'Prefix', value: 'Value' },
    apexName: '',
    note: 'A CNAME is a setting of a subdomain: create the subdomain first. Setting it deletes what the subdomain had: redirects, FTP access and mailboxes.',
    link: 'https://www.strato.de/faq/',
    sources: [
      'https://www.strato.se/faq/domaen/vilka-dns-poster-finns-tillgaengliga-hos-strato-och-hur-kan-jag-hantera-dem/',
      'https://www.strato.de/faq/article/464/Einschr%C3%A4nkungen-bei-der-Verwendung-eines-CNAME-Eintrages.html',
    ],
  },
  {
    id: 'wix',
    name: 'Wix',
    nameServers: /^ns\d+\.wixdns\.net$/,
    steps: [
      'Click your avatar at the top right, then Domains.',
      'Next to the domain, open the three-dot menu, and choose Manage DNS Records.',
      'Next to the record type, choose Add Record.',
    ],
    stepsFrom: 'third_party',
    fields: { name: 'Host name', value: 'Value' },
    apexName: '',
    ttl: '1 Hour',
    link: 'https://support.wix.com',
    sources: ['https://infomaniak.com/en/support/faq/admin2/domain?i=2', `${MICROSOFT}/create-dns-records-at-wix.md`],
  },
];
