// Settings of the embedded service and its command line. They are read once and checked as a whole; all problems are reported together.

import { isIP, isIPv4 } from 'node:net';
import { resolve } from 'node:path';
import * as z from 'zod';
import { type ActivatedSockets, activatedSockets } from '../../adapters/connections/activated.ts';
import { type NameServer, parseNameServer } from '../../adapters/dns/name-server.ts';
import { parseSmtpUrl, type SmtpServer } from '../../adapters/mail/smtp-url.ts';
import type { NameRules } from '../../core/domains/actions.ts';
import { ownersDomain } from '../../core/domains/host-name.ts';
import { type Network, parseNetwork } from '../../core/http/forwarded.ts';
import { isEmailAddress } from '../../core/identity/user.ts';
import { parseSender, SENDER_FORM } from '../../core/notifications/sender.ts';

export const LOG_LEVELS = ['DEBUG', 'INFO', 'WARN', 'ERROR', 'SILENT'] as const;

/** `api` includes the dashboard and sign-in; `all` also includes visits to the sites of projects that have turned on logging. */
const ACCESS_LOGS = ['off', 'api', 'all'] as const;

const PREFIX = 'PETSTORE_';
/** Variables for the command line and the client's examples, not for the service, which may run in the same shell. */
const NOT_SETTINGS: readonly string[] = ['PETSTORE_DEPLOY_TOKEN', 'PETSTORE_KEY', 'PETSTORE_TOKEN', 'PETSTORE_PROJECT'];

/** The suffix of all sandbox names. */
const SANDBOX_SUFFIX = 'test';
const SANDBOX_EDGE_NAME = `edge.petstore.${SANDBOX_SUFFIX}`;

const PORT = 'an integer from 0 to 65535; 0 picks a free port';
const NETWORKS = 'addresses and networks, separated by commas, such as 10.0.0.0/8,2001:db8::1';
const ORIGIN = 'an origin, such as https://pets.example.com: http or https, a host name, a port if it is not the default one, and no path';
const SMTP_URL =
  'the URL of an SMTP server, such as smtps://user:password@mail.example.com or smtp://mail.example.com:587 (with STARTTLS, unless it is on this machine); user and password percent-encoded, no path';
/** Settings whose values are not shown. */
const SECRETS: readonly string[] = ['PETSTORE_SMTP_URL'];
const SERVERS = 'addresses with ports, separated by commas, such as 9.9.9.9:53,1.1.1.1:53';

const OPERATORS = 'ids of users, separated by commas, such as usr_Jd83hsPq0aXw6TfN; petstore users list shows them';

/** @param parse returns undefined for an entry that is not allowed */
const listOf = <Entry>(parse: (text: string) => Entry | undefined, allowed: string) =>
  z
    .string()
    .transform((list) => list.split(',').map((entry) => parse(entry.trim())))
    .refine((entries) => entries.every((entry) => entry !== undefined), allowed)
    .transform((entries) => entries.filter((entry) => entry !== undefined));

const port = z
  .string()
  .regex(/^\d{1,5}$/, PORT)
  .transform(Number)
  .refine((number) => number <= 65_535, PORT);

const schema = z.object({
  PETSTORE_PORT: port.default(8080),
  PETSTORE_HOST: z
    .string()
    .regex(/^[\w.:-]+$/, 'a host name or address, such as 127.0.0.1')
    .default('127.0.0.1'),
  PETSTORE_URL: z
    .string()
    .transform(originOf)
    .refine((origin) => origin !== undefined, ORIGIN)
    .optional(),
  PETSTORE_DATA: z
    .string()
    .regex(/^\S(?:.*\S)?$/, 'a folder, without blanks before or after it')
    .default('.petstore')
    .transform((folder) => resolve(folder)),
  PETSTORE_CONFIG: z
    .string()
    .min(1, 'a file, such as petstore.config.ts')
    .transform((file) => resolve(file))
    .optional(),
  PETSTORE_LOG_LEVEL: z.enum(LOG_LEVELS, `one of ${LOG_LEVELS.join(', ')}`).default('WARN'),
  PETSTORE_ACCESS_LOG: z.enum(ACCESS_LOGS, `one of ${ACCESS_LOGS.join(', ')}`).optional(),
  PETSTORE_METRICS_PORT: port.optional(),
  PETSTORE_METRICS_HOST: z
    .string()
    .refine((address) => isIP(address) !== 0, 'an address of this machine, such as 127.0.0.1 or ::1; a host name may resolve to another machine')
    .default('127.0.0.1'),
  PETSTORE_DRAFT_HEADERS: z.enum(['on', 'off'], 'on or off').default('off'),
  PETSTORE_TRUSTED_PROXIES: listOf(parseNetwork, NETWORKS).optional(),
  PETSTORE_EDGE_HOST: z
    .string()
    .refine((address) => isIPv4(address), 'an IPv4 address, such as 127.0.0.1')
    .default('127.0.0.1'),
  PETSTORE_EDGE_HTTP_PORT: port.default(8081),
  PETSTORE_EDGE_HTTPS_PORT: port.default(8443),
  PETSTORE_EDGE_PROXY_PROTOCOL: z.enum(['on', 'off'], 'on or off').default('off'),
  PETSTORE_EDGE_NAME: z.hostname('a host name, such as edge.example.org').default(SANDBOX_EDGE_NAME),
  PETSTORE_SANDBOX_DNS_PORT: port.default(8053),
  PETSTORE_DNS_SERVERS: listOf(parseNameServer, SERVERS).optional(),
  PETSTORE_DNS_PORT: port.default(53),
  PETSTORE_DNS_PRIVATE_NETWORKS: z.enum(['on', 'off'], 'on or off').default('off'),
  PETSTORE_ACME_DIRECTORY: z.url({ protocol: /^https$/, error: 'the https URL of an ACME directory' }).optional(),
  PETSTORE_ACME_CA_FILE: z.string().min(1, 'a file').optional(),
  PETSTORE_ACME_ISSUERS: z
    .string()
    .regex(/^[a-z0-9.-]+(,[a-z0-9.-]+)*$/, 'names for CAA records, separated by commas, such as letsencrypt.org')
    .optional(),
  PETSTORE_SMTP_URL: z
    .string()
    .transform(parseSmtpUrl)
    .refine((server) => server !== undefined, SMTP_URL)
    .optional(),
  PETSTORE_OPERATORS: listOf((id) => (/^usr_[0-9A-Za-z]{1,64}$/.test(id) ? id : undefined), OPERATORS).optional(),
  PETSTORE_OPERATOR_MAIL: z.string().refine(isEmailAddress, 'an email address, such as operator@example.com').optional(),
  PETSTORE_MAIL_FROM: z
    .string()
    .refine((text) => parseSender(text) !== undefined, SENDER_FORM)
    .optional(),
});

export interface Settings {
  readonly port: number;
  readonly host: string;
  /** The origin that clients use, without a trailing slash. @default undefined: the address on which the service listens */
  readonly publicUrl: string | undefined;
  /** Absolute path. */
  readonly dataFolder: string;
  /** Absolute path of the configuration. @default undefined: `petstore.config.ts` in the current folder, if there is one */
  readonly configurationFile: string | undefined;
  readonly logLevel: (typeof LOG_LEVELS)[number];
  /** Which requests are logged. */
  readonly accessLog: (typeof ACCESS_LOGS)[number];
  /** Where metrics are served. @default nowhere */
  readonly metrics: { readonly host: string; readonly port: number } | undefined;
  readonly draftHeaders: boolean;
  /** Proxies whose forwarding headers are trusted. */
  readonly trustedProxies: readonly Network[];
  /** The edge's listeners and host name. */
  readonly edge: {
    readonly host: string;
    readonly httpPort: number;
    readonly httpsPort: number;
    readonly name: string;
    /** Whether trusted proxies pass connections through with the PROXY protocol, and no other client may connect. */
    readonly proxyProtocol: boolean;
  };
  /** Sockets that the service manager has opened, used instead of the ports above. */
  readonly sockets: ActivatedSockets;
  /** The ACME authority; undefined for the development authority. */
  readonly acme: { readonly directory: string; readonly caFile: string | undefined; readonly issuerNames: readonly string[] | undefined } | undefined;
  /** The SMTP server for messages to owners, and their sender, perhaps with a name. @default no messages are sent */
  readonly mail: { readonly server: SmtpServer; readonly from: string } | undefined;
  /** The operator's address, for plan requests. @default they are not mailed */
  readonly operatorMail: string | undefined;
  /** Ids of the users who operate the installation in the dashboard. */
  readonly operators: readonly string[];
  /** The sandbox's DNS, or public DNS if name servers are configured. */
  readonly dns:
    | { readonly kind: 'sandbox'; readonly port: number; readonly suffix: string }
    | { readonly kind: 'real'; readonly servers: readonly NameServer[]; readonly authoritativePort: number; readonly privateNetworks: boolean };
}

export type SettingsResult = { readonly ok: true; readonly settings: Settings } | { readonly ok: false; readonly problems: readonly string[] };

const MAIL_SETTINGS = ['PETSTORE_SMTP_URL', 'PETSTORE_MAIL_FROM'] as const;

/** Parses all `PETSTORE_` variables, and reports every problem and unknown name. @param pid of the process that has the service manager's sockets */
export function parseSettings(environment: Readonly<Record<string, string | undefined>>, pid = process.pid): SettingsResult {
  const activated = activatedSockets(environment, pid);
  const given = Object.fromEntries(
    Object.entries(environment).filter(([name, value]) => name.startsWith(PREFIX) && !NOT_SETTINGS.includes(name) && value !== undefined),
  );
  const known = Object.keys(schema.shape);
  const unknown = Object.keys(given).filter((name) => !known.includes(name));
  const result = schema.safeParse(given);
  const problems = [
    ...unknown.map((name) => `${name}: unknown setting; allowed: ${known.join(', ')}`),
    ...(result.error?.issues ?? []).map(
      ({ path: [name], message }) =>
        `${String(name)}: got ${SECRETS.includes(String(name)) ? 'something else' : JSON.stringify(given[String(name)])}; allowed: ${message}`,
    ),
    ...(activated.problem === undefined ? [] : [activated.problem]),
    ...(given.PETSTORE_EDGE_PROXY_PROTOCOL === 'on' && given.PETSTORE_TRUSTED_PROXIES === undefined
      ? ['PETSTORE_TRUSTED_PROXIES: missing; with PETSTORE_EDGE_PROXY_PROTOCOL=on, set it to the proxies that may connect']
      : []),
    ...(given.PETSTORE_METRICS_HOST !== undefined && given.PETSTORE_METRICS_PORT === undefined
      ? ['PETSTORE_METRICS_PORT: missing; PETSTORE_METRICS_HOST alone serves no metrics']
      : []),
    ...MAIL_SETTINGS.filter((name) => given[name] === undefined && MAIL_SETTINGS.some((other) => given[other] !== undefined)).map(
      (name) => `${name}: missing; ${MAIL_SETTINGS.join(' and ')} must be set together`,
    ),
  ];
  if (!result.success || problems.length > 0) return { ok: false, problems };
  const { data } = result;
  const settings: Settings = {
    port: data.PETSTORE_PORT,
    host: data.PETSTORE_HOST,
    publicUrl: data.PETSTORE_URL,
    dataFolder: data.PETSTORE_DATA,
    configurationFile: data.PETSTORE_CONFIG,
    logLevel: data.PETSTORE_LOG_LEVEL,
    // At INFO, requests have always been logged.
    accessLog: data.PETSTORE_ACCESS_LOG ?? (['DEBUG', 'INFO'].includes(data.PETSTORE_LOG_LEVEL) ? 'api' : 'off'),
    metrics: data.PETSTORE_METRICS_PORT === undefined ? undefined : { host: data.PETSTORE_METRICS_HOST, port: data.PETSTORE_METRICS_PORT },
    draftHeaders: data.PETSTORE_DRAFT_HEADERS === 'on',
    trustedProxies: data.PETSTORE_TRUSTED_PROXIES ?? [],
    edge: {
      host: data.PETSTORE_EDGE_HOST,
      httpPort: data.PETSTORE_EDGE_HTTP_PORT,
      httpsPort: data.PETSTORE_EDGE_HTTPS_PORT,
      name: data.PETSTORE_EDGE_NAME.toLowerCase(),
      proxyProtocol: data.PETSTORE_EDGE_PROXY_PROTOCOL === 'on',
    },
    sockets: activated.sockets,
    acme:
      data.PETSTORE_ACME_DIRECTORY === undefined
        ? undefined
        : {
            directory: data.PETSTORE_ACME_DIRECTORY,
            caFile: data.PETSTORE_ACME_CA_FILE,
            issuerNames: data.PETSTORE_ACME_ISSUERS?.split(','),
          },
    mail:
      data.PETSTORE_SMTP_URL === undefined || data.PETSTORE_MAIL_FROM === undefined
        ? undefined
        : { server: data.PETSTORE_SMTP_URL, from: data.PETSTORE_MAIL_FROM },
    operatorMail: data.PETSTORE_OPERATOR_MAIL,
    operators: data.PETSTORE_OPERATORS ?? [],
    dns:
      data.PETSTORE_DNS_SERVERS === undefined
        ? { kind: 'sandbox', port: data.PETSTORE_SANDBOX_DNS_PORT, suffix: SANDBOX_SUFFIX }
        : {
            kind: 'real',
            servers: data.PETSTORE_DNS_SERVERS,
            authoritativePort: data.PETSTORE_DNS_PORT,
            privateNetworks: data.PETSTORE_DNS_PRIVATE_NETWORKS === 'on',
          },
  };
  return { ok: true, settings };
}

/** Returns an origin in the form that browsers use; undefined if the text is not exactly an origin (RFC 6454). */
function originOf(text: string): string | undefined {
  if (!/^https?:\/\/[^/?#@\\\s]+\/?$/i.test(text) || !URL.canParse(text)) return undefined;
  const { origin, hostname, port } = new URL(text);
  const isName = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.|$))+$/.test(hostname) && !hostname.endsWith('.');
  // `URL` turns a bare number into an IPv4 address. The unspecified address is not a valid origin.
  const isAddress = hostname.startsWith('[') || (isIPv4(hostname) && text.includes(hostname));
  if (port === '0' || hostname === '0.0.0.0' || hostname === '[::]' || !(isAddress || (isName && !isIPv4(hostname)))) return undefined;
  return origin;
}

/** Returns the name at which the edge serves the API and the dashboard over TLS; undefined if a proxy does that, or nothing does. */
export function platformHost({
  publicUrl,
  trustedProxies,
  edge,
  sockets,
}: Pick<Settings, 'publicUrl' | 'trustedProxies' | 'edge' | 'sockets'>): string | undefined {
  const url = publicUrl === undefined ? undefined : new URL(publicUrl);
  if (url?.protocol !== 'https:' || url.hostname.startsWith('[') || isIPv4(url.hostname)) return undefined;
  const port = Number(url.port === '' ? 443 : url.port);
  // A proxy that sends headers has already decrypted the requests.
  const isDirect = trustedProxies.length === 0 && (sockets['edge-https'] !== undefined || edge.httpsPort === port);
  return edge.proxyProtocol || isDirect ? url.hostname : undefined;
}

/** Returns which names can be added here, and what their records contain. */
export function nameRules({ dns, edge: { name }, publicUrl }: Pick<Settings, 'dns' | 'edge' | 'publicUrl'>): NameRules {
  const suffix = sandboxSuffix({ dns });
  return {
    policy: {
      ours: publicUrl === undefined ? [name] : [name, new URL(publicUrl).hostname],
      extraSuffixes: suffix === undefined ? [] : [suffix],
    },
    edge: { host: name, servesTargets: true },
  };
}

/** Returns what is wrong with the names of the dashboard and of sites, and what to do; undefined if sites can't set cookies for the dashboard. */
export function neighborProblem({ edge, publicUrl = 'http://localhost' }: Pick<Settings, 'edge' | 'publicUrl'>) {
  const [sites, own] = [edge.name, new URL(publicUrl).hostname];
  const shared = ownersDomain(own);
  if (ownersDomain(sites) !== shared) return undefined;
  return {
    found: `sites below ${sites} share the registered domain ${shared} with ${own}, so their pages can set cookies for the dashboard`,
    action: `set PETSTORE_EDGE_NAME to a name below a registered domain that is used for nothing else, before owners create DNS records; allowed: any name outside ${shared}`,
  };
}

/** Returns the suffix of sandbox names; undefined if there is no sandbox. */
export function sandboxSuffix({ dns }: Pick<Settings, 'dns'>): string | undefined {
  return dns.kind === 'sandbox' ? dns.suffix : undefined;
}
