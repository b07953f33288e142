// `petstore`: manages accounts, keys, animals, projects and domains from a terminal. It works on the data folder, even while the server is running.

import { randomBytes } from 'node:crypto';
import { hostname, userInfo } from 'node:os';
import { Command, CommanderError, Option } from 'commander';
import type { Actor } from '../core/audit/entry.ts';
import { StoreFault } from '../core/refusal.ts';
import { isServiceRunning, openFolder, openPlatform, openStores, readSettings, stopOfChanges } from '../platforms/open.ts';
import { PlatformError } from '../platforms/platform.ts';
import { VERSION } from '../platforms/version.ts';
import { type AddCommands, COMMANDS } from './commands.ts';
import { CliError, type CommandContext, EXIT_CODES, type ExitCode, toStageName, UsageError } from './context.ts';
import type { OwnerPort } from './owner/port.ts';
import { originOf } from './remote/installation.ts';

// Makes files that a command creates in the data folder readable only by their owner.
process.umask(0o077);

/** `help domains add` helps with that command, and not with `domains`. */
function asHelp([first, ...rest]: readonly string[]): readonly string[] {
  return first === 'help' && rest.length > 1 ? [...rest, '--help'] : first === undefined ? [] : [first, ...rest];
}

/** Commands that are about all others. */
const ABOUT_ALL: readonly string[] = ['completion', 'man'];

/** Loads the named command, or all of them for help, for what is about all, and for unknown commands. */
function commandsFor(args: readonly string[]): Promise<readonly AddCommands[]> {
  const [first = '', , third = ''] = args;
  const name = ['--stage', '--url'].includes(first) ? third : first;
  const load = ABOUT_ALL.includes(name) ? undefined : COMMANDS[name];
  return Promise.all(load === undefined ? Object.values(COMMANDS).map((each) => each()) : [load()]);
}

const program = new Command('petstore')
  .description(
    'Accounts, API keys, animals, projects and domains of the petstore, in the data folder PETSTORE_DATA (default .petstore) or on a stage on AWS.',
  )
  .addOption(new Option('--stage <stage>', 'work on the tables of this stage on AWS, such as staging').argParser(toStageName))
  .addOption(
    new Option('--url <url>', 'work on the installation with this address, as the user who signed in there with petstore login')
      .argParser(toOrigin)
      .conflicts('stage'),
  )
  .version(VERSION)
  .exitOverride()
  .showHelpAfterError('(run with --help for usage)');

/** Who runs the command, for the audit log. */
function operator(): Actor {
  return { kind: 'operator', id: `${nameOfUser()}@${hostname()}` };
}

/** A user id of a container may have no name. */
function nameOfUser(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? 'unknown');
  }
}

const context: CommandContext = {
  withStores: async (work) => {
    refuseUrl();
    const stores = await openStores(process.env, program.opts().stage, operator);
    try {
      return await work(stores);
    } finally {
      await stores.close();
    }
  },
  withOwner: async (work) => {
    const url = program.opts().url;
    if (url !== undefined) return work(await openRemote(url));
    const { createOperator } = await import('./owner/operator.ts');
    const { stage } = program.opts();
    const port = createOperator({
      openStores: () => openStores(process.env, stage, operator),
      openPlatform: () => openPlatform(process.env, stage, operator),
      randomBytes,
      clock: Date.now,
    });
    try {
      return await work(port);
    } finally {
      await port.close();
    }
  },
  withFolder: async (work) => {
    refuseUrl();
    if (program.opts().stage !== undefined)
      throw new CliError(
        `--stage ${program.opts().stage}: users and the sandbox exist on one machine only; on AWS, users are in Cognito and records are set at the DNS provider`,
      );
    const folder = await openFolder(process.env, operator);
    try {
      return await work(folder);
    } finally {
      await folder.close();
    }
  },
  settings: () => {
    refuseUrl();
    if (program.opts().stage !== undefined)
      throw new CliError(
        `--stage ${program.opts().stage}: this command works on a data folder; on AWS, the data is in DynamoDB and S3 (docs/aws/restore.md)`,
      );
    return readSettings(process.env);
  },
  stage: () => program.opts().stage,
  url: () => program.opts().url,
  servesDomains: () => {
    const { stage, url } = program.opts();
    return stage !== undefined || url !== undefined || isServiceRunning(process.env);
  },
  randomBytes,
  clock: Date.now,
  out: (line) => process.stdout.write(`${line}\n`),
  err: (line) => process.stderr.write(`${line}\n`),
  endWith: (how) => {
    process.exitCode = EXIT_CODES[how];
  },
};

const args = asHelp(process.argv.slice(2));
for (const add of await commandsFor(args)) add(program, context);

try {
  await program.parseAsync(args, { from: 'user' });
} catch (error) {
  process.exitCode = report(error);
}

/** The control API at an address, with the token that the environment or the sign-in gives. */
async function openRemote(origin: string): Promise<OwnerPort> {
  const [{ createRemote }, { createControlApi }, { bearerFor }] = await Promise.all([
    import('./owner/remote.ts'),
    import('./remote/control-api.ts'),
    import('./remote/bearer.ts'),
  ]);
  return createRemote(createControlApi(origin, bearerFor(origin, process.env, Date.now)));
}

function refuseUrl(): void {
  if (program.opts().url !== undefined)
    throw new CliError('--url: this command is for operators; it works on the data folder, or with --stage on a stage on AWS');
}

function toOrigin(text: string): string {
  return originOf(text);
}

function report(error: unknown): ExitCode {
  // Commander has already printed the help or the error.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT_CODES.done : EXIT_CODES.usage;
  if (!(error instanceof CliError) && !(error instanceof PlatformError) && !(error instanceof StoreFault)) throw error;
  const json = process.argv.includes('--json');
  const { stage, url } = program.opts();
  const message = (error instanceof StoreFault && stage === undefined && url === undefined && stopOfChanges(process.env)) || error.message;
  context.err(json ? JSON.stringify({ error: message }) : `petstore: ${message}`);
  return error instanceof UsageError ? EXIT_CODES.usage : EXIT_CODES.failed;
}
