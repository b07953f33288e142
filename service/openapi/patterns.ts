// Patterns for ids, keys and names in the OpenAPI documents (ECMA-262 without lookaround, so that all client generators can read them).

import { ACCOUNT_ID_LENGTH, ACCOUNT_ID_PREFIX } from '../../core/access/account.ts';
import { INVITATION_ID_TAIL_LENGTH } from '../../core/access/invitation.ts';
import { CURSOR_PATTERN } from '../../core/list-page.ts';
import { DEPLOYMENT_ID_PREFIX, DOMAIN_ID_PREFIX, ID_LENGTH, PROJECT_ID_PREFIX } from '../../core/projects/project.ts';
import { LINE_PATTERN, NAME_PATTERN } from '../../core/text.ts';

const base62 = (prefix: string, length: number) => `^${prefix}[0-9A-Za-z]{${length}}$`;

export const PATTERNS = {
  /** Account, secret and checksum, in base62. */
  apiKey: '^petstore_(live|test)_[0-9A-Za-z]{46}$',
  /** Project, secret and checksum, in base62. */
  deployToken: '^petstore_deploy_[0-9A-Za-z]{46}$',
  accountId: base62(ACCOUNT_ID_PREFIX, ACCOUNT_ID_LENGTH),
  /** The account's part, then 12 characters. */
  keyId: base62('key_', ACCOUNT_ID_LENGTH + 12),
  /** The project's part, then 12 characters. */
  tokenId: base62('tok_', ID_LENGTH + 12),
  /** The account's part, then 12 characters. */
  invitationId: base62('inv_', ACCOUNT_ID_LENGTH + INVITATION_ID_TAIL_LENGTH),
  projectId: base62(PROJECT_ID_PREFIX, ID_LENGTH),
  deploymentId: base62(DEPLOYMENT_ID_PREFIX, ID_LENGTH),
  domainId: base62(DOMAIN_ID_PREFIX, ID_LENGTH),
  /** `usr_…` if the service manages users, a UUID if Cognito does. */
  userId: '^[0-9A-Za-z_-]{1,64}$',
  /** A SHA-256 digest, in base64url. */
  sessionId: '^[0-9A-Za-z_-]{43}$',
  cursor: '^[0-9A-Za-z_-]{16}$',
  /** Of the control API's lists. */
  listCursor: CURSOR_PATTERN,
  name: NAME_PATTERN,
  /** As zod's rule for email addresses, without lookaround. */
  email: "^([A-Za-z0-9_'+-]+\\.)*[A-Za-z0-9_'+-]*[A-Za-z0-9_+-]@([A-Za-z0-9][A-Za-z0-9-]*\\.)+[A-Za-z]{2,}$",
  /** On one line; may be empty. */
  note: LINE_PATTERN,
  /** A host name as stored: lower case, in ASCII, without a trailing dot. */
  host: '^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\\.)+[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$',
  /** Visible ASCII, quoted or bare. */
  idempotencyKey: '^("[!-~]{1,255}"|[!#-~][!-~]{0,254})$',
} as const;
