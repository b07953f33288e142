// petstore man

import type { Command } from 'commander';
import { VERSION } from '../../platforms/version.ts';
import { type CommandContext, EXIT_CODES } from '../context.ts';

/** What each exit code means, as in docs/command-line.md. */
export const EXIT_MEANINGS: Readonly<Record<keyof typeof EXIT_CODES, string>> = {
  done: 'done, or there was nothing to do',
  failed: 'it failed, and the last line says why; or `doctor` found a problem',
  usage: 'the command line is wrong, or the command must ask and there is no terminal',
  unfinished: 'done, but someone still has to act',
  timedOut: '`--timeout` has expired',
};

const ENVIRONMENT: Readonly<Record<string, string>> = {
  PETSTORE_DATA: 'the data folder that commands use without --url and --stage; default: .petstore',
  PETSTORE_DEPLOY_TOKEN: 'a deploy token, for projects deploy with --url in a pipeline',
  XDG_CONFIG_HOME: 'where petstore/credentials.json keeps your sessions; default: ~/.config',
  EDITOR: 'the editor that config edit opens',
};

/** Adds `petstore man`. */
export function addManCommand(program: Command, context: CommandContext): void {
  program
    .command('man')
    .description('print the manual page; read it with: petstore man | man -l -')
    .action(() => context.out(manualPage(program)));
}

/** Returns the manual page, in the macros of man(7), from the same descriptions as `--help`. */
function manualPage(program: Command): string {
  const codes = Object.entries(EXIT_MEANINGS) as [keyof typeof EXIT_CODES, string][];
  return [
    `.TH PETSTORE 1 "" ${quoted(`petstore ${VERSION}`)} "Petstore"`,
    '.SH NAME',
    `petstore ${roff('- manages accounts, API keys, animals, projects and domains of the petstore')}`,
    '.SH SYNOPSIS',
    '.B petstore',
    roff('[--stage STAGE | --url URL] command [options]'),
    '.SH DESCRIPTION',
    roff(program.description()),
    '.SH OPTIONS',
    ...optionsOf(program),
    '.SH COMMANDS',
    ...program.commands.flatMap((each) => section(each, 'petstore')),
    '.SH EXIT STATUS',
    ...codes.flatMap(([name, meaning]) => entry(String(EXIT_CODES[name]), meaning.replaceAll('`', ''))),
    '.SH ENVIRONMENT',
    ...Object.entries(ENVIRONMENT).flatMap(([name, meaning]) => entry(name, meaning)),
  ].join('\n');
}

/** Returns the section about a command or, for a group, about its subcommands. */
function section(command: Command, parent: string): readonly string[] {
  const path = `${parent} ${command.name()}`;
  if (command.commands.length > 0) return command.commands.flatMap((each) => section(each, path));
  const given = command.registeredArguments.map((argument) => (argument.required ? `<${argument.name()}>` : `[${argument.name()}]`));
  return [`.SS ${roff([path, ...given].join(' '))}`, roff(command.description()), ...optionsOf(command)];
}

function optionsOf(command: Command): readonly string[] {
  const help = command.createHelp();
  // Leaves out --help, which each command has.
  const own = help.visibleOptions(command).filter(({ long }) => long !== '--help');
  return own.flatMap((option) => entry(help.optionTerm(option), help.optionDescription(option)));
}

function entry(term: string, description: string): readonly string[] {
  return ['.TP', `.B ${roff(term)}`, roff(description)];
}

/** Escapes text so that roff finds no requests in it, and hyphens can be copied. */
function roff(text: string): string {
  return text
    .replaceAll('\\', String.raw`\e`)
    .replaceAll('-', String.raw`\-`)
    .replace(/^(?=[.'])/gm, String.raw`\&`);
}

function quoted(text: string): string {
  return `"${roff(text)}"`;
}
