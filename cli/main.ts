// `petstore`: manages an installation from a terminal: a data folder (even while its server is running), a stage on AWS, or the one at a URL.

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

/** Makes `help domains add` show the help of that command, not of `domains`. */
function asHelp([first, ...rest]: readonly string[]): readonly string[] {
  return first === 'help' && rest.length > 1 ? [...rest, '--help'] : first === undefined ? [] : [first, ...rest];
}

const ABOUT_ALL: readonly string[] = ['completion', 'man'];

/** Loads the named command. Loads all commands for help, for commands that need all, and for unknown commands. */
function commandsFor(args: readonly string[]): Promise<readonly AddCommands[]> {
  const [first = '', , third = ''] = args;
  const name = ['--stage', '--url'].includes(first) ? third : first;
  const load = ABOUT_ALL.includes(name) ? undefined : COMMANDS[name];
  return Promise.all(load === undefined ? Object.values(COMMANDS).map((each) => each()) : [load()]);
}

/** Returns who runs the command, for the audit log. */
function operator(): Actor {
  return { kind: 'operator', id: `${nameOfUser()}@${hostname()}` };
}

/** Returns the user's name, or the user id if it has no name, as may be the case in a container. */
function nameOfUser(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? 'unknown');
  }
}

/** Where a command runs. */
export interface Surroundings {
  readonly environment: NodeJS.ProcessEnv;
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
}

/** Runs a command. @param given the arguments after `petstore` */
export async function run(given: readonly string[], surroundings: Surroundings): Promise<ExitCode> {
  let exitCode: ExitCode = EXIT_CODES.done;
  const isJson = given.includes('--json');
  const program = createProgram(surroundings, isJson);
  const context = createContext(program, surroundings, (how) => {
    exitCode = EXIT_CODES[how];
  });
  const args = asHelp(given);
  for (const add of await commandsFor(args)) add(program, context);
  try {
    await program.parseAsync(args, { from: 'user' });
    return exitCode;
  } catch (error) {
    const fail = (message: string) => context.err(isJson ? JSON.stringify({ error: message }) : `petstore: ${message}`);
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return EXIT_CODES.done;
      // Otherwise, Commander has already printed the help or the error.
      if (isJson) fail(error.message.replace(/^error: /, ''));
      return EXIT_CODES.usage;
    }
    if (!(error instanceof CliError) && !(error instanceof PlatformError) && !(error instanceof StoreFault)) throw error;
    const { stage, url } = program.opts();
    const isLocal = stage === undefined && url === undefined;
    const message = (error instanceof StoreFault && isLocal && stopOfChanges(surroundings.environment)) || error.message;
    fail(message);
    return error instanceof UsageError ? EXIT_CODES.usage : EXIT_CODES.failed;
  }
}

/** @param isJson whether errors are printed as JSON, and not by Commander */
function createProgram({ stdout, stderr }: Surroundings, isJson: boolean): Command {
  return new Command('petstore')
    .description(
      'Accounts, API keys, animals, projects and domains of the petstore, in the data folder PETSTORE_DATA (default .petstore) or on a stage on AWS.',
    )
    .addOption(new Option('--stage <stage>', 'work on the tables of this stage on AWS, such as staging').argParser(toStageName))
    .addOption(
      new Option('--url <url>', 'work on the installation with this address, as the user who signed in there with petstore login')
        .argParser(originOf)
        .conflicts('stage'),
    )
    .version(VERSION)
    .exitOverride()
    .configureOutput({ writeOut: (text) => void stdout.write(text), writeErr: (text) => void (isJson || stderr.write(text)) })
    .showHelpAfterError('(run with --help for usage)');
}

function createContext(program: Command, { environment, stdout, stderr }: Surroundings, endWith: CommandContext['endWith']): CommandContext {
  const refuseUrl = () => {
    if (program.opts().url !== undefined)
      throw new CliError('--url: this command is for operators; it works on the data folder, or with --stage on a stage on AWS');
  };
  /** @throws CliError if a URL or a stage is selected. @param why the reason: what a stage has instead */
  const refuseElsewhere = (why: string) => {
    refuseUrl();
    const { stage } = program.opts();
    if (stage !== undefined) throw new CliError(`--stage ${stage}: ${why}`);
  };
  return {
    withStores: async (work) => {
      refuseUrl();
      const stores = await openStores(environment, program.opts().stage, operator);
      return work(stores).finally(stores.close);
    },
    withOwner: async (work) => {
      const { stage, url } = program.opts();
      if (url !== undefined) return work(await openRemote(url, environment));
      const { createOperator } = await import('./owner/operator.ts');
      const port = createOperator({
        openStores: () => openStores(environment, stage, operator),
        openPlatform: () => openPlatform(environment, stage, operator),
        randomBytes,
        clock: Date.now,
      });
      return work(port).finally(port.close);
    },
    withFolder: async (work) => {
      refuseElsewhere('this command works on a data folder; on AWS, users are in Cognito and records are set at the DNS provider');
      const folder = await openFolder(environment, operator);
      return work(folder).finally(folder.close);
    },
    settings: () => {
      refuseElsewhere('this command works on a data folder; on AWS, the data is in DynamoDB and S3 (docs/aws/restore.md)');
      return readSettings(environment);
    },
    stage: () => program.opts().stage,
    url: () => program.opts().url,
    servesDomains: () => {
      const { stage, url } = program.opts();
      return stage !== undefined || url !== undefined || isServiceRunning(environment);
    },
    environment,
    randomBytes,
    clock: Date.now,
    out: (line) => stdout.write(`${line}\n`),
    err: (line) => stderr.write(`${line}\n`),
    endWith,
  };
}

/** Opens the control API at a URL, with the token from the environment or the sign-in. */
async function openRemote(origin: string, environment: NodeJS.ProcessEnv): Promise<OwnerPort> {
  const [{ createRemote }, { createControlApi }, { bearerFor }] = await Promise.all([
    import('./owner/remote.ts'),
    import('./remote/control-api.ts'),
    import('./remote/bearer.ts'),
  ]);
  return createRemote(createControlApi(origin, bearerFor(origin, environment, Date.now)));
}
