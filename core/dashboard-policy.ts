// The dashboard's policies for browsers. The Content-Security-Policy allows only the dashboard's own resources, and one inline style for first paint.

/**
 * Header for the dashboard and the sign-in pages: a site that opens such a page gets no reference to the window, so it can't navigate the window or
 * see its address (HTML, "Cross-origin opener policies"). No page needs the reference, because signing in uses the same tab.
 */
export const OPENER_POLICY = { name: 'cross-origin-opener-policy', value: 'same-origin' } as const;

/** The hash of the style in the built dashboard/index.html (a test compares them). */
const FIRST_PAINT = "'sha256-92JP6B16jVbC0pddyRODK5I2QbzyLGpWX5WMzovW6J8='";

/** @param connect additional origins that the dashboard calls: the OpenID provider and the upload host, unless they are the dashboard's own */
export function dashboardPolicy(connect: readonly string[] = []): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' ${FIRST_PAINT}`,
    "img-src 'self' data:",
    "font-src 'self'",
    ["connect-src 'self'", ...connect].join(' '),
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
}
