// What a key may do.

export const SCOPES = ['pets:read', 'pets:write'] as const;

export type Scope = (typeof SCOPES)[number];

/** Reads a comma-separated list of scopes; undefined if it is empty or names an unknown one. Duplicates fold. */
export function parseScopes(text: string): readonly Scope[] | undefined {
  const names = text.split(',').map((name) => name.trim());
  if (!names.every((name) => (SCOPES as readonly string[]).includes(name))) return undefined;
  return SCOPES.filter((scope) => names.includes(scope));
}
