// Settings of the API's Lambda, from its environment. The stacks set them; a missing one stops the cold start.

import * as z from 'zod';
import type { TableNames } from '../../adapters/store/dynamodb/tables.ts';

export interface FunctionSettings {
  readonly tables: TableNames;
  readonly draftHeaders: boolean;
}

const tableName = z.string().regex(/^[\w.-]{3,255}$/, 'the name of a DynamoDB table');

const schema = z.object({
  PETS_TABLE: tableName,
  USAGE_TABLE: tableName,
  CONTROL_TABLE: tableName,
  DRAFT_HEADERS: z.enum(['on', 'off']).default('off'),
});

/** @throws Error that names every setting that is missing or wrong */
export function parseFunctionSettings(environment: Readonly<Record<string, string | undefined>>): FunctionSettings {
  const result = schema.safeParse(environment);
  if (!result.success) {
    throw new Error(
      `settings of the function are wrong:\n${result.error.issues.map((issue) => `  ${issue.path.join('.')}: ${issue.message}`).join('\n')}`,
    );
  }
  const { PETS_TABLE, USAGE_TABLE, CONTROL_TABLE, DRAFT_HEADERS } = result.data;
  return { tables: { pets: PETS_TABLE, usage: USAGE_TABLE, control: CONTROL_TABLE }, draftHeaders: DRAFT_HEADERS === 'on' };
}
