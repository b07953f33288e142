// petstore start

import { type Command, Option } from 'commander';
import { CliError, type CommandContext } from '../context.ts';

/** Adds `petstore start`. */
export function addStartCommand(program: Command, context: CommandContext): void {
  program
    .command('start')
    .description('start the service on this machine, with settings from environment variables (docs/reference/settings.md)')
    .addOption(new Option('--only <part>', 'serve only this part: the catalogue API, without the dashboard and custom domains').choices(['api']))
    .action(async ({ only }: { only?: 'api' }) => {
      if (context.stage() !== undefined || context.url() !== undefined)
        throw new CliError(
          'start: --stage and --url are not allowed: it starts the service on this machine; to deploy a stage, use the CDK (docs/aws/deploy.md)',
        );
      const { runServer } = await import('../../local/run.ts');
      await runServer(context.environment, { only });
    });
}
