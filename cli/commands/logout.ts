// petstore logout

import type { Command } from 'commander';
import { type CommandContext, installationOf, type JsonOption, print, subcommand } from '../context.ts';
import { credentialsPath, openCredentials } from '../remote/credentials.ts';
import { readSignInSettings } from '../remote/installation.ts';
import { endSession } from '../remote/sign-in.ts';

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
