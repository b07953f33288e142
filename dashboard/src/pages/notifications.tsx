// The signed-in user's settings for emails, to which every email links.

import { NOTIFICATION_GROUPS } from '../../../core/notifications/labels.ts';
import { ifMatch, unwrap } from '../api.ts';
import { Loaded } from '../parts/failure.tsx';
import { Page } from '../parts/page.tsx';
import { useChange, useRead } from '../queries.ts';
import type { NotificationKind } from '../shapes.ts';
import { Notice, Section } from '../ui/blocks.tsx';
import { Checkbox } from '../ui/field.tsx';

/** The page with these settings. */
export function NotificationsPage() {
  return (
    <Page title="Notifications">
      <NotificationSettings />
    </Page>
  );
}

/** Which emails the signed-in user gets, as a list of check boxes. Each change is saved at once. */
function NotificationSettings() {
  const settings = useNotificationSettings();
  const save = useSaveNotificationSettings();
  return (
    <Section title="Emails" description="Applies to all of your accounts. Other members choose for themselves.">
      <Loaded of={settings}>
        {(read) => (
          <div className="stack">
            {!read.sends && <Notice kind="info">This service sends no emails yet. Your choice is kept for when it does.</Notice>}
            {Object.entries(NOTIFICATION_GROUPS).map(([group, kinds]) => (
              <fieldset key={group} className="stack tight">
                <legend>{group}</legend>
                {(Object.entries(kinds) as [NotificationKind, string][]).map(([kind, label]) => (
                  <Checkbox
                    key={kind}
                    checked={read.kinds.includes(kind)}
                    change={(checked) => {
                      // Not disabled meanwhile, which would take the focus away.
                      if (!save.isPending) save.mutate({ read, kinds: checked ? [...read.kinds, kind] : read.kinds.filter((each) => each !== kind) });
                    }}
                  >
                    {label}
                  </Checkbox>
                ))}
              </fieldset>
            ))}
          </div>
        )}
      </Loaded>
    </Section>
  );
}

// Apart from the other queries (queries.ts), because these are not part of the initial load.

/** Which emails the signed-in user gets. */
const useNotificationSettings = () => useRead(['notifications'], (api) => unwrap(api.GET('/me/notifications')));

/** Chooses which emails the signed-in user gets: these kinds, if the choice still is as it was read. */
function useSaveNotificationSettings() {
  return useChange(
    (api, { read, kinds }: { readonly read: object; readonly kinds: NotificationKind[] }) =>
      unwrap(api.PUT('/me/notifications', { headers: ifMatch(read), body: { kinds } })),
    { stale: [['notifications']] },
  );
}
