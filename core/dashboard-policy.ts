// The Content-Security-Policy of the dashboard: everything from its own host. The design system sets styles of elements, and its fonts
// stand in its style sheet.

/** @param connect origins beside its own that it calls: the OpenID provider, where that is another host */
export function dashboardPolicy(connect: readonly string[] = []): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self' data:",
    ["connect-src 'self'", ...connect].join(' '),
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
}
