// The signed-in user, their accounts, and those accounts' members.

import { createAccount, removeMember } from '../../core/access/accounts.ts';
import { PLAN_NAMES } from '../../core/access/plans.ts';
import { usageView } from '../../core/limits/usage-view.ts';
import { refused } from '../../core/refusal.ts';
import { type Answerer, ok } from './answer.ts';
import { type ControlPorts, notFound, type OwnedLookups } from './context.ts';
import { CONTROL_OPERATIONS } from './operations.ts';
import { accountView, planView } from './views.ts';

/** The handlers for users, accounts and members. */
export function accountHandlers(answer: Answerer, ports: ControlPorts, owned: OwnedLookups) {
  const { members, rules, sandbox, directory } = ports;
  return {
    getMe: answer(CONTROL_OPERATIONS.getMe, async ({ user }) =>
      ok({
        userId: user.id,
        email: user.email ?? null,
        accounts: (await owned.accountsOf(user)).map(accountView),
        platform: { edgeHost: rules.edge.host, httpsPort: ports.httpsPort, sandboxSuffix: sandbox?.suffix ?? null, plans: PLAN_NAMES.map(planView) },
      }),
    ),

    signOutEverywhere: answer(CONTROL_OPERATIONS.signOutEverywhere, async ({ user }) => {
      if (directory === undefined) return refused('not_found', 'users are not kept here; end sessions at the OpenID provider');
      await directory.endSessions(user.id);
      return ok({ done: true as const });
    }),

    listAccounts: answer(CONTROL_OPERATIONS.listAccounts, async ({ user }) => ok((await owned.accountsOf(user)).map(accountView))),

    createAccount: answer(CONTROL_OPERATIONS.createAccount, async ({ user, body: { name }, now }) => {
      const made = await createAccount(ports, { name, plan: 'free', owner: user.id }, ports.randomBytes, now);
      return made.ok ? ok(accountView(made.account)) : made;
    }),

    getAccount: answer(CONTROL_OPERATIONS.getAccount, async (asked) => {
      const found = await owned.account(asked);
      return found.ok ? ok(accountView(found.account)) : found;
    }),

    listMembers: answer(CONTROL_OPERATIONS.listMembers, async (asked) => {
      const found = await owned.account(asked);
      if (!found.ok) return found;
      const userIds = (await members.membersOf(found.account.id)).toSorted();
      return ok(userIds.map((userId) => ({ userId, email: directory?.emailOf(userId) ?? null })));
    }),

    removeMember: answer(CONTROL_OPERATIONS.removeMember, async (asked) => {
      const found = await owned.account(asked);
      if (!found.ok) return found;
      const removed = await removeMember(ports, found.account.id, asked.parameters.userId ?? '', { keepLast: true });
      return removed.ok ? ok({ done: true as const }) : removed;
    }),

    getUsage: answer(CONTROL_OPERATIONS.getUsage, async (asked) => {
      const found = await owned.account(asked);
      if (!found.ok) return found;
      const usage = await ports.usage.usage(found.account.id, asked.now);
      return usage === undefined ? notFound('account', found.account.id) : ok(usageView(found.account.id, usage));
    }),
  };
}
