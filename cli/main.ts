// `petstore`: accounts, keys, animals, projects and domains from a terminal. It works on the data folder, also while the server runs.

import { randomBytes } from 'node:crypto';
import { Command, CommanderError, Option } from 'commander';
import { StoreFault } from '../core/store-fault.ts';
import { openFolder, openPlatform, openStores, STAGES } from '../platforms/open.ts';
import { PlatformError } from '../platforms/platform.ts';
import { CliError, type CommandContext } from './context.ts';

/** 0: done; 1: could not be done; 2: the command line is wrong. */
const EXIT_FAILED = 1;
const EXIT_USAGE = 2;

// What a command writes into the data folder is for its owner alone, from the first byte.
process.umask(0o077);

type AddCommands = (program: Command, context: CommandContext) => void;

/** Loaded when they are asked for: what all of them need takes longer to load than most commands take. */
const COMMANDS: Readonly<Record<string, () => Promise<AddCommands>>> = {
  accounts: async () => (await import('./commands/accounts.ts')).addAccountCommands,
  users: async () => (await import('./commands/users.ts')).addUserCommands,
  dashboard: async () => (await import('./commands/dashboard.ts')).addDashboardCommands,
  keys: async () => (await import('./commands/keys.ts')).addKeyCommands,
  usage: async () => (await import('./commands/usage.ts')).addUsageCommand,
  pets: async () => (await import('./commands/pets.ts')).addPetCommands,
  projects: async () => (await import('./commands/projects.ts')).addProjectCommands,
  domains: async () => (await import('./commands/domains.ts')).addDomainCommands,
  config: async () => (await import('./commands/config.ts')).addConfigCommands,
  'sandbox-dns': async () => (await import('./commands/sandbox-dns.ts')).addSandboxDnsCommands,
};

/** Those of the one command that is named, or all of them, for help and for what is not known. */
function commandsFor(args: readonly string[]): Promise<readonly AddCommands[]> {
  const [first = '', , third = ''] = args;
  const load = COMMANDS[first === '--stage' ? third : first];
  return Promise.all(load === undefined ? Object.values(COMMANDS).map((each) => each()) : [load()]);
}

const program = new Command('petstore')
  .description(
    'Accounts, API keys, animals, projects and domains of the petstore, in the data folder PETSTORE_DATA (default .petstore) or of a stage on AWS.',
  )
  .addOption(new Option('--stage <stage>', 'work on the tables of this stage on AWS').choices(STAGES))
  .exitOverride()
  .showHelpAfterError('(--help shows what is allowed)');

const context: CommandContext = {
  withStores: async (work) => {
    const stores = await openStores(process.env, program.opts().stage);
    try {
      return await work(stores);
    } finally {
      stores.close();
    }
  },
  withPlatform: async (work) => {
    const platform = await openPlatform(process.env, program.opts().stage);
    try {
      return await work(platform);
    } finally {
      platform.close();
    }
  },
  withFolder: async (work) => {
    if (program.opts().stage !== undefined)
      throw new CliError(`--stage ${program.opts().stage}: the sandbox is on this machine alone; set the record at your DNS provider`);
    const folder = openFolder(process.env);
    try {
      return await work(folder);
    } finally {
      folder.close();
    }
  },
  stage: () => program.opts().stage,
  keyMode: () => (program.opts().stage === 'production' ? 'live' : 'test'),
  randomBytes,
  clock: Date.now,
  out: (line) => process.stdout.write(`${line}\n`),
  err: (line) => process.stderr.write(`${line}\n`),
};

for (const add of await commandsFor(process.argv.slice(2))) add(program, context);

try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = report(error);
}

function report(error: unknown): number {
  // Commander has printed the help or what is wrong already.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT_USAGE;
  if (!(error instanceof CliError) && !(error instanceof PlatformError) && !(error instanceof StoreFault)) throw error;
  const json = process.argv.includes('--json');
  context.err(json ? JSON.stringify({ error: error.message }) : `petstore: ${error.message}`);
  return EXIT_FAILED;
}
