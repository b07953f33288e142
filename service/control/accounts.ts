// The signed-in user, their accounts, and those accounts' members.

import { changeRole, createAccount, removeMember } from '../../core/access/accounts.ts';
import { deleteAccount } from '../../core/access/delete-account.ts';
import { requestPlan, withdrawPlanRequest } from '../../core/access/plan-requests.ts';
import { PLAN_NAMES } from '../../core/access/plans.ts';
import { projectsAndDomainsOf } from '../../core/domains/of-account.ts';
import { usageView } from '../../core/limits/usage-view.ts';
import { type Answerer, OWNERS_ONLY, ok } from './answer.ts';
import { type ControlPorts, notFound, type OwnedLookups } from './context.ts';
import { CONTROL_OPERATIONS } from './operations.ts';
import { accountView, memberView, planView } from './views.ts';

/** The handlers for users, accounts and members. */
export function accountHandlers(answer: Answerer, ports: ControlPorts, owned: OwnedLookups) {
  const { members, rules, sandbox, directory } = ports;
  return {
    getMe: answer(CONTROL_OPERATIONS.getMe, async ({ caller }) =>
      ok({
        userId: caller.id,
        email: caller.email ?? null,
        accounts: (await owned.accountsOf(caller)).map(accountView),
        platform: { edgeHost: rules.edge.host, httpsPort: ports.httpsPort, sandboxSuffix: sandbox?.suffix ?? null, plans: PLAN_NAMES.map(planView) },
      }),
    ),

    listAccounts: answer(CONTROL_OPERATIONS.listAccounts, async ({ caller }) => ok((await owned.accountsOf(caller)).map(accountView))),

    createAccount: answer(CONTROL_OPERATIONS.createAccount, async ({ caller, body: { name }, now }) => {
      const made = await createAccount(ports, { name, plan: 'free', owner: caller.id }, ports.randomBytes, now);
      return made.ok ? ok(accountView({ ...made.account, role: 'owner' })) : made;
    }),

    getAccount: answer(CONTROL_OPERATIONS.getAccount, async (asked) => {
      const found = await owned.account(asked);
      if (!found.ok) return found;
      const { projects, domains } = await projectsAndDomainsOf(ports, found.account.id);
      return ok({ ...accountView(found.account), used: { projects: projects.length, domains: domains.length } });
    }),

    deleteAccount: answer(CONTROL_OPERATIONS.deleteAccount, async (asked) => {
      const found = await owned.account(asked);
      if (!found.ok) return found;
      const deleted = await deleteAccount(ports, found.account.id, asked.now);
      return deleted.ok ? ok({ done: true as const }) : deleted;
    }),

    listMembers: answer(CONTROL_OPERATIONS.listMembers, async (asked) => {
      const found = await owned.account(asked);
      if (!found.ok) return found;
      const all = await members.membersOf(found.account.id);
      return ok(all.map((each) => memberView(each, directory)).toSorted((a, b) => (a.userId < b.userId ? -1 : 1)));
    }),

    changeMember: answer(CONTROL_OPERATIONS.changeMember, async (asked) => {
      const found = await owned.account(asked);
      if (!found.ok) return found;
      const { role } = asked.body;
      const userId = asked.parameters.userId ?? '';
      // Members may step down, but not up.
      if (role === 'owner' && (await owned.roleFor(asked)) !== 'owner') return OWNERS_ONLY;
      const changed = await changeRole(ports, found.account.id, { userId, role });
      return changed.ok ? ok(memberView({ userId, role }, directory)) : changed;
    }),

    removeMember: answer(CONTROL_OPERATIONS.removeMember, async (asked) => {
      const found = await owned.account(asked);
      if (!found.ok) return found;
      const removed = await removeMember(ports, found.account.id, asked.parameters.userId ?? '', { keepOwner: true });
      return removed.ok ? ok({ done: true as const }) : removed;
    }),

    requestPlan: answer(CONTROL_OPERATIONS.requestPlan, async (asked) => {
      const found = await owned.account(asked);
      if (!found.ok) return found;
      const { account } = found;
      const requested = await requestPlan(ports, account, { ...asked.body, requestedBy: asked.caller.id }, asked.now);
      return requested.ok ? ok(accountView({ ...account, planRequest: requested.request })) : requested;
    }),

    withdrawPlanRequest: answer(CONTROL_OPERATIONS.withdrawPlanRequest, async (asked) => {
      const found = await owned.account(asked);
      if (!found.ok) return found;
      const { planRequest: _, ...account } = found.account;
      const withdrawn = await withdrawPlanRequest(ports, found.account);
      return withdrawn.ok ? ok(accountView(account)) : withdrawn;
    }),

    getUsage: answer(CONTROL_OPERATIONS.getUsage, async (asked) => {
      const found = await owned.account(asked);
      if (!found.ok) return found;
      const usage = await ports.usage.usage(found.account.id, asked.now);
      return usage === undefined ? notFound('account', found.account.id) : ok(usageView(found.account.id, usage));
    }),
  };
}
