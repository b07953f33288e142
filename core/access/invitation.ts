// Invitations to accounts. A link has a token: petstore_invite_<account><invitation><secret><checksum>, all base62. Only SHA-256 digests are stored.
// A link that is sent by email is created with its message, so no one has it earlier. Times are in milliseconds since 1970.

import { ACCOUNT_ID_LENGTH, ACCOUNT_ID_PREFIX, OPERATOR } from './account.ts';
import { digestOf } from './api-key.ts';
import { CHECKSUM_LENGTH, hasChecksum, type RandomBytes, randomBase62, withChecksum } from './base62.ts';
import type { Role } from './plans.ts';

export interface Invitation {
  readonly id: string;
  readonly accountId: string;
  /** Lower case. */
  readonly email: string;
  readonly role: Role;
  /** Id of the owner who sent it, or OPERATOR. */
  readonly invitedBy: string;
  readonly createdAt: number;
  readonly expiresAt: number;
  /** Whether its links are only ever sent to the address, so that having a link proves access to the mailbox. */
  readonly mailed: boolean;
  /** Digests of its links' tokens. Each message has its own link, even when the invitation is sent again. */
  readonly digests: readonly string[];
}

const ID_PREFIX = 'inv_';
/** Number of base62 characters in an id after the account's part. */
export const INVITATION_ID_TAIL_LENGTH = 12;
const TOKEN_PREFIX = 'petstore_invite_';
/** 30 base62 characters: 178 bits. */
const SECRET_LENGTH = 30;
const ID_LENGTH = ACCOUNT_ID_LENGTH + INVITATION_ID_TAIL_LENGTH;
const ID_PATTERN = new RegExp(`^${ID_PREFIX}[0-9A-Za-z]{${ID_LENGTH}}$`);
const TOKEN_PATTERN = new RegExp(`^${TOKEN_PREFIX}[0-9A-Za-z]{${ID_LENGTH + SECRET_LENGTH + CHECKSUM_LENGTH}}$`);

/** Returns the ids whose daily maximum the invitation counts against: the account, and the user who invites on its behalf. */
export function sendersOf({ accountId, invitedBy }: Pick<Invitation, 'accountId' | 'invitedBy'>): readonly string[] {
  return invitedBy === OPERATOR ? [accountId] : [accountId, invitedBy];
}

/** Generates an id that contains the account's id. */
export function newInvitationId(accountId: string, randomBytes: RandomBytes): string {
  return `${ID_PREFIX}${accountId.slice(ACCOUNT_ID_PREFIX.length)}${randomBase62(INVITATION_ID_TAIL_LENGTH, randomBytes)}`;
}

/** Returns the account id in an invitation's id; undefined if the text is not an invitation's id. */
export function accountIdOfInvitation(invitationId: string): string | undefined {
  return ID_PATTERN.test(invitationId) ? ACCOUNT_ID_PREFIX + invitationId.slice(ID_PREFIX.length).slice(0, ACCOUNT_ID_LENGTH) : undefined;
}

/** A link's token, and what is stored about it. */
export interface InvitationToken {
  readonly token: string;
  readonly digest: string;
}

/** Generates a token for the invitation. Its text is never stored. */
export function generateInvitationToken(invitationId: string, randomBytes: RandomBytes): InvitationToken {
  const token = withChecksum(`${TOKEN_PREFIX}${invitationId.slice(ID_PREFIX.length)}${randomBase62(SECRET_LENGTH, randomBytes)}`);
  return { token, digest: digestOf(token) };
}

/** Parses a token; returns undefined if its format or checksum is wrong. Does not check whether the invitation exists. */
export function parseInvitationToken(text: string): { readonly invitationId: string; readonly digest: string } | undefined {
  if (!TOKEN_PATTERN.test(text) || !hasChecksum(text)) return undefined;
  return { invitationId: ID_PREFIX + text.slice(TOKEN_PREFIX.length).slice(0, ID_LENGTH), digest: digestOf(text) };
}
