// petstore sandbox-dns set | unset | list

import { type Command, InvalidArgumentError } from 'commander';
import { ownerOf } from '../../core/sandbox/ports.ts';
import { parseSandboxRecord } from '../../core/sandbox/records.ts';
import type { DataFolder } from '../../platforms/embedded/folder.ts';
import type { Sandbox } from '../../platforms/platform.ts';
import { CliError, type CommandContext, type JsonOption, print, subcommand, table } from '../context.ts';

/** Adds `petstore sandbox-dns`. */
export function addSandboxDnsCommands(program: Command, context: CommandContext): void {
  const sandbox = program.command('sandbox-dns').description("edit the sandbox's DNS (names below .test), as you would at a DNS provider");

  subcommand(sandbox, 'set <name> <type> <value>', 'set a record: A, AAAA, CNAME, TXT, CAA, or ALIAS for an apex domain')
    .option('--ttl <seconds>', 'default: 3600', (text) => {
      if (!/^\d+$/.test(text)) throw new InvalidArgumentError('allowed: seconds');
      return Number(text);
    })
    .option('--add', 'add to records with the same name and type instead of replacing them')
    .action(async (name: string, type: string, value: string, { ttl, add = false, json }: JsonOption & { ttl?: number; add?: boolean }) => {
      const record = await context.withFolder(async (folder) => {
        const records = sandboxOf(folder);
        const parsed = parseSandboxRecord({ name, type, value, ttl }, records.suffix);
        if (!parsed.ok) throw new CliError(parsed.message);
        // Set on behalf of the name's owner; otherwise, any account could use the name afterwards.
        await records.set(parsed.record, add, ownerOf(parsed.record.name, await records.list(), records.suffix));
        return parsed.record;
      });
      print(context, json, record, () => `${record.name} ${record.ttl} ${record.type} ${record.value}`);
    });

  subcommand(sandbox, 'unset <name> [type]', "remove a name's records, of one type or of all types").action(
    async (name: string, type: string | undefined, { json }: JsonOption) => {
      const removed = await context.withFolder((folder) => sandboxOf(folder).unset(name.toLowerCase().replace(/\.$/, ''), type?.toUpperCase()));
      if (removed === 0) throw new CliError(`no record ${name}${type === undefined ? '' : ` ${type}`}; petstore sandbox-dns list shows all records`);
      print(context, json, { removed }, () => `${removed} removed`);
    },
  );

  subcommand(sandbox, 'list', 'list all records').action(async ({ json }: JsonOption) => {
    const records = await context.withFolder(async (folder) => (await folder.sandbox?.list()) ?? []);
    print(context, json, records, () =>
      table(
        ['NAME', 'TTL', 'TYPE', 'VALUE'],
        records.map(({ name, ttl, type, value }) => [name, String(ttl), type, value]),
        'No records. Set one: petstore sandbox-dns set www.my-shop.test CNAME VALUE',
      ),
    );
  });
}

function sandboxOf({ sandbox }: DataFolder): Sandbox {
  if (sandbox !== undefined) return sandbox;
  throw new CliError('PETSTORE_DNS_SERVERS is set, so there is no sandbox; set the record at your DNS provider');
}
