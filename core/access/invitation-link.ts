// An invitation's link, which the service writes and the dashboard opens.

/** Path of the dashboard's page for invitations. The token is in the fragment, which browsers don't send to servers. */
export const INVITATION_PATH = '/invitation';
/** With this query, the page leads to the sign-in page; without it, to the page where a person who is not a user yet chooses a password. */
export const SIGN_IN_QUERY = '?sign-in';

/** Returns the path of the page that shows an invitation to its recipient, below the dashboard's origin. */
export function invitationLink(token: string): string {
  return `${INVITATION_PATH}#${token}`;
}
