// Patterns for ids, keys and names in the OpenAPI documents (ECMA-262 without lookaround, so that all client generators can read them).

import { ACCOUNT_ID_LENGTH, ACCOUNT_ID_PREFIX } from '../../core/access/account.ts';
import { INVITATION_ID_TAIL_LENGTH } from '../../core/access/invitation.ts';
import { CURSOR_PATTERN } from '../../core/list-page.ts';
import { DEPLOYMENT_ID_PREFIX, DOMAIN_ID_PREFIX, ID_LENGTH, PROJECT_ID_PREFIX } from '../../core/projects/project.ts';

const base62 = (prefix: string, length: number) => `^${prefix}[0-9A-Za-z]{${length}}$`;

/** Control characters (Unicode's category Cc), and those that turn the direction of text, as in core/text.ts. */
const CONTROL = String.raw`\u0000-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069`;
/**
 * Invisible characters, as in core/text.ts, up to U+FFFF. Regular expression dialects differ in how they write the others, so a name made only of
 * those matches the pattern but is still refused.
 */
const INVISIBLE = String.raw`\u0009-\u000D\u0020\u0085\u00A0\u00AD\u034F\u061C\u115F-\u1160\u1680\u17B4-\u17B5\u180B-\u180F\u2000-\u200F\u2028-\u202F\u205F-\u206F\u2800\u3000\u3164\uFE00-\uFE0F\uFEFF\uFFA0\uFFF0-\uFFF8`;

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
  /** Not blank, no control characters. */
  name: `^[^${CONTROL}]*[^${CONTROL}${INVISIBLE}][^${CONTROL}]*$`,
  /** As zod's rule for email addresses, without lookaround. */
  email: "^([A-Za-z0-9_'+-]+\\.)*[A-Za-z0-9_'+-]*[A-Za-z0-9_+-]@([A-Za-z0-9][A-Za-z0-9-]*\\.)+[A-Za-z]{2,}$",
  /** On one line; may be empty. */
  note: `^[^${CONTROL}]*$`,
  /** A host name as stored: lower case, in ASCII, without a trailing dot. */
  host: '^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\\.)+[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$',
  /** Visible ASCII, quoted or bare. */
  idempotencyKey: '^("[!-~]{1,255}"|[!#-~][!-~]{0,254})$',
} as const;
