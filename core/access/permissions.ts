// What members may do in an account. An operation of the control API names the role that it needs.

/** `member` does the daily work; `owner` also decides who belongs to the account, which plan it has, and what is deleted for good. */
export const ROLES = ['owner', 'member'] as const;

export type Role = (typeof ROLES)[number];

/** Whether a role includes another. */
export function includesRole(held: Role, needed: Role): boolean {
  return held === 'owner' || held === needed;
}

/** Whether the account would have no owner without this one. */
export function isLastOwner(members: readonly { readonly userId: string; readonly role: Role }[], userId: string): boolean {
  const owners = members.filter(({ role }) => role === 'owner');
  return owners.length === 1 && owners[0]?.userId === userId;
}

// What a key permits.

export const SCOPES = ['pets:read', 'pets:write'] as const;

export type Scope = (typeof SCOPES)[number];

/** Parses a comma-separated list of scopes; undefined if the list is empty or contains an unknown scope. Duplicates are merged. */
export function parseScopes(text: string): readonly Scope[] | undefined {
  const names = text.split(',').map((name) => name.trim());
  if (!names.every((name) => (SCOPES as readonly string[]).includes(name))) return undefined;
  return SCOPES.filter((scope) => names.includes(scope));
}
