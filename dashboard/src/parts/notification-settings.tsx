// Which emails the signed-in user gets, as a list of check boxes. Each change is saved at once. The browser's own check boxes: the design system's would
// be split from the tables that use them too, which makes the initial load larger.

import Alert from '@cloudscape-design/components/alert';
import Container from '@cloudscape-design/components/container';
import Header from '@cloudscape-design/components/header';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useNotificationSettings, useSaveNotificationSettings } from '../notification-queries.ts';
import type { NotificationKind } from '../shapes.ts';
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
    <Container
      header={
        <Header variant="h2" description="Applies to all of your accounts. Other members choose for themselves.">
          Emails
        </Header>
      }
    >
      <Loaded of={settings}>
        {(read) => (
          <SpaceBetween size="s">
            {!read.sends && <Alert type="info">This service sends no emails yet. Your choice is kept for when it does.</Alert>}
            {(Object.keys(KINDS) as NotificationKind[]).map((kind) => (
              <label key={kind} className="choice">
                <input
                  type="checkbox"
                  checked={read.kinds.includes(kind)}
                  onChange={({ target }) => {
                    // Not disabled meanwhile, which would take the focus away.
                    if (save.isPending) return;
                    const kinds = target.checked ? [...read.kinds, kind] : read.kinds.filter((each) => each !== kind);
                    save.mutate({ read, kinds });
                  }}
                />
                {KINDS[kind]}
              </label>
            ))}
          </SpaceBetween>
        )}
      </Loaded>
    </Container>
  );
}
