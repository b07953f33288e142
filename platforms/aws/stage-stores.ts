// Opens a stage's tables on AWS. Loaded only for `--stage`, because the SDK takes as long to load as everything else combined.

import { paginateGetParametersByPath, SSMClient } from '@aws-sdk/client-ssm';
import { type AuditWrites, createAuditWrites } from '../../adapters/store/dynamodb/audit.ts';
import { createDynamoDbClients, type DynamoDbClients } from '../../adapters/store/dynamodb/calls.ts';
import { createDynamoDbPetStore } from '../../adapters/store/dynamodb/pets.ts';
import { createDynamoDbAccessStores, createDynamoDbProjectStores } from '../../adapters/store/dynamodb/stores.ts';
import type { AccessTableNames } from '../../adapters/store/dynamodb/tables.ts';
import { createDynamoDbTrafficStore } from '../../adapters/store/dynamodb/usage/traffic.ts';
import type { Actor } from '../../core/audit/entry.ts';
import type { PetStore } from '../../core/pets/ports.ts';
import type { Stores } from '../../core/ports.ts';
import { type CommandStores, messageOf, PlatformError } from '../platform.ts';
import type { StageName } from './stage-name.ts';
import { type ParameterGroup, type ParameterOf, parameterPath } from './stage-parameters.ts';

/** An operator's command waits longer for a table than a request does, because no caller waits for the command. */
export const COMMAND_TIMEOUTS = { connectionTimeout: 5_000, requestTimeout: 15_000, throwOnRequestTimeout: true };

/** Opens a stage's stores, using the environment's credentials and region. @param actor who makes the changes, for the audit log */
export async function openStage(stage: StageName, actor: () => Actor): Promise<Omit<CommandStores, 'users'>> {
  const { keyMode, ...tables } = await dataOf(stage);
  const clients = createDynamoDbClients({ requestHandler: COMMAND_TIMEOUTS });
  const audit = createAuditWrites(tables.audit, { actor });
  return {
    ...createStageStores(clients, tables, audit),
    ...createDynamoDbProjectStores(clients, tables, audit),
    traffic: createDynamoDbTrafficStore(clients, tables.control),
    keyMode,
    close: () => {
      clients.once.destroy();
      clients.retrying.destroy();
    },
  };
}

/** Reads the names of a stage's tables, and the mode of its keys, from the parameters that its stacks wrote. */
export async function dataOf(stage: StageName): Promise<StageTables & Pick<CommandStores, 'keyMode'>> {
  const names = await readParameters(stage, 'tables');
  const [pets, usage, control, audit] = [names.get('pets'), names.get('usage'), names.get('control'), names.get('audit')];
  const keyMode = names.get('key-mode');
  if (usage === undefined || control === undefined || (keyMode !== 'live' && keyMode !== 'test')) {
    throw new PlatformError(
      `--stage ${stage}: no tables under the SSM parameters ${parameterPath(stage, 'tables')}; deploy the stage first, or check account and region`,
    );
  }
  return { pets, usage, control, audit, keyMode };
}

/** Returns those parameters of a group that the stage has. @throws PlatformError if the parameters can't be read */
export async function readParameters<Group extends ParameterGroup>(stage: StageName, group: Group): Promise<ReadonlyMap<ParameterOf<Group>, string>> {
  const path = parameterPath(stage, group);
  const ssm = new SSMClient({});
  try {
    const found = new Map<ParameterOf<Group>, string>();
    for await (const { Parameters = [] } of paginateGetParametersByPath({ client: ssm }, { Path: path }))
      for (const { Name = '', Value = '' } of Parameters) found.set(Name.slice(path.length) as ParameterOf<Group>, Value);
    return found;
  } catch (error) {
    throw new PlatformError(`--stage ${stage}: can't read the SSM parameters ${path}: ${messageOf(error)}; check AWS credentials and AWS_REGION`, {
      cause: error,
    });
  } finally {
    ssm.destroy();
  }
}

/** A stage's tables. */
export interface StageTables extends AccessTableNames {
  /** Undefined if the stage has no catalogue. */
  readonly pets: string | undefined;
}

/** Creates the stores for animals, accounts and admission. Without a catalogue, calls for animals reject with a PlatformError. */
export function createStageStores(clients: DynamoDbClients, tables: StageTables, audit?: AuditWrites): Required<Stores> {
  const pets = tables.pets === undefined ? absentPetStore() : createDynamoDbPetStore(clients.retrying, tables.pets);
  return { pets, ...createDynamoDbAccessStores(clients, tables, undefined, audit) };
}

function absentPetStore(): PetStore {
  const refuse = () => Promise.reject(new PlatformError('this stage has no catalogue, and so no animals; it has accounts, keys and usage'));
  return { create: refuse, createAll: refuse, get: refuse, list: refuse, remove: refuse };
}
