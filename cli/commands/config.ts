// petstore config get | put

import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { parseConfiguration } from '../../core/domains/configuration.ts';
import { isServed } from '../../core/domains/domain.ts';
import { redirectProblems } from '../../core/domains/redirects.ts';
import { CliError, type CommandContext, print, subcommand } from '../context.ts';
import { namePolicy } from './domains.ts';
import { projectOf } from './projects.ts';

export function addConfigCommands(program: Command, context: CommandContext): void {
  const config = program.command('config').description("a project's domains as JSON: the primary one, and redirects");

  subcommand(config, 'get <projectId>', 'print the configuration').action(async (projectId: string) => {
    const { configuration } = await context.withFolder((folder) => projectOf(folder, projectId));
    context.out(JSON.stringify(configuration, null, 2));
  });

  subcommand(config, 'put <projectId> <file>', 'replace the configuration; - reads standard input').action(
    async (projectId: string, file: string, { json }: { json?: boolean }) => {
      const value = readJson(file);
      const configuration = await context.withFolder(async (folder) => {
        await projectOf(folder, projectId);
        const parsed = parseConfiguration(value, namePolicy(folder.settings));
        if (!parsed.ok) throw problems(parsed.problems);
        const domains = await folder.domains.listDomains(projectId);
        const live = new Set(domains.filter(({ state }) => isServed(state)).map(({ host }) => host));
        const { primary, redirects } = parsed.configuration.domains;
        const wrong = [
          ...(primary === undefined || live.has(primary) ? [] : [`domains.primary: got ${primary}; allowed: a domain of this project that is live`]),
          ...redirectProblems(redirects, new Set(domains.map(({ host }) => host)), live),
        ];
        if (wrong.length > 0) throw problems(wrong);
        await folder.projects.putConfiguration(projectId, parsed.configuration);
        return parsed.configuration;
      });
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

function problems(lines: readonly string[]): CliError {
  return new CliError(`the configuration was not changed:\n${lines.map((line) => `  ${line}`).join('\n')}`);
}
