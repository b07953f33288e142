// What a key permits.

export const SCOPES = ['pets:read', 'pets:write'] as const;

export type Scope = (typeof SCOPES)[number];

/** Parses a comma-separated list of scopes; undefined if the list is empty or contains an unknown scope. Duplicates are merged. */
export function parseScopes(text: string): readonly Scope[] | undefined {
  const names = text.split(',').map((name) => name.trim());
  if (!names.every((name) => (SCOPES as readonly string[]).includes(name))) return undefined;
  return SCOPES.filter((scope) => names.includes(scope));
}
