// Commands that can't be undone: each shows what will be deleted, and asks for confirmation.

import { createInterface } from 'node:readline/promises';
import type { Command } from 'commander';
import { CliError, type CommandContext, print, subcommand, UsageError } from './context.ts';

/** The options of a command that can't be undone. */
export interface LossOptions {
  readonly yes?: boolean;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

export interface Loss {
  /** What the command does, such as `delete account acc_8sK2mPq4Zt (Corner Shop)`. */
  readonly deed: string;
  /** What the user types to confirm the command: the name by which people know what will be deleted. */
  readonly name: string;
  /** What else is deleted, by kind. `--json` prints it unchanged; for people, it is put into words. @default nothing */
  readonly goes?: Readonly<Record<string, readonly string[]>>;
}

/** Maximum number of names shown to people for each kind; `--json` has all. */
const MOST_SHOWN = 20;

/** Adds a subcommand that can't be undone. */
export function irreversible(parent: Command, nameAndArguments: string, description: string): Command {
  return subcommand(parent, nameAndArguments, `${description}; this can't be undone`)
    .option('--yes', "don't ask")
    .option('--dry-run', 'only list what would be deleted');
}

/**
 * Shows what will be deleted, and asks for confirmation.
 *
 * @param lossOf looks up what will be deleted, or why the command will be refused
 * @returns whether to continue; false with `--dry-run`, whose output is then complete
 * @throws UsageError without a terminal; CliError if the answer is another name
 */
export async function confirmLoss(
  context: CommandContext,
  { yes, dryRun, json }: LossOptions,
  lossOf: () => Promise<Loss | string> | Loss,
): Promise<boolean> {
  const loss = yes === true && dryRun !== true ? undefined : await lossOf();
  if (typeof loss === 'string' && dryRun === true) throw new CliError(`--dry-run: nothing would be deleted: ${loss}`);
  if (loss === undefined || typeof loss === 'string') return true;
  const { deed, name, goes = {} } = loss;
  const kinds = Object.entries(goes).filter(([, all]) => all.length > 0);
  const lines = kinds.map(([kind, all]) => `  ${wordsOf(kind)}: ${shownOf(all)}`);
  if (dryRun === true) {
    print(context, json, { dryRun: true, deed, ...Object.fromEntries(kinds) }, () => [`Would ${deed}`, ...lines].join('\n'));
    return false;
  }
  if (json !== true) for (const line of [`This will ${deed}. It can't be undone.`, ...lines]) context.err(line);
  if (json === true || !process.stdin.isTTY) throw new UsageError('--yes: missing; without a terminal, or with --json, no question can be asked');
  const questions = createInterface({ input: process.stdin, output: process.stderr });
  // The end of the input and Ctrl+C don't count as answers.
  const answer = await questions
    .question(`Type ${name} to continue: `)
    .catch(() => '')
    .finally(() => questions.close());
  if (answer.trim() !== name.trim()) throw new CliError('the name does not match; nothing was changed');
  return true;
}

/** Returns `served domains` for `servedDomains`. */
function wordsOf(kind: string): string {
  return kind.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

function shownOf(all: readonly string[]): string {
  const more = all.length - MOST_SHOWN;
  return [...all.slice(0, MOST_SHOWN), ...(more > 0 ? [`and ${more} more`] : [])].join(', ');
}
