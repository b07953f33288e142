// The signed-in user's settings for emails, to which every email links.

import { NotificationSettings } from '../parts/notification-settings.tsx';
import { Page } from '../parts/page.tsx';

/** The page with these settings. */
export function NotificationsPage() {
  return (
    <Page title="Notifications">
      <NotificationSettings />
    </Page>
  );
}
