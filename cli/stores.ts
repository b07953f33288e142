// Which store the command line works on: the data folder of the embedded service, or the tables of a stage on AWS.

import { GetParametersByPathCommand, SSMClient } from '@aws-sdk/client-ssm';
import { createDynamoDbClients } from '../adapters/store/dynamodb/clients.ts';
import { createDynamoDbStores } from '../adapters/store/dynamodb/stores.ts';
import type { TableNames } from '../adapters/store/dynamodb/tables.ts';
import { openSqliteStores } from '../adapters/store/sqlite/stores.ts';
import type { Stores } from '../core/ports.ts';
import { parseSettings } from '../local/settings.ts';
import { CliError } from './context.ts';

export const STAGES = ['staging', 'production'] as const;

export type StageName = (typeof STAGES)[number];

export interface OpenedStores extends Stores {
  close(): void;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Opens the store of the stage, or without one that of the data folder that the environment names. */
export async function openStores(environment: Environment, stage: StageName | undefined): Promise<OpenedStores> {
  return stage === undefined ? openDataFolder(environment) : openStage(stage);
}

function openDataFolder(environment: Environment): OpenedStores {
  const parsed = parseSettings(environment);
  if (!parsed.ok) throw new CliError(`settings are wrong:\n${parsed.problems.map((problem) => `  ${problem}`).join('\n')}`);
  const { dataFolder } = parsed.settings;
  try {
    return openSqliteStores(dataFolder);
  } catch (error) {
    throw new CliError(`PETSTORE_DATA: can't use ${dataFolder}: ${error instanceof Error ? error.message : error}`);
  }
}

async function openStage(stage: StageName): Promise<OpenedStores> {
  const tables = await tablesOf(stage);
  const clients = createDynamoDbClients();
  return {
    ...createDynamoDbStores(clients, tables),
    close: () => {
      clients.once.destroy();
      clients.retrying.destroy();
    },
  };
}

/** The tables of a stage, from the parameters that its stacks have written. */
async function tablesOf(stage: StageName): Promise<TableNames> {
  const path = `/petstore/${stage}/tables/`;
  const ssm = new SSMClient({});
  try {
    const { Parameters = [] } = await ssm.send(new GetParametersByPathCommand({ Path: path }));
    const names = new Map(Parameters.map(({ Name, Value }) => [Name?.slice(path.length), Value]));
    const [pets, usage, control] = [names.get('pets'), names.get('usage'), names.get('control')];
    if (pets === undefined || usage === undefined || control === undefined) {
      throw new CliError(`--stage ${stage}: no tables under the SSM parameters ${path}; deploy the stage first, or check account and region`);
    }
    return { pets, usage, control };
  } catch (error) {
    if (error instanceof CliError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new CliError(`--stage ${stage}: can't read the SSM parameters ${path}: ${reason}; check AWS credentials and AWS_REGION`);
  } finally {
    ssm.destroy();
  }
}
