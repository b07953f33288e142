// Settings of the catalogue's Lambda function, from its environment. The stacks set them; a missing one fails the cold start.

import * as z from 'zod';
import type { TableNames } from '../../adapters/store/dynamodb/tables.ts';
import { readEnvironment } from './environment.ts';

export interface CatalogueSettings {
  readonly tables: TableNames;
  readonly draftHeaders: boolean;
  /** The service name in logs and metrics; distinguishes stages. */
  readonly serviceName: string;
}

const tableName = z.string().regex(/^[\w.-]{3,255}$/, 'the name of a DynamoDB table');

const schema = z.object({
  PETS_TABLE: tableName,
  USAGE_TABLE: tableName,
  CONTROL_TABLE: tableName,
  SERVICE_NAME: z
    .string()
    .regex(/^[\w-]{1,64}$/, '1 to 64 letters, digits, hyphens and underscores')
    .default('petstore'),
  DRAFT_HEADERS: z.enum(['on', 'off']).default('off'),
});

/** Parses the settings. @throws Error that names every missing or invalid setting */
export function parseCatalogueSettings(environment: Readonly<Record<string, string | undefined>>): CatalogueSettings {
  const { PETS_TABLE, USAGE_TABLE, CONTROL_TABLE, DRAFT_HEADERS, SERVICE_NAME } = readEnvironment(schema, environment);
  return {
    tables: { pets: PETS_TABLE, usage: USAGE_TABLE, control: CONTROL_TABLE },
    draftHeaders: DRAFT_HEADERS === 'on',
    serviceName: SERVICE_NAME,
  };
}
