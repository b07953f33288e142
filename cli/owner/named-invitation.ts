// The invitation that a command names.

import { normalEmail } from '../../core/identity/user.ts';
import type { InvitationRow } from './port.ts';

/** Finds an invitation by its id or its address. @returns its id, or what was given, if there is none */
export function invitationIn(all: readonly InvitationRow[], given: string): string {
  return all.find(({ invitationId, email }) => invitationId === given || email === normalEmail(given))?.invitationId ?? given;
}
