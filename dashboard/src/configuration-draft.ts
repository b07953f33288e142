// A project's configuration while it is being edited. The API decides what is valid; only the shape is checked here.

interface Redirect {
  readonly from: string;
  readonly to: string;
  readonly status: number;
}

export interface DomainConfiguration {
  readonly domains: { readonly primary?: string | undefined; readonly redirects: readonly Redirect[] };
  /** @default visits are not logged */
  readonly logs?: { readonly access?: boolean | undefined } | undefined;
}

/** Returns the text in the form in which it is edited and exported. */
export function textOf(configuration: DomainConfiguration): string {
  return JSON.stringify(configuration, null, 2);
}

/** @returns undefined if the text is not JSON with this shape */
export function parseConfiguration(text: string): DomainConfiguration | undefined {
  try {
    const { domains, logs } = JSON.parse(text) as Partial<DomainConfiguration>;
    const { primary, redirects = [] } = domains ?? {};
    const isRedirect = (each: Partial<Redirect> | null) => typeof each?.from === 'string' && typeof each.to === 'string';
    if (typeof domains !== 'object' || !Array.isArray(redirects) || !redirects.every(isRedirect)) return undefined;
    if (primary !== undefined && typeof primary !== 'string') return undefined;
    if (logs !== undefined && typeof logs?.access !== 'boolean') return undefined;
    return {
      domains: { ...(primary !== undefined && { primary }), redirects: redirects.map(({ from, to, status = 301 }) => ({ from, to, status })) },
      ...(logs?.access === true && { logs: { access: true } }),
    };
  } catch {
    return undefined;
  }
}

/** Returns a description of each setting that points to a domain. */
export function usesOf({ domains: { primary, redirects } }: DomainConfiguration, host: string): readonly string[] {
  const leading = redirects.filter(({ to }) => to === host).map(({ from }) => `the redirect from ${from}`);
  return host === primary ? ['its role as the primary domain', ...leading] : leading;
}

/** Returns what a domain is used for, as text; undefined if it only shows the project. */
export function roleOf({ domains: { primary, redirects } }: DomainConfiguration, host: string): string | undefined {
  if (host === primary) return 'primary';
  const redirect = redirects.find(({ from }) => from === host);
  return redirect && `redirects to ${redirect.to} (${redirect.status})`;
}

/** @param primary empty for no primary domain */
export function setPrimary(draft: DomainConfiguration, primary: string | undefined): DomainConfiguration {
  return { ...draft, domains: { ...(primary && { primary }), redirects: draft.domains.redirects } };
}

/** Turns the access log on or off. */
export function setAccessLog({ domains }: DomainConfiguration, isOn: boolean): DomainConfiguration {
  return { domains, ...(isOn && { logs: { access: true } }) };
}

/** Replaces the redirects. */
export function setRedirects(draft: DomainConfiguration, redirects: readonly Redirect[]): DomainConfiguration {
  return { ...draft, domains: { ...draft.domains, redirects } };
}

/** Sets a host's redirect; undefined removes it. */
export function setRedirectOf(draft: DomainConfiguration, host: string, redirect: Omit<Redirect, 'from'> | undefined): DomainConfiguration {
  const others = draft.domains.redirects.filter(({ from }) => from !== host);
  return setRedirects(draft, redirect === undefined ? others : [...others, { from: host, ...redirect }]);
}
