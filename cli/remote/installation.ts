// An installation, as found by the command line: the origin of its dashboard, and how to sign in there.

import { isIP } from 'node:net';
import * as z from 'zod';
import { SIGN_IN_SETTINGS_PATH, type SignInSettings } from '../../core/identity/sign-in-settings.ts';
import { CliError, UsageError } from '../context.ts';

/** How long a request may take, in milliseconds. */
export const REQUEST_MS = 30_000;

const settingsSchema = z.object({
  authority: z.url().refine((url) => isSecure(new URL(url))),
  scope: z.string(),
  commandLine: z.object({ clientId: z.string(), redirectUris: z.array(z.url().refine(isHere)).min(1) }).optional(),
});

function isHere(uri: string): boolean {
  const { protocol, hostname } = new URL(uri);
  return protocol === 'http:' && isLoopback(hostname);
}

/** What the command line needs from the settings. */
export type CommandLineSettings = Pick<SignInSettings, 'authority' | 'scope' | 'commandLine'>;

/** Reads how to sign in. @throws CliError if there is no petstore at the origin, or if it is too old */
export async function readSignInSettings(origin: string): Promise<CommandLineSettings> {
  const file = `${origin}${SIGN_IN_SETTINGS_PATH}`;
  const response = await fetch(file, { signal: AbortSignal.timeout(REQUEST_MS) }).catch((error: unknown) => {
    throw new CliError(`${origin}: no answer (${reasonOf(error)}); check the address, and that the service is running`);
  });
  const parsed = settingsSchema.safeParse(response.ok ? await response.json().catch(() => undefined) : undefined);
  if (!parsed.success) throw new CliError(`${file} does not say how to sign in; is this the address of a petstore dashboard?`);
  const { commandLine, ...settings } = parsed.data;
  if (commandLine === undefined) throw new CliError(`${origin}: this installation is too old for petstore login; ask its operator to upgrade it`);
  return { ...settings, commandLine };
}

/** Returns the reason why a request got no response, which fetch wraps in another error. */
export function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error ? cause.message || ('code' in cause ? String(cause.code) : cause.name) : String(cause);
}

/** Returns a URL's origin: https, or http for this computer, so that no token is sent unencrypted. @throws UsageError that says what is allowed */
export function originOf(text: string): string {
  const url = URL.parse(text);
  const allowed = 'allowed: the address of a dashboard, such as https://pets.example.com; http only on this computer';
  if (url?.username || url?.password) throw new UsageError(`--url: got a user name or password; ${allowed}`);
  if (url === null || !isSecure(url)) throw new UsageError(`--url: got ${JSON.stringify(text)}; ${allowed}`);
  return url.origin;
}

/** Whether no one can read or change what is sent to the URL: https, or http to this computer. */
export function isSecure({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));
}

/** Whether a host name can only mean this computer (RFC 6761, section 6.3). */
export function isLoopback(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '');
  return host === 'localhost' || host.endsWith('.localhost') || (isIP(host) === 4 && host.startsWith('127.')) || host === '::1';
}
