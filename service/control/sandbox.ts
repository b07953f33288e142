// Records in the sandbox's DNS, if there is a sandbox.

import { suspensionRefusal } from '../../core/access/account.ts';
import { isAtOrBelow } from '../../core/domains/host-name.ts';
import { refused } from '../../core/refusal.ts';
import { belongsToOther, zoneOfName } from '../../core/sandbox/ports.ts';
import { parseSandboxRecord } from '../../core/sandbox/records.ts';
import { type Answerer, ok } from './answer.ts';
import { type Caller, type ControlPorts, notFound, type OwnedLookups } from './context.ts';
import { CONTROL_OPERATIONS } from './operations.ts';

/** Maximum number of sandbox records per account. */
const MAX_RECORDS = 200;

/** The handlers for sandbox records; without a sandbox they return 404. */
export function sandboxHandlers(answer: Answerer, { sandbox, members, rules }: ControlPorts, owned: OwnedLookups) {
  const accountIdsOf = async ({ id }: Caller) => (await members.membershipsOf(id)).map(({ accountId }) => accountId);
  const none = () => refused('not_found', 'there is no sandbox here; set records at your DNS provider');
  return {
    listSandboxRecords: answer(CONTROL_OPERATIONS.listSandboxRecords, async ({ caller }) => {
      if (sandbox === undefined) return none();
      const mine = await accountIdsOf(caller);
      const visible = sandbox.list().filter(({ accountId }) => accountId === undefined || mine.includes(accountId));
      return ok(visible.map(({ name, type, value, ttl }) => ({ name, type, value, ttl })));
    }),

    setSandboxRecord: answer(CONTROL_OPERATIONS.setSandboxRecord, async ({ caller, body: { accountId, ...fields } }) => {
      if (sandbox === undefined) return none();
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
      const suspended = suspensionRefusal(account);
      if (suspended !== undefined) return suspended;
      if (sandbox.list().filter((each) => each.accountId === owner).length >= MAX_RECORDS)
        return refused('conflict', `the account already has ${MAX_RECORDS} records in the sandbox, the maximum; remove one first`);
      if (belongsToOther(record.name, mine, sandbox.list(), suffix))
        return refused('conflict', `${zoneOfName(record.name, suffix)} belongs to another account; choose another name below .${suffix}`);
      await sandbox.set(record, false, owner);
      return ok(record);
    }),

    unsetSandboxRecord: answer(CONTROL_OPERATIONS.unsetSandboxRecord, async ({ caller, query: { name, type, value } }) => {
      if (sandbox === undefined) return none();
      const foreign = belongsToOther(name, await accountIdsOf(caller), sandbox.list(), sandbox.suffix);
      const removed = foreign ? 0 : await sandbox.unset(name, type, value);
      return removed > 0 ? ok({ done: true as const }) : refused('not_found', `no record ${name} ${type} ${value}`);
    }),
  };
}
