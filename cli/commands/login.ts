// petstore login, petstore logout

import { spawn } from 'node:child_process';
import type { Command } from 'commander';
import { type CommandContext, installationOf, type JsonOption, print, subcommand } from '../context.ts';
import { credentialsPath, openCredentials } from '../remote/credentials.ts';
import { readSignInSettings } from '../remote/installation.ts';
import { endSession, signIn } from '../remote/sign-in.ts';

/** Programs that open a URL in the user's browser, by platform. */
const OPENERS: Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  linux: ['xdg-open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** Adds `petstore login`. */
export function addLoginCommand(program: Command, context: CommandContext): void {
  subcommand(program, 'login', 'sign in to the installation that --url names, in your browser; then use other commands with the same --url')
    .option('--no-browser', 'only print the address of the sign-in page')
    .action(async ({ browser, json }: JsonOption & { browser: boolean }) => {
      const origin = installationOf(context);
      const settings = await readSignInSettings(origin);
      const show = (url: string) => {
        context.err(`Sign in here:\n  ${url}`);
        if (browser) openInBrowser(url);
      };
      const session = await signIn(settings, show, context.clock);
      const credentials = openCredentials(credentialsPath(context.environment));
      await credentials.locked(async () => credentials.set(origin, session));
      print(
        context,
        json,
        { url: origin, email: session.email },
        () => `Signed in to ${origin}${session.email === null ? '' : ` as ${session.email}`}`,
      );
    });
}

/** Adds `petstore logout`. */
export function addLogoutCommand(program: Command, context: CommandContext): void {
  subcommand(program, 'logout', 'end the session with the installation that --url names').action(async ({ json }: JsonOption) => {
    const origin = installationOf(context);
    const credentials = openCredentials(credentialsPath(context.environment));
    const wasSignedIn = await credentials.locked(async () => {
      const session = credentials.get(origin);
      if (session === undefined) return false;
      // The session is removed here even if the installation can't be reached.
      credentials.set(origin, undefined);
      await endSession(await readSignInSettings(origin), session);
      return true;
    });
    print(context, json, { url: origin, wasSignedIn }, () => (wasSignedIn ? `Signed out of ${origin}` : `You were not signed in to ${origin}`));
  });
}

/** Tries to open a browser. If no program can, or there is no display, the user can still use the printed URL. */
function openInBrowser(url: string): void {
  const [program, ...args] = OPENERS[process.platform] ?? [];
  if (program === undefined) return;
  const child = spawn(program, [...args, url], { stdio: 'ignore', detached: true });
  child.on('error', () => {});
  child.unref();
}
