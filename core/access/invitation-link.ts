// An invitation's link, which the service writes and the dashboard opens.

/** Path of the dashboard's page for invitations. The token follows in the fragment, which browsers send to no server. */
export const INVITATION_PATH = '/invitation';
/** The query with which this page leads to the sign-in page, instead of the one where a person without a user chooses a password. */
export const SIGN_IN_QUERY = '?sign-in';

/** Returns the path of the page that shows an invitation to its recipient, below the dashboard's origin. */
export function invitationLink(token: string): string {
  return `${INVITATION_PATH}#${token}`;
}
