// Starts the dashboard: loads the application for a user with a session, and sends others to the sign-in page without waiting for it.

import { SIGN_IN_QUERY } from '../../core/access/invitation-link.ts';
import { askForUser, keepInvitation, pendingInvitation } from './invitation.ts';
import { openSession } from './session.ts';

/** The path that the sign-in page returns to. */
const SIGNED_IN = '/signed-in';
/** The path that redirects to the provider's security page, which sends users here if their sign-in is too old. */
const SECURITY = '/security';

async function start(): Promise<void> {
  keepInvitation();
  const session = await openSession();
  const isBack = location.pathname === SIGNED_IN;
  // The application loads while the token is requested.
  const application = isBack || session.isOpen() ? import('./main.tsx') : undefined;
  // A failure is reported where the application is awaited.
  application?.catch(() => {});
  if (isBack) {
    const path = await session.finishSignIn().catch(() => '/');
    if (path === session.securityPage) return location.replace(path);
    history.replaceState(null, '', path);
  }
  if (location.pathname === SECURITY && session.securityPage !== undefined) return session.openSecurityPage();
  if ((await session.token()) === undefined) {
    const token = pendingInvitation();
    const { signUpPath } = session;
    const isNew = token !== undefined && signUpPath !== undefined && location.search !== SIGN_IN_QUERY;
    return isNew ? askForUser(signUpPath, token) : session.signIn();
  }
  const { show } = await (application ?? import('./main.tsx'));
  show(session);
}

start().catch((error: unknown) => {
  const root = document.getElementById('root');
  if (root !== null) root.textContent = `The dashboard can't start: ${error instanceof Error ? error.message : error}. Reload the page to try again.`;
});
