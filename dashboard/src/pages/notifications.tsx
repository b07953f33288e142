// The signed-in user's settings for emails. Every email links to them.

import { NOTIFICATION_GROUPS } from '../../../core/notifications/labels.ts';
import { Loaded } from '../parts/failure.tsx';
import { Page } from '../parts/page.tsx';
import { useRead, useRequest } from '../queries.ts';
import type { NotificationKind } from '../shapes.ts';
import { Notice } from '../ui/blocks.tsx';
import { Checkbox } from '../ui/field.tsx';

/** What the emails of a group are about. */
const ABOUT: Readonly<Record<string, string>> = {
  Domains: 'The domains of all your projects, and their certificates.',
  'Keys and limits': 'When requests are refused, or soon will be.',
  Accounts: 'Who has access, and which plan an account is on. Emails about members and suspensions can be turned off only here, not in the email.',
} satisfies Readonly<Record<keyof typeof NOTIFICATION_GROUPS, string>>;

/** The page with the signed-in user's settings for emails, as check boxes by subject. Each change is saved at once. */
export function NotificationsPage() {
  const settings = useRead('/me/notifications', {});
  const save = useRequest('PUT', '/me/notifications', {}, { basedOn: settings.data, announcesFailure: true });
  return (
    <Page title="Notifications" description="Emails about all of your accounts. Other members choose for themselves.">
      <Loaded of={settings}>
        {(read) => (
          <div className="stack large">
            {!read.sends && <Notice kind="info">This service sends no emails yet. Your choice is kept for when it does.</Notice>}
            {Object.entries(NOTIFICATION_GROUPS).map(([group, kinds]) => (
              <fieldset key={group} className="card">
                <legend>{group}</legend>
                <p className="muted">{ABOUT[group]}</p>
                {(Object.entries(kinds) as [NotificationKind, string][]).map(([kind, label]) => (
                  <Checkbox
                    key={kind}
                    checked={read.kinds.includes(kind)}
                    change={(checked) => {
                      // Not disabled while it is being saved, because a disabled control would lose the focus.
                      if (!save.isPending) save.mutate({ kinds: checked ? [...read.kinds, kind] : read.kinds.filter((each) => each !== kind) });
                    }}
                  >
                    {label}
                  </Checkbox>
                ))}
              </fieldset>
            ))}
            <p className="muted">Invitations to an account, and links for a new password, are always sent.</p>
          </div>
        )}
      </Loaded>
    </Page>
  );
}
