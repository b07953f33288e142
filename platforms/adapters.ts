// Adapters that a configuration puts in the place of the embedded ones: which ports they may provide, and what makes one valid.

import type { AccountStore } from '../core/access/ports.ts';
import type { AnswerStore } from '../core/answers/ports.ts';
import type { RecordPublisher } from '../core/domains/ports.ts';
import type { LeaseStore, MinuteCounter, UsageStore } from '../core/limits/ports.ts';
import type { Mailer, UsageSurvey } from '../core/notifications/ports.ts';
import type { PetStore } from '../core/pets/ports.ts';

/** The ports that an adapter may provide to the service on one machine. */
export interface AdapterPorts {
  readonly pets: PetStore;
  /** Comes from the same adapter as `usage`, which reads the keys and limits that are stored here. */
  readonly accounts: AccountStore;
  readonly usage: UsageStore;
  /** For a store that can't count each request of a busy account. @default each request is counted on its own */
  readonly leases: LeaseStore;
  /** Finds accounts whose owners get an email about their usage. @default no one does, if `usage` comes from an adapter */
  readonly usageSurvey: UsageSurvey;
  /** The control API's answers to requests with an idempotency key. */
  readonly answers: AnswerStore;
  /** Requests to the control API, by user. */
  readonly userRequests: MinuteCounter;
  /** Is asked before the sandbox's publisher. */
  readonly recordPublisher: RecordPublisher;
  /** Takes the place of PETSTORE_SMTP_URL. */
  readonly mailer: Mailer;
}

export type PortName = keyof AdapterPorts;

/** What an adapter gets when it is opened. */
export interface AdapterContext {
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

export interface OpenAdapter<Port extends PortName = PortName> {
  readonly ports: Pick<AdapterPorts, Port>;
  /** Releases connections; the ports then reject. @default there is nothing to release */
  close?(): Promise<void>;
}

/**
 * An adapter for one or more ports.
 *
 * @example
 * ```ts
 * export function exampleMail(token: string): Adapter<'mailer'> {
 *   return { name: 'petstore-example-mail', provides: ['mailer'], open: async () => ({ ports: { mailer: createMailer(token) } }) };
 * }
 * ```
 */
export interface Adapter<Port extends PortName = PortName> {
  /** The name of its package, for messages. */
  readonly name: string;
  readonly provides: readonly Port[];
  /**
   * Opens the adapter, before anything else starts. May be called by several processes at once, and creates what it needs if that is missing.
   * Rejects with a message for operators if the adapter can't work.
   */
  open(context: AdapterContext): Promise<OpenAdapter<Port>>;
}

/** An adapter for any ports. */
export interface AnyAdapter extends Omit<Adapter, 'open'> {
  open(context: AdapterContext): Promise<AnyOpenAdapter>;
}

export interface AnyOpenAdapter extends Omit<OpenAdapter, 'ports'> {
  readonly ports: Partial<AdapterPorts>;
}

/** The content of `petstore.config.ts`. */
export interface Configuration {
  /** At most one for each port. */
  readonly adapters: readonly AnyAdapter[];
}

/**
 * Returns the configuration unchanged; for types in an editor.
 *
 * @example
 * ```ts
 * // petstore.config.ts
 * export default defineConfig({ adapters: [postgresStores({ url: 'postgres://127.0.0.1/petstore' })] });
 * ```
 */
export function defineConfig(configuration: Configuration): Configuration {
  return configuration;
}

/** The methods that each port must have. */
export const PORT_METHODS: { readonly [Port in PortName]: readonly (keyof AdapterPorts[Port] & string)[] } = {
  pets: ['create', 'createAll', 'get', 'list', 'remove'],
  accounts: [
    ...([
      'createAccount',
      'listAccounts',
      'getAccount',
      'setPlan',
      'setPlanRequest',
      'setSuspension',
      'setSecondFactor',
      'deleteAccount',
      'addKey',
      'listKeys',
      'getKey',
      'expireKey',
      'changeKey',
      'liftBan',
    ] as const),
    ...(['revokeKey', 'listRevokedKeys'] as const),
  ],
  usage: ['admit', 'hasKey', 'ban', 'countRefusals', 'usage'],
  leases: ['take'],
  usageSurvey: ['usagePage'],
  answers: ['claim', 'keep', 'release'],
  userRequests: ['count'],
  recordPublisher: ['publish', 'manages', 'withdraw'],
  mailer: ['send'],
};

/** All ports that an adapter may provide. */
export const PORT_NAMES = Object.keys(PORT_METHODS) as PortName[];

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** Returns what is wrong with a configuration, one sentence for each problem; none if it is valid. Nothing is opened. */
export function configurationProblems(configuration: unknown): readonly string[] {
  if (!isObject(configuration) || !Array.isArray(configuration.adapters)) {
    return [`the default export is ${describe(configuration)}; allowed: defineConfig({ adapters: [ … ] }) of petstore-platform`];
  }
  const unknown = Object.keys(configuration).filter((key) => key !== 'adapters');
  const adapters = configuration.adapters as readonly unknown[];
  return [
    ...unknown.map((key) => `${key}: unknown; allowed: adapters`),
    ...adapters.flatMap((adapter, index) => adapterProblems(adapter, index)),
    ...sharingProblems(adapters.filter(isAdapter)),
  ];
}

function isAdapter(value: unknown): value is AnyAdapter {
  return isObject(value) && typeof value.name === 'string' && Array.isArray(value.provides) && typeof value.open === 'function';
}

function adapterProblems(adapter: unknown, index: number): readonly string[] {
  if (!isAdapter(adapter))
    return [`adapters[${index}] is ${describe(adapter)}; allowed: an adapter, with name, provides and open${lacking(adapter)}`];
  const { name, provides } = adapter;
  const unknown = provides.filter((port) => !PORT_NAMES.includes(port));
  const repeated = PORT_NAMES.filter((port) => provides.filter((each) => each === port).length > 1);
  return [
    ...(provides.length === 0 ? [`${name} provides no port; allowed: ${PORT_NAMES.join(', ')}`] : []),
    ...unknown.map((port) => `${name} provides ${JSON.stringify(port)}, which is not a port; allowed: ${PORT_NAMES.join(', ')}`),
    ...repeated.map((port) => `${name} announces ${port} twice; allowed: each port once`),
  ];
}

function sharingProblems(adapters: readonly AnyAdapter[]): readonly string[] {
  const providersOf = (port: PortName) => adapters.filter(({ provides }) => provides.includes(port)).map(({ name }) => name);
  const twice = PORT_NAMES.flatMap((port) => {
    const names = providersOf(port);
    return names.length > 1 ? [`${names.join(' and ')} both provide ${port}; a port has one adapter: remove one of them`] : [];
  });
  const apart = adapters.flatMap(({ name, provides }) => {
    const together = (['accounts', 'usage'] as const).filter((port) => provides.includes(port));
    const needsUsage = (['leases', 'usageSurvey'] as const).filter((port) => provides.includes(port) && !provides.includes('usage'));
    return [
      ...(together.length === 1
        ? [`${name} provides ${together[0]} without ${together[0] === 'usage' ? 'accounts' : 'usage'}; both or neither`]
        : []),
      ...needsUsage.map((port) => `${name} provides ${port} without usage, whose counters it reads`),
    ];
  });
  return [...twice, ...apart];
}

/** Returns what differs between an opened adapter and what it announced, one sentence for each port; none if it is complete. */
export function portProblems({ name, provides }: AnyAdapter, opened: unknown): readonly string[] {
  const ports = isObject(opened) && isObject(opened.ports) ? opened.ports : {};
  const unannounced = PORT_NAMES.filter((port) => ports[port] !== undefined && !provides.includes(port));
  const incomplete = provides.flatMap((port) => {
    const given = ports[port];
    if (!isObject(given)) return [`${name} announces the port ${port}, but open() returns no ports.${port}`];
    const missing = PORT_METHODS[port].filter((method) => typeof given[method] !== 'function');
    if (missing.length === 0) return [];
    return [`${name}: its ${port} ${missing.length === 1 ? 'lacks the method' : 'lack the methods'} ${missing.join(', ')}; see docs/adapters.md`];
  });
  return [
    ...incomplete,
    ...unannounced.map(
      (port) => `${name}: open() returns the port ${port}, which is not in provides, so it would not be used; announce it, or leave it out`,
    ),
  ];
}

function lacking(value: unknown): string {
  if (!isObject(value) || typeof value.then === 'function') return '';
  const missing = [
    ...(typeof value.name === 'string' ? [] : ['name']),
    ...(Array.isArray(value.provides) ? [] : ['provides']),
    ...(typeof value.open === 'function' ? [] : ['open']),
  ];
  return `; it lacks ${missing.join(' and ')}`;
}

function describe(value: unknown): string {
  if (value === undefined) return 'undefined';
  if (typeof value === 'function') return `the function ${value.name}, which must be called`;
  if (isObject(value) && typeof value.then === 'function') return 'a promise, which must be awaited (await is allowed at the top of the file)';
  return isObject(value) ? 'another object' : JSON.stringify(value);
}
