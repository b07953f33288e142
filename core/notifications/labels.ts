// Labels for the kinds of email, for the pages where users choose kinds or turn one off. Kept apart from the kinds, which more programs load.

/** The kinds by topic, in the order in which they are shown; each as a sentence without its period. */
export const NOTIFICATION_GROUPS = {
  Domains: {
    domain_live: 'A domain is live, or works again',
    domain_failed: 'A domain could not be set up',
    domain_degraded: 'A domain no longer points here',
    domain_lost: 'A domain is no longer served',
    certificate_late: 'A certificate is late',
    certificate_expired: 'A certificate has expired',
  },
  'Keys and limits': {
    key_banned: 'An API key is banned',
    quota_warning: '80% of the daily quota is used',
    quota_used_up: 'The daily quota is used up',
  },
  Accounts: {
    member_added: 'An account has a new member',
    member_removed: 'A member was removed from an account, or has left',
    plan_decided: 'A plan request is approved or declined',
    account_suspended: 'An account is suspended',
  },
} as const;

type Groups = typeof NOTIFICATION_GROUPS;
type Kind = { readonly [Group in keyof Groups]: keyof Groups[Group] }[keyof Groups];

/** Returns what emails of a kind are about. */
export function labelOf(kind: Kind): string {
  const { Domains, 'Keys and limits': limits, Accounts } = NOTIFICATION_GROUPS;
  return { ...Domains, ...limits, ...Accounts }[kind];
}
