// petstore doctor

import type { Command } from 'commander';
import { examine } from '../../platforms/embedded/doctor/examine.ts';
import { type CommandContext, print, subcommand, table } from '../context.ts';

/** Adds `petstore doctor`. */
export function addDoctorCommand(program: Command, context: CommandContext): void {
  subcommand(program, 'doctor', 'check the data folder, the machine and the service; the exit code is 1 if there is a problem')
    .option('--full', "also compare the database's indexes with its tables, which takes longer")
    .action(async ({ full = false, json }: { full?: boolean; json?: boolean }) => {
      const findings = await examine({ settings: context.settings(), full, clock: context.clock });
      if (findings.some(({ state }) => state === 'problem')) process.exitCode = 1;
      print(context, json, findings, () =>
        table(
          ['STATE', 'CHECK', 'FOUND'],
          findings.map(({ state, check, found, action }) => [state, check, action === undefined ? found : `${found}; ${action}`]),
          '',
        ),
      );
    });
}
