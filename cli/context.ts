// What commands work with, and the parts that they share.

import { type Command, InvalidArgumentError, Option } from 'commander';
import type { KeyMode } from '../core/access/api-key.ts';
import type { RandomBytes } from '../core/access/base62.ts';
import { MAX_LIMIT, PLAN_NAMES } from '../core/access/plans.ts';
import type { ActionResult } from '../core/refusal.ts';
import type { DataFolder } from '../platforms/embedded/folder.ts';
import type { openStores, StageName } from '../platforms/open.ts';
import type { Platform } from '../platforms/platform.ts';

export interface CommandContext {
  /** Opens the stores for the work, and closes them whatever comes of it. */
  withStores<T>(work: (stores: Awaited<ReturnType<typeof openStores>>) => Promise<T>): Promise<T>;
  /** Opens what projects and domains need for the work, and closes it whatever comes of it. */
  withPlatform<T>(work: (platform: Platform) => Promise<T>): Promise<T>;
  /** Opens the data folder for the work, and closes it whatever comes of it. A stage on AWS is refused. */
  withFolder<T>(work: (folder: DataFolder) => Promise<T>): Promise<T>;
  /** The stage on AWS to work on; undefined: the data folder. */
  stage(): StageName | undefined;
  /** What a new key says of the store that it opens. */
  keyMode(): KeyMode;
  readonly randomBytes: RandomBytes;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** Writes a line to standard output. */
  readonly out: (line: string) => void;
  /** Writes a line to standard error. */
  readonly err: (line: string) => void;
}

/** A command that could not do what was asked, for a reason that its user can act on. */
export class CliError extends Error {
  override readonly name = 'CliError';
}

/** What an action gave, or its refusal as what the user is told. */
export function done<T>(result: ActionResult<T>): T {
  if (!result.ok) throw new CliError(result.message);
  return result;
}

/** A subcommand with `--json`. */
export function subcommand(parent: Command, nameAndArguments: string, description: string): Command {
  return parent.command(nameAndArguments).description(description).option('--json', 'print JSON instead of text');
}

/** `--plan` with its agreed limits. */
export function addPlanOptions(command: Command): Command {
  return command
    .addOption(new Option('--plan <plan>', 'plan of the account').choices(PLAN_NAMES).makeOptionMandatory())
    .option('--per-minute <n>', 'requests a minute; plan enterprise only', parseLimit)
    .option('--per-day <n>', 'requests a day; plan enterprise only', parseLimit);
}

/** Prints the value as JSON, or the text of it. */
export function print(context: CommandContext, json: boolean | undefined, value: unknown, text: () => string): void {
  context.out(json ? JSON.stringify(value) : text());
}

/** Rows in aligned columns under a head; `none` if there are no rows. */
export function table(head: readonly string[], rows: readonly (readonly string[])[], none: string): string {
  if (rows.length === 0) return none;
  const lines = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** A moment as people and programs read it. */
export function isoTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

function parseLimit(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < 1 || value > MAX_LIMIT) throw new InvalidArgumentError(`allowed: an integer from 1 to ${MAX_LIMIT}`);
  return value;
}
