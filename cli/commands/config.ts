// petstore config get | put

import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { CliError, type CommandContext, print, subcommand } from '../context.ts';

/** Adds `petstore config`. */
export function addConfigCommands(program: Command, context: CommandContext): void {
  const config = program.command('config').description("a project's domain settings as JSON: the primary domain, and redirects");

  subcommand(config, 'get <projectId>', 'print the configuration').action(async (projectId: string) => {
    const configuration = await context.withOwner((owner) => owner.getConfiguration(projectId));
    context.out(JSON.stringify(configuration, null, 2));
  });

  subcommand(config, 'put <projectId> <file>', 'replace the configuration; - reads standard input').action(
    async (projectId: string, file: string, { json }: { json?: boolean }) => {
      const value = readJson(file);
      const configuration = await context.withOwner((owner) => owner.putConfiguration(projectId, value));
      print(context, json, configuration, () => `Project ${projectId}: ${configuration.domains.redirects.length} redirects`);
    },
  );
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file === '-' ? 0 : file, 'utf8'));
  } catch (error) {
    throw new CliError(`${file}: ${error instanceof Error ? error.message : error}`);
  }
}
