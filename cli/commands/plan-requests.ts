// petstore plan-requests list | approve | decline

import type { Command } from 'commander';
import { decidePlanRequest } from '../../core/access/plan-requests.ts';
import { addLimitOptions, type CommandContext, isoTime, type JsonOption, print, resultOf, subcommand, table } from '../context.ts';

interface DecideOptions {
  reason: string;
  perMinute?: number;
  perDay?: number;
  json?: boolean;
}

/** Adds `petstore plan-requests`. */
export function addPlanRequestCommands(program: Command, context: CommandContext): void {
  const requests = program.command('plan-requests').description("owners' requests for another plan");

  subcommand(requests, 'list', 'list the open requests, oldest first')
    .option('--all', 'list decided requests as well')
    .action(async ({ all = false, json }: JsonOption & { all?: boolean }) => {
      const rows = await context.withStores(async ({ accounts }) =>
        (await accounts.listAccounts())
          .flatMap(({ id, name, plan, planRequest }) => (planRequest === undefined ? [] : [{ id, name, plan, planRequest }]))
          .filter(({ planRequest }) => all || planRequest.decision === undefined)
          .sort((a, b) => a.planRequest.requestedAt - b.planRequest.requestedAt)
          .map(({ id, name, plan, planRequest: { plan: wanted, note, requestedBy, requestedAt, decision } }) => ({
            accountId: id,
            name,
            plan,
            wanted,
            note,
            requestedBy,
            requestedAt: isoTime(requestedAt),
            decision: decision === undefined ? null : { approved: decision.approved, reason: decision.reason, at: isoTime(decision.at) },
          })),
      );
      print(context, json, rows, () =>
        table(
          ['ACCOUNT', 'NAME', 'PLAN', 'WANTED', 'REQUESTED', 'STATE', 'NOTE'],
          rows.map((row) => [row.accountId, row.name, row.plan, row.wanted, row.requestedAt, stateOf(row.decision), row.note]),
          'No requests',
        ),
      );
    });

  const decide = (name: string, description: string, approved: boolean) =>
    subcommand(requests, `${name} <accountId>`, description)
      .option('--reason <text>', 'for the owner: up to 500 characters, on one line', '')
      .action(async (accountId: string, { reason, perMinute, perDay, json }: DecideOptions) => {
        const decided = await context.withStores((stores) =>
          decidePlanRequest(stores, accountId, { approved, reason, agreed: { perMinute, perDay } }, context.clock()),
        );
        const { plan, change } = resultOf(decided);
        print(context, json, { accountId, plan, approved, unbanned: change?.unbanned ?? [] }, () =>
          approved ? `Account ${accountId} is now on plan ${plan}` : `Declined: account ${accountId} keeps its plan`,
        );
      });

  addLimitOptions(decide('approve', "approve an account's request: its plan changes within a minute", true));
  decide('decline', "decline an account's request", false);
}

function stateOf(decision: { readonly approved: boolean } | null): string {
  if (decision === null) return 'open';
  return decision.approved ? 'approved' : 'declined';
}
