// petstore config get | put | edit

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import { configurationSchema } from '../../core/domains/configuration.ts';
import { validate } from '../../core/validate.ts';
import { CliError, type CommandContext, type JsonOption, print, subcommand, UsageError } from '../context.ts';
import type { Configuration } from '../owner/port.ts';

/** Adds `petstore config`. */
export function addConfigCommands(program: Command, context: CommandContext): void {
  const config = program.command('config').description("a project's domain settings as JSON: the primary domain, and redirects");

  subcommand(config, 'get <projectId>', 'print the configuration').action(async (projectId: string) => {
    const configuration = await context.withOwner((owner) => owner.getConfiguration(projectId));
    context.out(JSON.stringify(configuration, null, 2));
  });

  const shown = (projectId: string, { domains: { redirects } }: Configuration) =>
    `Project ${projectId}: ${redirects.length} ${redirects.length === 1 ? 'redirect' : 'redirects'}`;

  subcommand(config, 'put <projectId> <file>', 'replace the configuration; - reads standard input')
    .option('--base <file>', 'the output of config get before the change; refused if another client has changed it since')
    .action(async (projectId: string, file: string, { base, json }: JsonOption & { base?: string }) => {
      if (file === '-' && base === '-') throw new UsageError('only one of the two files can be standard input');
      const [value, read] = [await readJson(file), base === undefined ? undefined : await baseIn(base)];
      const configuration = await context.withOwner((owner) => owner.putConfiguration(projectId, value, read));
      print(context, json, configuration, () => shown(projectId, configuration));
    });

  subcommand(config, 'edit <projectId>', 'change the configuration in your editor, $VISUAL or $EDITOR').action(
    async (projectId: string, { json }: JsonOption) => {
      const editor = context.environment.VISUAL || context.environment.EDITOR;
      if (!editor) throw new CliError('neither VISUAL nor EDITOR names an editor; set one, or use config get and config put --base');
      const read = await context.withOwner((owner) => owner.getConfiguration(projectId));
      const file = join(mkdtempSync(join(tmpdir(), 'petstore-config-')), `${projectId}.json`);
      writeFileSync(file, `${JSON.stringify(read, null, 2)}\n`);
      const discard = () => rmSync(dirname(file), { recursive: true });
      await edit(editor, file).catch((error: unknown) => {
        discard();
        throw error;
      });
      // Until the configuration is stored, the user's work exists only in the file.
      const kept = (error: unknown): never => {
        throw new CliError(
          `${error instanceof Error ? error.message : error}\nYour version is in ${file}; read the configuration again before you put it there (petstore config get ${projectId})`,
        );
      };
      const store = async () => context.withOwner(async (owner) => owner.putConfiguration(projectId, await readJson(file), read));
      const configuration = await store().catch(kept);
      discard();
      print(context, json, configuration, () => shown(projectId, configuration));
    },
  );
}

/** Reads the configuration that a change is based on; missing values have the API's defaults. */
async function baseIn(file: string): Promise<Configuration> {
  const base = validate(configurationSchema, '--base', await readJson(file));
  if (!base.ok) throw new CliError(base.message);
  return base.value as Configuration;
}

/** Opens a file in an editor, and waits until it is closed. @param editor a command with arguments, for the shell */
async function edit(editor: string, file: string): Promise<void> {
  const child = spawn('sh', ['-c', `${editor} "$1"`, 'sh', file], { stdio: 'inherit' });
  const [code, signal] = await once(child, 'exit');
  if (code !== 0) throw new CliError(`${editor} ended with ${code ?? signal}; nothing was changed`);
}

async function readJson(file: string): Promise<unknown> {
  try {
    return JSON.parse(file === '-' ? await text(process.stdin) : readFileSync(file, 'utf8'));
  } catch (error) {
    throw new CliError(`${file === '-' ? 'standard input' : file}: ${error instanceof Error ? error.message : error}`);
  }
}
