// petstore move

import { existsSync } from 'node:fs';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { StoreFault } from '../../core/refusal.ts';
import type { PortName } from '../../platforms/adapters.ts';
import type { StageName } from '../../platforms/aws/stage-name.ts';
import { allowChanges, changeStop, markMoved, stopChanges } from '../../platforms/embedded/changes.ts';
import { loadConfigured } from '../../platforms/embedded/configuration.ts';
import {
  countAll,
  KIND_NAMES,
  lockMove,
  type MovedKind,
  type MoveSource,
  type MoveTarget,
  moveInstallation,
  openMoveSource,
  openMoveTarget,
} from '../../platforms/embedded/move.ts';
import { CliError, type CommandContext, EXIT_CODES, print, subcommand, table, toStageName, UsageError } from '../context.ts';
import { createProgress } from '../progress.ts';

interface Options {
  readonly toConfig?: string;
  readonly toStage?: StageName;
  readonly prepare?: boolean;
  readonly dryRun?: boolean;
  readonly undo?: boolean;
  readonly yes?: boolean;
  readonly json?: boolean;
}

/** Ports of adapters that store nothing. */
const NOT_STORED: readonly PortName[] = ['mailer', 'recordPublisher'];
/** Records per second, for the estimates: PostgreSQL on the same machine, as measured; 1,000 writes to the DynamoDB partition with all animals. */
const RATES = { config: { copied: 10_000, compared: 100_000 }, stage: { copied: 1_000, compared: 10_000 } } as const;
/** How openStageTarget names a stage. */
const STAGE = /^stage (\S+)$/;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

const NEXT_ON_HOSTS = [
  'Next: start the hosts there, point the names at them, and stop this service once it gets no more requests.',
  'To go back, while nothing has changed there: stop the hosts, and run petstore move --undo --yes',
];
const NEXT_ON_AWS = [
  'Next: point the names at the stage (docs/aws/move.md), and stop this service once it gets no more requests.',
  'To go back, while nothing has changed there: point the names here again, and run petstore move --undo --yes',
];

/** Adds `petstore move`. */
export function addMoveCommand(program: Command, context: CommandContext): void {
  subcommand(
    program,
    'move',
    'move this installation, while its service runs, to the store that a configuration names, such as PostgreSQL, or to AWS',
  )
    .option('--to-config <file>', 'the petstore.config.ts of the hosts that will serve it', parseFile)
    .addOption(
      new Option('--to-stage <stage>', 'the stage on AWS that will serve it, such as production').argParser(toStageName).conflicts('toConfig'),
    )
    .addOption(new Option('--prepare', 'only copy, and keep serving it here; a later move takes less time').conflicts(['undo', 'dryRun']))
    .addOption(new Option('--dry-run', 'only count what would be moved').conflicts('undo'))
    .addOption(new Option('--undo', 'serve and change the installation here again').conflicts(['toConfig', 'toStage']))
    .option('--yes', 'with --undo: even if changes made at the target will be missing here')
    .action(async (options: Options) => {
      const { dataFolder, configurationFile } = context.settings();
      if (options.undo === true) {
        await undo(context, dataFolder, options);
        return;
      }
      if (options.toConfig === undefined && options.toStage === undefined)
        throw new UsageError(
          '--to-config or --to-stage: missing; allowed: the petstore.config.ts of the hosts that will serve the installation, or a stage on AWS',
        );
      const elsewhere = (await loadConfigured(configurationFile))?.adapters.find(({ provides }) =>
        provides.some((port) => !NOT_STORED.includes(port)),
      );
      if (elsewhere !== undefined)
        throw new CliError(`${elsewhere.name} stores part of this installation; only an installation entirely in its data folder can be moved`);
      const source = openMoveSource(dataFolder);
      try {
        if (options.dryRun === true) await count(context, source, options);
        else await move(context, source, options);
      } finally {
        source.close();
      }
    });
}

async function undo(context: CommandContext, dataFolder: string, { yes, json }: Options): Promise<void> {
  const stop = changeStop(dataFolder);
  if (stop === undefined) throw new CliError(`${dataFolder} accepts changes: there is no move to undo`);
  const release = lockMove(dataFolder);
  if (stop.isMoved && yes !== true)
    throw new UsageError(
      `--yes: missing; the installation was moved to ${stop.where}, and what has changed there since will be missing here: stop the hosts there first, or point the names here again`,
    );
  const stage = STAGE.exec(stop.where)?.[1];
  if (stage !== undefined) {
    const { withdrawFromStage } = await import('../../platforms/aws/stage-move.ts');
    await withdrawFromStage(stage);
  }
  allowChanges(dataFolder);
  release();
  print(context, json, { undone: true }, () => 'This installation accepts changes again. To move later, name an empty database, schema or stage.');
}

async function count(context: CommandContext, source: MoveSource, options: Options): Promise<void> {
  const { json, toStage } = options;
  // Opened only so that anything the stage lacks is reported before the move.
  if (toStage !== undefined) await openTarget(context, source, options).then((target) => target.close());
  const counts = await countAll(source);
  const records = sumOf(counts);
  const { copied, compared } = RATES[toStage === undefined ? 'config' : 'stage'];
  const [minutes, seconds] = [Math.ceil(records / copied / 60), Math.ceil(records / compared)];
  print(context, json, { dryRun: true, records: counts, minutes, comparedSeconds: seconds }, () =>
    [
      rowsOf(counts),
      `Would move ${records.toLocaleString('en')} records in about ${minutes} min. Changes would be refused during the last comparison, about ${seconds} s, and until the ${toStage === undefined ? 'new hosts serve requests' : 'names point there'}.`,
      ...(toStage === undefined || counts.users === 0
        ? []
        : [`Users (${counts.users}) would choose a new password by email, and set up passkeys and apps again.`]),
    ].join('\n'),
  );
}

async function move(context: CommandContext, source: MoveSource, options: Options): Promise<void> {
  const { prepare, json } = options;
  const { dataFolder } = source;
  const release = lockMove(dataFolder);
  const target = await openTarget(context, source, options);
  const progress = await createProgress(sumOf(await countAll(source)), 'records');
  const seen = new Map<string, number>();
  let stoppedAt: number | undefined;
  let isMoved = false;
  // An installation that was moved earlier may be served from its new place, so it accepts changes again only with `--undo`.
  const wasMoved = changeStop(dataFolder)?.isMoved === true;
  const allow = () => {
    if (!wasMoved) allowChanges(dataFolder);
  };
  const interrupted = () => {
    // After a completed move, the new hosts may have begun to serve.
    if (stoppedAt !== undefined && !isMoved) allow();
    process.exit(EXIT_CODES.failed);
  };
  for (const signal of SIGNALS) process.once(signal, interrupted);
  try {
    const kinds = await moveInstallation(source, target, {
      clock: context.clock,
      onProgress: (kind, records) => {
        seen.set(kind, records);
        const sum = sumOf(Object.fromEntries(seen));
        progress.update(sum, sum);
      },
      ...(prepare !== true && {
        changes: {
          stop: async () => {
            stoppedAt = performance.now();
            if (json !== true) context.err('petstore: from now on, the service refuses changes');
            await stopChanges(dataFolder, target.where);
          },
          allow: () => {
            allow();
            if (json !== true)
              context.err(wasMoved ? 'petstore: nothing was moved' : 'petstore: nothing was moved, and the service accepts changes again');
          },
          markMoved: () => {
            isMoved = true;
            markMoved(dataFolder);
          },
        },
      }),
    });
    report(context, options, kinds, stoppedAt === undefined ? undefined : Math.round((performance.now() - stoppedAt) / 100) / 10);
  } catch (error) {
    throw error instanceof StoreFault ? new CliError(`${target.where}: ${error.message}; run the command again`) : error;
  } finally {
    for (const signal of SIGNALS) process.off(signal, interrupted);
    progress.stop();
    await target.close();
    release();
  }
}

async function openTarget({ clock, err, settings }: CommandContext, source: MoveSource, { toConfig, toStage }: Options): Promise<MoveTarget> {
  if (toStage === undefined) return openMoveTarget(source, toConfig ?? '', clock);
  const { openStageTarget } = await import('../../platforms/aws/stage-move.ts');
  return openStageTarget(source, toStage, { clock, edgeName: settings().edge.name, warn: (line) => err(`petstore: ${line}`) });
}

function report(context: CommandContext, { json, toStage }: Options, kinds: readonly MovedKind[], refusedSeconds: number | undefined): void {
  const compared = Object.fromEntries(kinds.map(({ kind, records, source }) => [kind, { records, sha256: source }]));
  const counts = Object.fromEntries(kinds.map(({ kind, records }) => [kind, records]));
  const records = sumOf(counts).toLocaleString('en');
  const isMoved = refusedSeconds !== undefined;
  print(context, json, { moved: isMoved, kinds: compared, ...(isMoved && { refusedSeconds }) }, () =>
    isMoved
      ? [
          rowsOf(counts),
          `Moved ${records} records, verified by their digests. Changes have been refused for ${refusedSeconds} s so far.`,
          ...(toStage === undefined ? NEXT_ON_HOSTS : NEXT_ON_AWS),
        ].join('\n')
      : `Copied ${records} records. The service here keeps running; petstore move without --prepare moves the rest.`,
  );
}

function sumOf(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, each) => sum + each, 0);
}

function rowsOf(counts: Readonly<Record<string, number>>): string {
  const rows = KIND_NAMES.filter((kind) => (counts[kind] ?? 0) > 0).map((kind) => [kind.replaceAll('_', ' '), String(counts[kind])]);
  return table(['KIND', 'RECORDS'], rows, 'There is nothing.');
}

function parseFile(file: string): string {
  if (!existsSync(file)) throw new InvalidArgumentError('there is no such file');
  return file;
}
