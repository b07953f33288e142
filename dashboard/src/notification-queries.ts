// The query and the mutation of the user's settings for emails: apart from the others (queries.ts), because they are not part of the initial load.

import { ifMatch, unwrap } from './api.ts';
import { useChange, useRead } from './queries.ts';
import type { NotificationKind } from './shapes.ts';

/** Which emails the signed-in user gets. */
export const useNotificationSettings = () => useRead(['notifications'], (api) => unwrap(api.GET('/me/notifications')));

/** Chooses which emails the signed-in user gets: these kinds, if the choice still is as it was read. */
export function useSaveNotificationSettings() {
  return useChange(
    (api, { read, kinds }: { readonly read: object; readonly kinds: NotificationKind[] }) =>
      unwrap(api.PUT('/me/notifications', { headers: ifMatch(read), body: { kinds } })),
    { stale: [['notifications']] },
  );
}
