// What a function that admits requests does with the tables.

import { HISTORY_PARTITIONS } from '../../adapters/store/dynamodb/tables.ts';
import type { AccessTables } from './catalogue-tables.ts';
import type { Allow } from './function-identity.ts';

/** Permits a function to admit requests, and nothing else with the accounts. */
export function allowAdmission(allow: Allow, tables: AccessTables): void {
  allow(['dynamodb:GetItem', 'dynamodb:UpdateItem'], [tables.usage.tableArn]);
  // Of the control table, only the usage history: the internet reaches this function, and must not reach accounts and keys through it.
  allow(['dynamodb:UpdateItem'], [tables.control.tableArn], { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [`${HISTORY_PARTITIONS}*`] } });
}
