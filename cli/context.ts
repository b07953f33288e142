// The context of commands, and helpers that they share.

import { type Command, InvalidArgumentError, Option } from 'commander';
import type { RandomBytes } from '../core/access/base62.ts';
import { MAX_LIMIT, PLAN_NAMES } from '../core/access/plans.ts';
import type { ActionRefusal, ActionResult } from '../core/refusal.ts';
import { printable } from '../core/text.ts';
import { type StageName, stageNameProblem } from '../platforms/aws/stage-name.ts';
import type { DataFolder } from '../platforms/embedded/folder.ts';
import type { Settings } from '../platforms/embedded/settings.ts';
import type { CommandStores } from '../platforms/platform.ts';
import type { OwnerPort } from './owner/port.ts';

export interface CommandContext {
  /** Opens the stores, runs the work, and always closes them. */
  withStores<T>(work: (stores: CommandStores) => Promise<T>): Promise<T>;
  /** Runs the work of an owner's command on the stores or, with `--url`, through the control API. Always closes what it opened. */
  withOwner<T>(work: (owner: OwnerPort) => Promise<T>): Promise<T>;
  /** Opens the data folder, runs the work, and always closes it. Rejects if a stage on AWS is selected. */
  withFolder<T>(work: (folder: DataFolder) => Promise<T>): Promise<T>;
  /** Returns the settings of the service on this machine. @throws PlatformError if they are invalid; CliError if a stage or an address is selected */
  settings(): Settings;
  /** Returns the origin given by `--url`; undefined without it. */
  url(): string | undefined;
  /** Returns the stage on AWS to work on; undefined for the data folder. */
  stage(): StageName | undefined;
  /** Whether a service checks and removes domains. False only if the commands work on a data folder whose service is stopped. */
  servesDomains(): boolean;
  readonly environment: NodeJS.ProcessEnv;
  readonly randomBytes: RandomBytes;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** Writes a line to standard output. */
  readonly out: (line: string) => void;
  /** Writes a line to standard error. */
  readonly err: (line: string) => void;
  /** Sets the command's outcome, if it is not `done`. */
  readonly endWith: (how: Exclude<keyof typeof EXIT_CODES, 'done'>) => void;
}

/** How commands end; docs/command-line.md explains each. */
export const EXIT_CODES = { done: 0, failed: 1, usage: 2, unfinished: 3, timedOut: 4 } as const;
export type ExitCode = (typeof EXIT_CODES)[keyof typeof EXIT_CODES];

/** Thrown if a command could not be completed, for a reason that its user can fix. */
export class CliError extends Error {
  override readonly name: string = 'CliError';
}

/** The options contradict each other. */
export class UsageError extends CliError {
  override readonly name = 'UsageError';
}

/** Returns the origin given by `--url`. @throws UsageError without it */
export function installationOf(context: Pick<CommandContext, 'url'>): string {
  const url = context.url();
  if (url === undefined) throw new UsageError('name the installation: petstore --url https://pets.example.com login');
  return url;
}

/** Returns an action's result. @throws CliError with the message of a refusal */
export function resultOf<T>(result: ActionResult<T>): T {
  if (!result.ok) throw refusalError(result);
  return result;
}

/** Creates the error for a refusal, with the command that resolves it. */
export function refusalError({ message, atCommandLine = '' }: ActionRefusal): CliError {
  return new CliError(`${printable(message)}${atCommandLine}`);
}

/** The option of all subcommands. */
export interface JsonOption {
  readonly json?: boolean;
}

/** Adds a subcommand with `--json`. */
export function subcommand(parent: Command, nameAndArguments: string, description: string): Command {
  return parent.command(nameAndArguments).description(description).option('--json', 'print JSON instead of text');
}

/** Adds `--plan` and the options for agreed limits. */
export function addPlanOptions(command: Command): Command {
  return addLimitOptions(command.addOption(new Option('--plan <plan>', 'plan of the account').choices(PLAN_NAMES).makeOptionMandatory()));
}

/** Adds the options for agreed limits. */
export function addLimitOptions(command: Command): Command {
  return command
    .option('--per-minute <n>', 'requests a minute; only for the enterprise plan', parseLimit)
    .option('--per-day <n>', 'requests a day; only for the enterprise plan', parseLimit);
}

/** Prints the value as JSON, or as text. */
export function print(context: CommandContext, json: boolean | undefined, value: unknown, text: () => string): void {
  context.out(json ? JSON.stringify(value) : text());
}

/** Formats rows in aligned columns under a header; returns `none` if there are no rows. */
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

/** Formats a size in the largest unit in which it is at least 1. */
export function size(bytes: number): string {
  const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];
  const at = bytes < 1 ? 0 : Math.min(Math.floor(Math.log2(bytes) / 10), units.length - 1);
  return `${at === 0 ? bytes : (bytes / 1024 ** at).toFixed(1)} ${units[at]}`;
}

/** Formats a time as ISO 8601 in UTC. */
export function isoTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

/** Parses a quota. @throws InvalidArgumentError that says what is allowed */
function parseLimit(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < 1 || value > MAX_LIMIT) throw new InvalidArgumentError(`allowed: an integer from 1 to ${MAX_LIMIT}`);
  return value;
}

/** Parses the name of a stage. @throws InvalidArgumentError that says what is allowed */
export function toStageName(text: string): StageName {
  const allowed = stageNameProblem(text);
  if (allowed !== undefined) throw new InvalidArgumentError(`allowed: ${allowed}`);
  return text;
}
