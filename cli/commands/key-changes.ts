// petstore keys set | pause | resume

import { type Command, InvalidArgumentError, Option } from 'commander';
import { parseScopes, SCOPES, type Scope } from '../../core/access/plans.ts';
import { PAUSE_RECHECK_AFTER_MS } from '../../core/limits/refusal-record.ts';
import { CliError, type CommandContext, type JsonOption, print, subcommand } from '../context.ts';
import { parseDuration } from '../quantity.ts';

interface SetOptions {
  name?: string;
  scopes?: readonly Scope[];
  /** In milliseconds; Infinity if the key never expires. */
  expires?: number;
  json?: boolean;
}

/** Adds the commands that change a key without rotating it. */
export function addKeyChangeCommands(keys: Command, context: CommandContext): void {
  subcommand(keys, 'set <keyId>', 'change the name, scopes or expiry of a key; the rest stays as it is')
    .option('--name <name>', 'display name')
    .addOption(new Option('--scopes <scopes>', 'comma-separated; replaces the scopes that the key has').argParser(toScopes))
    .option('--expires <duration>', 'lifetime from now on, such as 90d, or never', toLifetime)
    .action(async (keyId: string, { name, scopes, expires, json }: SetOptions) => {
      if (name === undefined && scopes === undefined && expires === undefined)
        throw new CliError('nothing to change; allowed: one or more of --name, --scopes, --expires');
      const lifetimeMs = expires === Number.POSITIVE_INFINITY ? null : expires;
      const key = await context.withOwner((owner) => owner.changeKey(keyId, { name, scopes, lifetimeMs }));
      const value = { keyId, name: key.name, scopes: key.scopes, expiresAt: key.expiresAt };
      print(context, json, value, () => `Key ${keyId}: ${key.name}, ${key.scopes.join(',')}, expires ${key.expiresAt ?? 'never'}`);
    });

  subcommand(keys, 'pause <keyId>', 'refuse requests with a key until it is resumed').action(async (keyId: string, { json }: JsonOption) => {
    const { pausedAt } = await context.withOwner((owner) => owner.changeKey(keyId, { paused: true }));
    print(context, json, { keyId, pausedAt }, () => `Key ${keyId} is paused; it works again after: petstore keys resume ${keyId}`);
  });

  const seconds = PAUSE_RECHECK_AFTER_MS / 1_000;
  subcommand(keys, 'resume <keyId>', `end a key's pause; takes effect within ${seconds} seconds`).action(
    async (keyId: string, { json }: JsonOption) => {
      await context.withOwner((owner) => owner.changeKey(keyId, { paused: false }));
      print(context, json, { keyId, pausedAt: null }, () => `Key ${keyId} works again within ${seconds} seconds`);
    },
  );
}

/** Parses an option with scopes. @throws InvalidArgumentError if one is unknown */
export function toScopes(text: string): readonly Scope[] {
  const scopes = parseScopes(text);
  if (scopes === undefined) throw new InvalidArgumentError(`allowed: ${SCOPES.join(',')} or one of them`);
  return scopes;
}

function toLifetime(text: string): number {
  return text === 'never' ? Number.POSITIVE_INFINITY : parseDuration(text);
}
