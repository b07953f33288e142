// Programs that suites talk to.

/** Whether suites that need a program run. Without it, they are skipped; in CI they run and fail, and no other suite does. */
export function isInstalled(found: boolean): boolean {
  return found || process.env.CI !== undefined;
}
