// petstore dashboard publish

import type { Command } from 'commander';
import { onStage } from '../../platforms/open.ts';
import { CliError, type CommandContext, type JsonOption, print, subcommand } from '../context.ts';
import { countOf } from '../sites/publish.ts';

/** Adds `petstore dashboard`. */
export function addDashboardCommands(program: Command, context: CommandContext): void {
  const dashboard = program.command('dashboard').description("a stage's dashboard on AWS");

  subcommand(dashboard, 'publish', "upload the built dashboard with its stage's configuration")
    .option('--if-any', 'succeed even if the stage has no dashboard')
    .action(async ({ ifAny = false, json }: JsonOption & { ifAny?: boolean }) => {
      const stage = context.stage();
      if (stage === undefined) throw new CliError('--stage: missing; on this machine npm start serves the dashboard');
      const { publishDashboard } = await onStage(() => import('../../platforms/aws/stage-dashboard.ts'));
      const published = await publishDashboard(stage, ifAny);
      print(context, json, published ?? { files: 0 }, () =>
        published === undefined
          ? `Stage ${stage} has no dashboard`
          : `Published ${countOf(published.files, 'file')}; all users see them within minutes`,
      );
    });
}
