// petstore completion

import { Argument, type Command, type Option } from 'commander';
import type { CommandContext } from '../context.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

/** Adds `petstore completion`. */
export function addCompletionCommand(program: Command, context: CommandContext): void {
  program
    .command('completion')
    .description('print a script that completes commands and options in your shell')
    .addArgument(new Argument('<shell>').choices(SHELLS))
    .action((shell: Shell) => context.out(SCRIPTS[shell](placesOf(program, program.name()))));
}

/** A command, and what can follow it: commands, the choices of its argument, and options. */
interface Place {
  /** As typed, such as `petstore pets import`. */
  readonly path: string;
  readonly commands: readonly { readonly name: string; readonly description: string }[];
  readonly options: readonly {
    readonly name: string;
    readonly description: string;
    /** The values to choose from; empty if any value is allowed; undefined if the option takes no value. */
    readonly values?: readonly string[];
  }[];
}

function placesOf(command: Command, path: string): readonly Place[] {
  const help = command.createHelp();
  const options = help.visibleOptions(command).map((option) => ({
    name: option.long ?? option.flags,
    description: option.description,
    ...(takesValue(option) && { values: option.argChoices ?? [] }),
  }));
  const commands = command.commands.map((each) => ({ name: each.name(), description: each.description() }));
  const choices = command.registeredArguments.flatMap(({ argChoices = [], description }) => argChoices.map((name) => ({ name, description })));
  return [{ path, commands: [...commands, ...choices], options }, ...command.commands.flatMap((each) => placesOf(each, `${path} ${each.name()}`))];
}

function takesValue({ required, optional }: Option): boolean {
  return required || optional;
}

const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;
const withCommands = (places: readonly Place[]) => places.slice(1).map(({ path }) => quoted(path));
const withValues = (places: readonly Place[], join: string) =>
  choicesOf(places)
    .map(({ at }) => at)
    .join(join);
const choicesOf = (places: readonly Place[]) =>
  places.flatMap(({ path, options }) => options.flatMap(({ name, values }) => (values ? [{ at: quoted(`${path} ${name}`), values }] : [])));

/** The value of an option without choices is completed as a file name. */
const SCRIPTS: Readonly<Record<Shell, (places: readonly Place[]) => string>> = {
  bash: (places) => `# Completion of petstore for bash.
_petstore() {
  local current=\${COMP_WORDS[COMP_CWORD]} at=petstore words='' i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$at \${COMP_WORDS[i]}" in
      ${withValues(places, ' | ')}) ((i++)) ;;
      ${withCommands(places).join(' | ')}) at="$at \${COMP_WORDS[i]}" ;;
    esac
  done
  case "$at \${COMP_WORDS[COMP_CWORD - 1]}" in
${choicesOf(places)
  .map(({ at, values }) => `    ${at}) words=${quoted(values.join(' '))} ;;`)
  .join('\n')}
    *)
      case $at in
${places
  .map(({ path, commands, options }) => `        ${quoted(path)}) words=${quoted([...commands, ...options].map(({ name }) => name).join(' '))} ;;`)
  .join('\n')}
      esac
      ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _petstore petstore`,

  zsh: (places) => `#compdef petstore
# Completion of petstore for zsh.
_petstore() {
  local at=petstore i
  local -a found
  for ((i = 2; i < CURRENT; i++)); do
    case "$at \${words[i]}" in
      (${withValues(places, '|')}) ((i++)) ;;
      (${withCommands(places).join('|')}) at="$at \${words[i]}" ;;
    esac
  done
  case "$at \${words[CURRENT-1]}" in
${choicesOf(places)
  .map(({ at, values }) => `    (${at}) found=(${values.join(' ')}) ;;`)
  .join('\n')}
    (*)
      case $at in
${places
  .map(({ path, commands, options }) => {
    const all = [...commands, ...options].map(({ name, description }) => quoted(`${name}:${description.replaceAll(':', String.raw`\:`)}`));
    return `        (${quoted(path)}) found=(${all.join(' ')}) ;;`;
  })
  .join('\n')}
      esac
      ;;
  esac
  _describe petstore found || _files
}
compdef _petstore petstore
[ "$funcstack[1]" = _petstore ] && _petstore "$@"`,

  fish: (places) => `# Completion of petstore for fish.
function __petstore_at
  set -l at petstore
  set -l value no
  for word in (commandline -opc)[2..]
    if test $value = yes
      set value no
      continue
    end
    switch "$at $word"
      case ${withValues(places, ' ')}
        set value yes
      case ${withCommands(places).join(' ')}
        set at "$at $word"
    end
  end
  test "$at" = "$argv"
end
${places
  .flatMap(({ path, commands, options }) => {
    const at = `complete -c petstore -n ${quoted(`__petstore_at ${path}`)}`;
    return [
      ...(commands.length > 0 ? [`${at} -f`] : []),
      ...commands.map(({ name, description }) => `${at} -a ${quoted(name)} -d ${quoted(description)}`),
      ...options.map(({ name, description, values }) => {
        const value = values === undefined ? '' : values.length === 0 ? ' -r' : ` -x -a ${quoted(values.join(' '))}`;
        return `${at} -l ${name.replace(/^--/, '')}${value} -d ${quoted(description)}`;
      }),
    ];
  })
  .join('\n')}`,
};
