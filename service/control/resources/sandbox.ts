// Records in the sandbox's DNS, if there is a sandbox.

import * as z from 'zod';
import { type Account, secondFactorRefusal, suspensionRefusal } from '../../../core/access/account.ts';
import { isAtOrBelow } from '../../../core/domains/host-name.ts';
import { refused } from '../../../core/refusal.ts';
import { belongsToOther } from '../../../core/sandbox/ports.ts';
import { parseSandboxRecord, SANDBOX_TYPES, zoneOfName } from '../../../core/sandbox/records.ts';
import { PATTERNS } from '../../openapi/schemas.ts';
import { type Caller, type ControlPorts, notFound, type OwnedLookups } from '../context.ts';
import * as example from '../examples.ts';
import { DONE, type Implementations, ok, type ResourceRows, resource } from '../operation.ts';
import { REPORTS_NOTHING } from '../shapes.ts';

/** Maximum number of sandbox records per account. */
const MAX_RECORDS = 200;
const NO_SANDBOX = 'Without a sandbox, returns 404.';

const sandboxType = z.enum(SANDBOX_TYPES);
const sandboxRecord = z
  .object({ name: z.string(), type: sandboxType, value: z.string(), ttl: z.int().min(1).describe('Seconds') })
  .meta({ id: 'SandboxRecord', description: "A record in the sandbox's DNS." });
/** Lower case is accepted as well. */
const recordType = z.string('a type').meta({ enum: [...SANDBOX_TYPES] });
const recordValue = z
  .string('a value')
  .meta({ description: 'As in a zone file: an address, a name, text, or the flags, tag and value of a CAA record', minLength: 1 });
const sandboxRecordQuery = z.strictObject({ name: z.string('a name').describe('As in the list'), type: recordType, value: recordValue });
const sandboxRecordInput = z
  .strictObject({
    name: z.string('a name').describe("Below the sandbox's suffix; the first label may be *"),
    type: recordType,
    value: recordValue,
    ttl: z.int('a whole number of seconds').optional().meta({ description: 'Seconds', minimum: 1, maximum: 604_800, default: 3_600 }),
    accountId: z
      .string('an account')
      .optional()
      .meta({ description: "The account that owns it; if omitted, the user's oldest account", pattern: PATTERNS.accountId }),
  })
  .meta({ id: 'SandboxRecordInput' });

const sandboxRecordExample = { name: example.host, type: 'CNAME', value: example.target, ttl: 3_600 } as const;

export const SANDBOX_OPERATIONS = resource('sandbox', {
  listSandboxRecords: {
    route: 'GET /sandbox/records',
    summary: "The sandbox records set by the user's accounts or the operator, if the platform has a sandbox.",
    description: `Other accounts' records are not shown. ${NO_SANDBOX}`,
    response: 'The records.',
    errors: ['not_found'],
    result: z.array(sandboxRecord),
    example: { response: [sandboxRecordExample] },
  },
  setSandboxRecord: {
    route: 'PUT /sandbox/records',
    summary: 'Sets a sandbox record, as at a DNS provider, and replaces records with the same name and type.',
    description: `Setting a name that belongs to another account gets 409, as does adding a 201st record. ${NO_SANDBOX}`,
    response: 'The stored record.',
    errors: ['not_found', 'account_suspended', 'second_factor_required'],
    body: sandboxRecordInput,
    result: sandboxRecord,
    example: { body: { name: example.host, type: 'CNAME', value: example.target }, response: sandboxRecordExample },
  },
  unsetSandboxRecord: {
    route: 'DELETE /sandbox/records',
    summary: 'Removes a sandbox record.',
    description: `Name, type and value as in the list. ${NO_SANDBOX}`,
    response: 'The record is removed.',
    errors: ['not_found', 'invalid_request', 'account_suspended', 'second_factor_required'],
    query: sandboxRecordQuery,
    ...REPORTS_NOTHING,
  },
} as const satisfies ResourceRows);

/** Implements the operations on sandbox records; without a sandbox, they return 404. */
export function sandboxHandlers({ sandbox, members, rules }: ControlPorts, owned: OwnedLookups): Implementations<typeof SANDBOX_OPERATIONS> {
  const accountIdsOf = async ({ id }: Caller) => (await members.membershipsOf(id)).map(({ accountId }) => accountId);
  const refusalOf = ({ hasSecondFactor }: Caller, account: Account) =>
    (hasSecondFactor === true ? undefined : secondFactorRefusal(account)) ?? suspensionRefusal(account);
  const none = refused('not_found', 'there is no sandbox here; set records at your DNS provider');
  return {
    listSandboxRecords: async ({ caller }) => {
      if (sandbox === undefined) return none;
      const mine = await accountIdsOf(caller);
      const visible = (await sandbox.list()).filter(({ accountId }) => accountId === undefined || mine.includes(accountId));
      return ok(visible.map(({ name, type, value, ttl }) => ({ name, type, value, ttl })));
    },

    setSandboxRecord: async ({ caller, body: { accountId, ...fields } }) => {
      if (sandbox === undefined) return none;
      const { suffix } = sandbox;
      const parsed = parseSandboxRecord(fields, suffix);
      if (!parsed.ok) return refused('invalid_request', parsed.message);
      const { record } = parsed;
      const ownZone = zoneOfName(rules.edge.host, suffix);
      if (isAtOrBelow(rules.edge.host, suffix) && zoneOfName(record.name, suffix) === ownZone)
        return refused('conflict', `${ownZone} and all names below it are reserved for the service; choose another name below .${suffix}`);
      const accounts = await owned.accountsOf(caller);
      const mine = accounts.map(({ id }) => id);
      const owner = accountId ?? mine[0];
      if (owner === undefined) return refused('conflict', 'you have no account yet; create one first');
      const account = accounts.find(({ id }) => id === owner);
      if (account === undefined) return notFound('account', owner);
      const refusal = refusalOf(caller, account);
      if (refusal !== undefined) return refusal;
      const present = await sandbox.list();
      if (present.filter((each) => each.accountId === owner).length >= MAX_RECORDS)
        return refused('conflict', `the account already has ${MAX_RECORDS} records in the sandbox, the maximum; remove one first`);
      if (belongsToOther(record.name, mine, present, suffix))
        return refused('conflict', `${zoneOfName(record.name, suffix)} belongs to another account; choose another name below .${suffix}`);
      await sandbox.set(record, false, owner);
      return ok(record);
    },

    unsetSandboxRecord: async ({ caller, query: { name, type, value } }) => {
      if (sandbox === undefined) return none;
      const accounts = await owned.accountsOf(caller);
      const ids = accounts.map(({ id }) => id);
      const records = await sandbox.list();
      const account = accounts.find(({ id }) => records.some((each) => each.name === name && each.accountId === id));
      const refusal = account && refusalOf(caller, account);
      if (refusal !== undefined) return refusal;
      const foreign = belongsToOther(name, ids, records, sandbox.suffix);
      const removed = foreign ? 0 : await sandbox.unset(name, type, value);
      return removed > 0 ? DONE : refused('not_found', `no record ${name} ${type} ${value}`);
    },
  };
}
