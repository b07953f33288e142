// The dashboard's Content-Security-Policy, which allows only resources from the dashboard's own host. The design system sets inline styles, and its
// fonts are embedded in its style sheet.

/** @param connect additional origins that the dashboard calls: the OpenID provider, and where files are uploaded, if they are on other hosts */
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
