// Which emails the signed-in user gets, as a list of check boxes. Each change is saved at once.

import { useNotificationSettings, useSaveNotificationSettings } from '../notification-queries.ts';
import type { NotificationKind } from '../shapes.ts';
import { Notice, Section } from '../ui/blocks.tsx';
import { Checkbox } from '../ui/field.tsx';
import { Loaded } from './failure.tsx';

const KINDS: Readonly<Record<NotificationKind, string>> = {
  domain_live: 'A domain is live, or works again',
  domain_failed: 'A domain could not be set up',
  domain_degraded: 'A domain no longer points here',
  domain_lost: 'A domain is no longer served',
  certificate_late: 'A certificate is late',
  certificate_expired: 'A certificate has expired',
  key_banned: 'An API key is banned',
  quota_warning: '80% of the daily quota is used',
  quota_used_up: 'The daily quota is used up',
  member_added: 'An account has a new member',
  member_removed: 'A member was removed from an account, or has left',
  plan_decided: 'A plan request is approved or declined',
  account_suspended: 'An account is suspended',
};

/** The user's settings, in a container. */
export function NotificationSettings() {
  const settings = useNotificationSettings();
  const save = useSaveNotificationSettings();
  return (
    <Section title="Emails" description="Applies to all of your accounts. Other members choose for themselves.">
      <Loaded of={settings}>
        {(read) => (
          <div className="stack">
            {!read.sends && <Notice kind="info">This service sends no emails yet. Your choice is kept for when it does.</Notice>}
            {(Object.keys(KINDS) as NotificationKind[]).map((kind) => (
              <Checkbox
                key={kind}
                checked={read.kinds.includes(kind)}
                change={(checked) => {
                  // Not disabled meanwhile, which would take the focus away.
                  if (!save.isPending) save.mutate({ read, kinds: checked ? [...read.kinds, kind] : read.kinds.filter((each) => each !== kind) });
                }}
              >
                {KINDS[kind]}
              </Checkbox>
            ))}
          </div>
        )}
      </Loaded>
    </Section>
  );
}
