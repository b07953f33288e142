// petstore doctor

import type { Command } from 'commander';
import { examine } from '../../platforms/embedded/doctor/examine.ts';
import { fix } from '../../platforms/embedded/doctor/fix.ts';
import { type CommandContext, print, subcommand, table } from '../context.ts';

interface Options {
  readonly full?: boolean;
  readonly fix?: boolean;
  readonly json?: boolean;
}

/** Adds `petstore doctor`. */
export function addDoctorCommand(program: Command, context: CommandContext): void {
  subcommand(program, 'doctor', 'check the data folder, the machine and the service; the exit code is 1 if there is a problem')
    .option('--full', "also compare the database's indexes with its tables, and the files of sites with the last backup, which takes longer")
    .option('--fix', 'first recreate what is missing or damaged in the database and can be derived from its tables, such as indexes')
    .action(async ({ full = false, fix: isFixed = false, json }: Options) => {
      const settings = context.settings();
      const fixed = isFixed ? fix(settings.dataFolder, full) : [];
      const findings = [...fixed, ...(await examine({ settings, full, clock: context.clock }))];
      if (findings.some(({ state }) => state === 'problem')) context.endWith('failed');
      print(context, json, findings, () =>
        table(
          ['STATE', 'CHECK', 'FOUND'],
          findings.map(({ state, check, found, action }) => [state, check, action === undefined ? found : `${found}; ${action}`]),
          '',
        ),
      );
    });
}
