// petstore keys issue | list | rotate | revoke | unban; commands that change a key are in key-changes.ts

import { type Command, Option } from 'commander';
import { accountIdOfKeyId } from '../../core/access/api-key.ts';
import { SCOPES, type Scope } from '../../core/access/plans.ts';
import { type CommandContext, type JsonOption, print, subcommand, table } from '../context.ts';
import { confirmLoss, irreversible, type LossOptions } from '../losses.ts';
import type { KeyRow } from '../owner/port.ts';
import { parseDuration } from '../quantity.ts';
import { addKeyChangeCommands, toScopes } from './key-changes.ts';

interface IssueOptions {
  account: string;
  name: string;
  scopes: readonly Scope[];
  expires?: number;
  json?: boolean;
}

/** Adds `petstore keys`. */
export function addKeyCommands(program: Command, context: CommandContext): void {
  const keys = program.command('keys').description('issue, change, pause, rotate, revoke and unban API keys');

  subcommand(keys, 'issue', 'issue a key; it is shown only once')
    .requiredOption('--account <id>', 'account that the key belongs to')
    .option('--name <name>', 'display name', 'key')
    .addOption(new Option('--scopes <scopes>', 'comma-separated').argParser(toScopes).default(SCOPES, SCOPES.join(',')))
    .option('--expires <duration>', 'lifetime, such as 90d; default: unlimited', parseDuration)
    .action(async ({ account, name, scopes, expires, json }: IssueOptions) => {
      const { keyId, key } = await context.withOwner((owner) => owner.issueKey({ accountId: account, name, scopes, lifetimeMs: expires }));
      print(context, json, { keyId, key }, () => `Issued key ${keyId}. Its text is shown only once:\n  ${key}`);
    });

  subcommand(keys, 'list', "list an account's keys")
    .requiredOption('--account <id>', 'account')
    .option('--revoked', 'list the keys revoked within the last 90 days instead, and who revoked them')
    .action(async ({ account, revoked = false, json }: JsonOption & { account: string; revoked?: boolean }) => {
      if (revoked) return listRevoked(context, account, json);
      const rows = await context.withOwner((owner) => owner.listKeys(account));
      print(context, json, rows, () =>
        table(
          ['KEY', 'NAME', 'TEXT', 'SCOPES', 'STATE', 'CREATED', 'CREATED BY', 'EXPIRES', 'LAST USED'],
          rows.map((key) => [
            key.keyId,
            key.name,
            key.hint ?? '-',
            key.scopes.join(','),
            stateText(key),
            key.createdAt,
            actorText(key.createdBy),
            key.expiresAt ?? 'never',
            key.lastUsedAt ?? 'never',
          ]),
          `No keys. Issue one: petstore keys issue --account ${account}`,
        ),
      );
    });

  subcommand(keys, 'rotate <keyId>', 'issue a successor, and let the key expire after a grace period')
    .addOption(
      new Option('--grace <duration>', 'how long both keys are valid; 0s stops the old one immediately')
        .argParser(parseDuration)
        .default(parseDuration('24h'), '24h'),
    )
    .action(async (keyId: string, { grace, json }: JsonOption & { grace: number }) => {
      const { keyId: newId, key, oldExpiresAt, bannedUntil } = await context.withOwner((owner) => owner.rotateKey(keyId, grace));
      const value = { keyId: newId, key, oldKeyId: keyId, oldExpiresAt, bannedUntil };
      print(context, json, value, () =>
        [
          `Key ${value.keyId}, shown only once:\n  ${value.key}`,
          `The old key ${keyId} is valid until ${oldExpiresAt}`,
          ...(bannedUntil === null
            ? []
            : [`It inherits the old key's ban, until ${bannedUntil}; to lift the ban: petstore keys unban ${value.keyId}`]),
        ].join('\n'),
      );
    });

  irreversible(keys, 'revoke <keyId>', 'revoke a key, with immediate effect').action(async (keyId: string, options: LossOptions) => {
    const isDone = await context.withOwner(async (owner) => {
      const accountId = accountIdOfKeyId(keyId) ?? '';
      const lossOf = async () => {
        const key = accountId === '' ? undefined : (await owner.listKeys(accountId)).find((each) => each.keyId === keyId);
        if (key === undefined) return `there is no key ${JSON.stringify(keyId)} that is not revoked`;
        return { deed: `revoke key ${keyId} (${key.name})`, name: key.name, goes: { lastUsed: [key.lastUsedAt ?? 'never'] } };
      };
      if (!(await confirmLoss(context, options, lossOf))) return false;
      try {
        await owner.revokeKey(keyId);
      } catch (error) {
        // Repeating the command is not an error if the key is already revoked.
        if (accountId === '' || !(await owner.listRevokedKeys(accountId)).some((each) => each.keyId === keyId)) throw error;
      }
      return true;
    });
    if (isDone) print(context, options.json, { keyId, revoked: true }, () => `Key ${keyId} is revoked`);
  });

  addKeyChangeCommands(keys, context);
  addUnbanCommand(keys, context);
}

async function listRevoked(context: CommandContext, account: string, json: boolean | undefined): Promise<void> {
  const rows = await context.withOwner((owner) => owner.listRevokedKeys(account));
  print(context, json, rows, () =>
    table(
      ['KEY', 'NAME', 'TEXT', 'SCOPES', 'CREATED', 'LAST USED', 'REVOKED', 'REVOKED BY'],
      rows.map((key) => [
        key.keyId,
        key.name,
        key.hint ?? '-',
        key.scopes.join(','),
        key.createdAt,
        key.lastUsedAt ?? 'never',
        key.revokedAt,
        actorText(key.revokedBy),
      ]),
      'No keys were revoked within the last 90 days.',
    ),
  );
}

function stateText({ state, pausedAt, bannedUntil, successorId, expiresSoon }: KeyRow): string {
  if (pausedAt !== null) return `paused since ${pausedAt}`;
  if (bannedUntil !== null) return `banned until ${bannedUntil}`;
  if (successorId !== null) return `${state}, replaced by ${successorId}`;
  return expiresSoon ? `${state}, expires soon` : state;
}

function actorText(actor: KeyRow['createdBy']): string {
  return actor === null ? '-' : (actor.email ?? actor.userId ?? 'operator');
}

function addUnbanCommand(keys: Command, context: CommandContext): void {
  subcommand(keys, 'unban <keyId>', "lift a key's ban; takes effect within a minute").action(async (keyId: string, { json }: JsonOption) => {
    const { wasBannedUntil } = await context.withOwner((owner) => owner.unbanKey(keyId));
    print(
      context,
      json,
      { keyId, unbanned: true, wasBannedUntil },
      () => `Key ${keyId} is no longer banned; the ban would have ended at ${wasBannedUntil}`,
    );
  });
}
