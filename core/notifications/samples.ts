// A sample of every email, for `petstore mails preview` and for tests.

import { OPERATOR } from '../access/account.ts';
import type { Invitation } from '../access/invitation.ts';
import { DAY_MS, MINUTE_MS } from '../limits/windows.ts';
import type { Names } from './content.ts';
import type { Message } from './layout.ts';
import { messageFor } from './message.ts';
import { invitationSent, type MemberEvent, type NotificationKind, planRequested } from './notification.ts';
import { invitationMessage, planRequestMessage, resetMessage } from './personal-messages.ts';

export interface MailSample {
  /** The kind, and a variant of it. Letters, digits, `_` and `-`. */
  readonly name: string;
  readonly message: Message;
}

const AT = Date.UTC(2026, 10, 21, 10);
const DASHBOARD = 'https://pets.example.com';
const ANN = { userId: 'usr_ann', address: 'ann@example.com', dashboard: DASHBOARD };
const NAMES: Names = { account: 'My shop', project: 'Shop', key: 'laptop', member: 'bob@example.com', by: 'eve@example.com' };

const WWW = { projectId: 'prj_1', domainId: 'dom_1', host: 'www.shop.dev' };
const RECORD = { type: 'CNAME', name: 'www.shop.dev', value: 'k7w2m9xq4hbt5rzn.edge.example.com' };
const ADD = `add the record: CNAME, name www (in full ${RECORD.name}), value ${RECORD.value}`;
const LATE = {
  seen: 'the certificate authority is not working at the moment',
  fix: 'nothing: we will try again at 2026-11-21 11:00 UTC',
  actor: 'nobody',
} as const;
const LEFT = { userId: 'usr_bob', by: 'usr_bob', made: [], more: 0, revoked: false };

type OfKind<Kind, Event = MemberEvent> = Event extends { readonly kind: infer Kinds } ? (Kind extends Kinds ? Omit<Event, 'kind'> : never) : never;

/** The samples of each kind, by variant; '' is the default. */
const EVENTS: { readonly [Kind in NotificationKind]: Readonly<Record<string, OfKind<Kind>>> } = {
  domain_live: { '': { ...WWW, again: false }, again: { ...WWW, again: true }, renewed: { ...WWW, again: true, renewed: true } },
  domain_failed: { '': { ...WWW, advice: { seen: 'no CNAME and no addresses at www.shop.dev', fix: ADD, actor: 'owner' } } },
  domain_degraded: {
    '': { ...WWW, advice: { seen: 'no CNAME and no addresses at www.shop.dev', fix: ADD, actor: 'owner' } },
    provider: {
      ...WWW,
      advice: { seen: 'a name server of shop.dev reports an internal failure', fix: 'send this message to your DNS provider', actor: 'dns_provider' },
    },
  },
  domain_lost: {
    removed: { ...WWW, advice: undefined, removed: { by: 'usr_eve', records: [RECORD] } },
    'removed-by-operator': { ...WWW, advice: undefined, removed: { by: OPERATOR, records: [] } },
    suspended: {
      ...WWW,
      advice: { seen: 'not served: the operator of the platform has suspended the account', fix: 'contact the operator', actor: 'platform' },
    },
    '': { ...WWW, advice: undefined },
  },
  certificate_late: { '': { ...WWW, advice: LATE }, renewal: { ...WWW, advice: LATE, renewal: true } },
  certificate_expired: { '': { ...WWW, advice: LATE } },
  key_banned: { '': { keyId: 'key_1', until: AT + 5 * MINUTE_MS } },
  quota_warning: { '': { day: Math.floor(AT / DAY_MS), limit: 1_000 } },
  quota_used_up: { '': { day: Math.floor(AT / DAY_MS), limit: 1_000 } },
  member_added: { '': { userId: 'usr_bob', by: 'usr_eve' }, 'by-operator': { userId: 'usr_bob', by: OPERATOR }, earlier: { userId: 'usr_bob' } },
  member_removed: {
    '': { ...LEFT, by: 'usr_eve', made: [{ name: 'laptop' }, { name: 'CI', project: 'Shop' }] },
    left: LEFT,
    'by-operator': { ...LEFT, by: OPERATOR, made: [{ name: 'till' }, { name: 'laptop' }], more: 3 },
    revoked: { ...LEFT, made: [{ name: 'CI', project: 'Shop' }], revoked: true },
  },
  plan_decided: { approved: { plan: 'pro', approved: true, reason: '' }, declined: { plan: 'enterprise', approved: false, reason: 'call us' } },
  account_suspended: { '': { reason: 'not paid' } },
};

/** The samples of events that members are notified of, by name. */
export const MEMBER_SAMPLES: readonly { readonly name: string; readonly event: MemberEvent }[] = Object.entries(EVENTS).flatMap(([kind, variants]) =>
  Object.entries(variants).map(([variant, fields]) => ({
    name: variant === '' ? kind : `${kind}-${variant}`,
    event: { kind, ...fields } as MemberEvent,
  })),
);

const INVITATION: Invitation = {
  id: 'inv_1',
  accountId: 'acc_1',
  email: 'ben@example.com',
  role: 'member',
  invitedBy: 'usr_ann',
  mailed: true,
  digests: [],
  createdAt: AT,
  expiresAt: AT + 7 * DAY_MS,
};
const INVITER = { account: NAMES.account, inviter: 'ann@example.com', token: 'petstore_invite_1', dashboard: DASHBOARD };

/** Writes a sample of every email. */
export function mailSamples(): readonly MailSample[] {
  const ofMember = ({ name, event }: (typeof MEMBER_SAMPLES)[number], names: Names = NAMES): MailSample => ({
    name,
    message: messageFor({ id: `${name}:1`, accountId: 'acc_1', at: AT, event }, names, ANN),
  });
  const invited = (fields: Partial<Invitation>, facts: Partial<typeof INVITER>) =>
    invitationMessage(invitationSent(INVITATION), { ...INVITATION, ...fields }, { ...INVITER, ...facts });
  return [
    ofMember({ name: 'domain_live-pair', event: { kind: 'domain_live', ...WWW, again: false } }, { ...NAMES, pair: 'shop.dev' }),
    ...MEMBER_SAMPLES.map((sample) => ofMember(sample)),
    { name: 'invitation', message: invited({}, {}) },
    { name: 'invitation-owner', message: invited({ role: 'owner', invitedBy: OPERATOR }, {}) },
    {
      name: 'plan_requested',
      message: planRequestMessage(
        planRequested('acc_1', AT),
        { id: 'acc_1', name: 'My shop', plan: 'free' },
        { plan: 'business', note: 'we grow' },
        { to: 'operator@example.com', dashboard: DASHBOARD },
      ),
    },
    { name: 'password_reset', message: resetMessage('ann@example.com', `${DASHBOARD}/reset#1`) },
  ];
}
