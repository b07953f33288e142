// The table of all commands in docs/reference/commands.md, from the descriptions that `--help` shows.

import { Command } from 'commander';
import { COMMANDS } from '../cli/commands.ts';
import type { CommandContext } from '../cli/context.ts';

const program = new Command('petstore');
for (const load of Object.values(COMMANDS)) (await load())(program, {} as CommandContext);

/** Returns a row for each command that does something: what it takes, and what it does. */
export function commandsTable(): string {
  return ['| command | options | |\n', '| --- | --- | --- |\n', ...program.commands.flatMap((each) => rows(each, ''))].join('');
}

function rows(command: Command, parent: string): readonly string[] {
  const path = `${parent}${command.name()}`;
  if (command.commands.length > 0) return command.commands.flatMap((each) => rows(each, `${path} `));
  const help = command.createHelp();
  const given = command.registeredArguments.map((each) => (each.required ? `<${each.name()}>` : `[${each.name()}]`));
  const options = help.visibleOptions(command).filter(({ long }) => long !== '--help' && long !== '--json');
  const terms = options.map((option) => `\`${help.optionTerm(option)}\``).join(', ');
  const cells = [`\`${[path, ...given].join(' ')}\``, terms, command.description().replaceAll('<', '\\<')].map((cell) => cell.replaceAll('|', '\\|'));
  return [`| ${cells.join(' | ')} |\n`];
}
