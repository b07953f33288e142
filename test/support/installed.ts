// Programs that suites talk to.

/** Whether the suites that need a program run: if it is installed, and always in CI, where they fail without it. */
export function isInstalled(found: boolean): boolean {
  return found || process.env.CI !== undefined;
}
