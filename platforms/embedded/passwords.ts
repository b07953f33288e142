// What users' new passwords must be on one machine.

import { isCommonPassword } from '../../adapters/identity/common-passwords.ts';
import { passwordProblem } from '../../core/identity/password.ts';

/** As `passwordProblem`, with the list of common passwords. */
export function newPasswordProblem(password: string, email: string): string | undefined {
  return passwordProblem(password, email, isCommonPassword);
}
