// One-click unsubscribing (RFC 8058). The URL in an email names the user and the kind of email, and is signed with the user's key, so no sign-in is
// needed. A POST, which mail programs send, turns the kind off. A GET only shows a button, because programs that check emails follow links.

import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import type { RandomBytes } from '../../core/access/base62.ts';
import { labelOf } from '../../core/notifications/labels.ts';
import { COLORS, htmlText } from '../../core/notifications/layout.ts';
import { UNSUBSCRIBE_PATH } from '../../core/notifications/message.ts';
import { hasOneClick, NOTIFICATION_KINDS, type NotificationKind } from '../../core/notifications/notification.ts';
import type { NotificationSettings } from '../../core/notifications/ports.ts';
import { actingAs } from '../audit/acting.ts';
import type { Response } from '../http/call.ts';

const KEY_BYTES = 32;
/** Maximum number of attempts if the user's other settings are changed concurrently. */
const TRIES = 5;

/**
 * Returns the URL for turning off a kind of email; undefined for a kind that has none, or if the dashboard lacks HTTPS, which RFC 8058 requires.
 * @param dashboard its origin, without a trailing slash
 */
export async function unsubscribeUrl(
  settings: Pick<NotificationSettings, 'unsubscribeKey'>,
  { userId, kind, dashboard }: { readonly userId: string; readonly kind: NotificationKind; readonly dashboard: string },
  randomBytes: RandomBytes,
): Promise<string | undefined> {
  if (!hasOneClick(kind) || !dashboard.startsWith('https:')) return undefined;
  const key = await settings.unsubscribeKey(userId, Buffer.from(randomBytes(KEY_BYTES)).toString('base64url'));
  return key && `${dashboard}${UNSUBSCRIBE_PATH}?${new URLSearchParams({ user: userId, kind, proof: proofOf(key, userId, kind) })}`;
}

function proofOf(key: string, userId: string, kind: NotificationKind): string {
  return createHmac('sha256', key).update(`unsubscribe\n${userId}\n${kind}`).digest('base64url');
}

interface UnsubscribeRequest {
  readonly method: string;
  readonly query: Readonly<Record<string, string | undefined>>;
  /** IP address, for the audit log. @default none */
  readonly address?: string | undefined;
}

/** Answers a request for UNSUBSCRIBE_PATH with a page. @param onFault called with a storage fault; the page then asks the user to try again */
export async function answerUnsubscribe(
  settings: NotificationSettings,
  request: UnsubscribeRequest,
  onFault: (error: unknown) => void,
): Promise<Response> {
  const answer = await answerOf(settings, request).catch((error: unknown) => {
    onFault(error);
    return unavailable();
  });
  return request.method === 'HEAD' ? { ...answer, body: '' } : answer;
}

const unavailable = () => page(503, 'Please try again', { 'retry-after': '1' });

async function answerOf(settings: NotificationSettings, { method, query, address }: UnsubscribeRequest): Promise<Response> {
  if (!['GET', 'HEAD', 'POST'].includes(method)) return page(405, 'This is not possible here', { allow: 'GET, HEAD, POST' });
  const kind = NOTIFICATION_KINDS.find((each) => each === query.kind);
  const { user = '', proof = '' } = query;
  if (kind === undefined || !(await isValid(settings, user, kind, proof)))
    return page(404, 'This link is not valid', {}, 'To choose which emails you get, open the Notifications page of the dashboard.');
  const what = `Emails that say “${labelOf(kind)}”`;
  if (method !== 'POST')
    return page(200, 'Turn off these emails?', {}, `${what}, for all of your accounts. Other members of the accounts still get them.`, BUTTON);
  const isOff = await actingAs({ kind: 'visitor', address }, () => turnOff(settings, user, kind));
  return isOff ? page(200, 'These emails are turned off', {}, `${what} will no longer be sent to you. ${AFTERWARDS}`) : unavailable();
}

async function isValid(settings: Pick<NotificationSettings, 'unsubscribeKey'>, userId: string, kind: NotificationKind, proof: string) {
  // Ids are short. A longer text is not an id, and may be too long for a key in a table.
  const key = userId === '' || userId.length > 100 ? undefined : await settings.unsubscribeKey(userId);
  if (key === undefined) return false;
  const [expected, given] = [proofOf(key, userId, kind), proof].map((text) => Buffer.from(text)) as [Buffer, Buffer];
  return expected.length === given.length && timingSafeEqual(expected, given);
}

async function turnOff(settings: NotificationSettings, userId: string, kind: NotificationKind): Promise<boolean> {
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const muted = await settings.mutedBy(userId);
    if (muted.includes(kind) || (await settings.mute(userId, [...muted, kind], muted))) return true;
  }
  return false;
}

const AFTERWARDS = 'You can turn them on again in the dashboard, on the Notifications page.';
/** Sends the same request as a mail program (RFC 8058, section 3.2), to the same URL. */
const BUTTON = '<form method="post"><input type="hidden" name="List-Unsubscribe" value="One-Click"><button>Turn them off</button></form>';
function styleSheet(): string {
  const shade = (property: string, name: keyof typeof COLORS) => `${property}:light-dark(${COLORS[name].join(',')})`;
  return `body{margin:0;padding:1rem;font:1rem/1.5 system-ui,sans-serif;${shade('background', 'paper')};${shade('color', 'ink')}}main{max-width:30rem;margin:10vh auto;padding:1.5rem;border-radius:12px;border:1px solid;${shade('border-color', 'line')};${shade('background', 'surface')}}h1{margin:0;font-size:1.375rem;line-height:1.3}button{min-height:44px;padding:0 1.25rem;border:0;border-radius:8px;font:inherit;font-weight:600;cursor:pointer;${shade('background', 'accent')};${shade('color', 'on-accent')}}`;
}

function page(statusCode: number, title: string, headers: Record<string, string>, text = '', form = ''): Response {
  const style = styleSheet();
  const body = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><meta name="color-scheme" content="light dark">
<title>${htmlText(title)} – Petstore</title><style>${style}</style></head>
<body><main><h1>${htmlText(title)}</h1><p>${htmlText(text)}</p>${form}</main></body></html>
`;
  Object.assign(headers, {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'content-security-policy': `default-src 'none'; style-src 'sha256-${hash('sha256', style, 'base64')}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
    // The URL contains the signature, which other sites must not get.
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-robots-tag': 'noindex',
  });
  return { statusCode, headers, body };
}
