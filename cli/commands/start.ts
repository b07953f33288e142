// petstore start

import { type Command, Option } from 'commander';
import { CliError, type CommandContext } from '../context.ts';

/** Adds `petstore start`. */
export function addStartCommand(program: Command, context: CommandContext): void {
  program
    .command('start')
    .description('start the service on this machine; its settings are environment variables (docs/server.md)')
    .addOption(new Option('--only <part>', 'serve the catalogue API without the dashboard and custom domains').choices(['api']))
    .action(async ({ only }: { only?: 'api' }) => {
      if (context.stage() !== undefined || context.url() !== undefined)
        throw new CliError('start: takes no --stage and no --url; it starts the service on this machine, and npx cdk deploy starts a stage');
      const { runServer } = await import('../../local/run.ts');
      await runServer(process.env, { only });
    });
}
