// The value of a project's CNAME. It identifies the project, so the record itself proves which project the owner meant.

/** Base32 without easily confused letters; 80 bits, so that tokens can't be guessed. */
const ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789';
export const PROJECT_TOKEN_LENGTH = 16;

/** @param random bytes, at least PROJECT_TOKEN_LENGTH */
export function newProjectToken(random: Uint8Array): string {
  // 256 is not a multiple of 31, so the first eight letters are slightly more likely, which costs less than half a bit.
  return Array.from(random.subarray(0, PROJECT_TOKEN_LENGTH), (byte) => ALPHABET[byte % ALPHABET.length]).join('');
}

/** @param edgeHost the parent of all projects' targets */
export function projectTarget(token: string, edgeHost: string): string {
  return `${token}.${edgeHost}`;
}

/** The token in a target; undefined if the name is not a target below the edge host. */
export function tokenOfTarget(name: string, edgeHost: string): string | undefined {
  const suffix = `.${edgeHost}`;
  const token = name.endsWith(suffix) ? name.slice(0, -suffix.length) : undefined;
  return token !== undefined && new RegExp(`^[${ALPHABET}]{${PROJECT_TOKEN_LENGTH}}$`).test(token) ? token : undefined;
}

/** The value of the TXT record that proves a project's claim. */
export function ownershipToken(projectToken: string): string {
  return `petstore-project=${projectToken}`;
}
