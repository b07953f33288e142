// The operator's message about an account that asks for another plan.

import type { Account, PlanRequest } from '../access/account.ts';
import { planOf } from '../access/plans.ts';
import { layOut, type Message, quotedName } from './layout.ts';
import { messageIdOf } from './message.ts';
import type { Notification } from './notification.ts';

/** In the outbox, of the operator as a recipient. */
export const OPERATOR_RECIPIENT = 'operator';

/** Writes the message. @param dashboard origin of the dashboard, without a trailing slash */
export function planRequestMessage(
  notification: Notification,
  { id, name, plan }: Pick<Account, 'id' | 'name' | 'plan'>,
  { plan: wanted, note }: Pick<PlanRequest, 'plan' | 'note'>,
  { to, dashboard }: { readonly to: string; readonly dashboard: string },
): Message {
  const noted = note === '' ? '' : ` Their note: ${quotedName(note)}.`;
  return layOut({
    id: messageIdOf(notification, OPERATOR_RECIPIENT),
    to,
    subject: `Plan request: ${planOf(wanted).label}`,
    paragraphs: [
      `The account ${quotedName(name)} (${id}), on the ${planOf(plan).label} plan, asks for ${planOf(wanted).label}.${noted}`,
      'Nothing changes until you decide. The account’s members then get an email.',
      `Decide at the command line: plan-requests approve ${id}, or plan-requests decline ${id} --reason "…".`,
    ],
    link: [`${dashboard}/`, 'Open the dashboard'],
    signature: 'You get this email because your address is set as the operator’s.',
  });
}
