// Starts the dashboard: restores the session, and loads the application for it. Users without a session are sent to the sign-in page, which does not
// wait for the application.

import { SIGN_IN_QUERY } from '../../core/access/invitation-link.ts';
import { askForUser, keepInvitation, pendingInvitation } from './invitation.ts';
import { openSession } from './session.ts';

/** Where the sign-in page returns to. */
const SIGNED_IN = '/signed-in';

async function start(): Promise<void> {
  keepInvitation();
  const session = await openSession();
  const isBack = location.pathname === SIGNED_IN;
  // Loads while the token is requested.
  const application = isBack || session.isOpen() ? import('./main.tsx') : undefined;
  // A failure is reported where the application is awaited.
  application?.catch(() => {});
  if (isBack) history.replaceState(null, '', await session.finishSignIn().catch(() => '/'));
  if ((await session.token()) === undefined) {
    const token = pendingInvitation();
    const isNew = token !== undefined && session.signUpPath !== undefined && location.search !== SIGN_IN_QUERY;
    return isNew ? askForUser(session.signUpPath, token) : session.signIn();
  }
  const { show } = await (application ?? import('./main.tsx'));
  show(session);
}

start().catch((error: unknown) => {
  const root = document.getElementById('root');
  if (root !== null) root.textContent = `The dashboard can't start: ${error instanceof Error ? error.message : error}. Reload the page to try again.`;
});
