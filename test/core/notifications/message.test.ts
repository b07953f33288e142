import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Invitation } from '../../../core/access/invitation.ts';
import type { Names } from '../../../core/notifications/content.ts';
import { COLORS } from '../../../core/notifications/layout.ts';
import { type MemberNotification, messageFor } from '../../../core/notifications/message.ts';
import { invitationSent, type MemberEvent } from '../../../core/notifications/notification.ts';
import { invitationMessage } from '../../../core/notifications/personal-messages.ts';
import { MEMBER_SAMPLES, mailSamples } from '../../../core/notifications/samples.ts';
import { NOON } from '../../../testing/samples.ts';
import { anyCharacter } from '../../support/characters.ts';

const NAMES: Names = { account: 'My shop', project: 'Shop', key: 'laptop', member: 'bob@example.com', by: 'eve@example.com' };
const GONE: Names = { account: undefined, project: undefined, key: undefined, member: undefined, by: undefined };
const ANN = { userId: 'usr_ann', address: 'ann@example.com', dashboard: 'https://pets.example.com' };
const of = { projectId: 'prj_1', domainId: 'dom_1', host: 'www.shop.dev' };
const gone = { userId: 'usr_bob', revoked: false };
const EVENTS = MEMBER_SAMPLES.map(({ event }) => event);
const notificationOf = (event: MemberEvent): MemberNotification => ({ id: `${event.kind}:1`, accountId: 'acc_1', at: NOON, event });
const texts = (names: Names) => EVENTS.map((event) => messageFor(notificationOf(event), names, ANN));

const INVITATION: Invitation = {
  ...{ id: 'inv_1', accountId: 'acc_1', email: 'ben@example.com', role: 'member', invitedBy: 'usr_ann', mailed: true, digests: [] },
  ...{ createdAt: NOON, expiresAt: NOON + 7 * 86_400_000 },
};
const invited = (account: string | undefined, inviter: string | undefined) =>
  invitationMessage(invitationSent(INVITATION), INVITATION, { account, inviter, token: 'petstore_invite_1', dashboard: ANN.dashboard });

test('every email reads as it should', () => {
  expect(
    mailSamples()
      .map(({ name, message: { to, subject, text } }) => `${name}\n${to}\n${subject}\n\n${text}`)
      .join('\n=====\n'),
  ).toMatchSnapshot();
});

describe('invitations', () => {
  test('say who invites to what, even if neither is known any more, and have nothing to turn off', () => {
    const { text, html, settingsUrl } = invited(undefined, undefined);
    expect(text).toContain('An owner invites you to the account acc_1, as a member.');
    expect(html).toMatch(/<a href="https:\/\/pets\.example\.com\/invitation#petstore_invite_1" style="[^"]+">View the invitation<\/a>/);
    expect(settingsUrl).toBeUndefined();
  });

  test.each(['Shop\r\nBcc: eve@example.com\r\n\r\n<script>alert(1)</script>', 'https://evil.example/ click'])(
    'with the name %j, are harmless',
    (name) => {
      const { subject, text, html } = invited(name, 'ann@example.com');
      expect(subject).not.toContain('evil');
      expect(text).not.toMatch(/^Bcc:|evil\.example|[^\P{C}\n]/mu);
      expect(html).not.toMatch(/<script|evil\.example|:\/\/evil/);
    },
  );
});

describe('messages', () => {
  test('have ids of what is gone instead of names', () => {
    expect(
      texts(GONE)
        .map(({ text }) => text.split('\n')[0])
        .join('\n'),
    ).toMatchSnapshot();
  });

  test('name the operator where the operator must act, not "nothing"', () => {
    const late = { seen: 'it is late', fix: 'nothing: we will try again at noon', actor: 'platform' } as const;
    const { text } = messageFor(notificationOf({ kind: 'certificate_late', ...of, advice: late }), NAMES, ANN);
    expect(text).toContain('\n\nThis is up to the operator of this service: we will try again at noon.\n\n');
  });

  test('say the same in HTML as in plain text', () => {
    const words = (text: string) =>
      text
        .replace(/https:\S+|-- |:$|\s+/gm, ' ')
        .split(/\s+/)
        .filter(Boolean);
    for (const { subject, text, html } of mailSamples().map(({ message }) => message)) {
      const [body = ''] = /<body.*<\/body>/s.exec(html) ?? [];
      const shown = body.replace(/<[^>]+>/g, ' ').replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)));
      expect(words(shown).map((word) => word.replace(/:$/, ''))).toEqual(words(`${subject} ${text}`).map((word) => word.replace(/:$/, '')));
    }
  });

  test('fit a phone, have dark colors, and load nothing', () => {
    for (const { html } of mailSamples().map(({ message }) => message)) {
      expect(html).toContain('<meta name="viewport" content="width=device-width,initial-scale=1">');
      expect(html).toContain('<meta name="color-scheme" content="light dark">');
      expect(html).not.toMatch(/<(?:style|link|img|table)|url\(|[^-]width:|class=/);
      for (const [, style = ''] of html.matchAll(/style="([^"]*)"/g)) expect(style).not.toMatch(/</);
    }
  });

  test('have the dashboard’s colors', () => {
    const css = readFileSync('dashboard/src/ui/tokens.css', 'utf8');
    const dark = css.indexOf('prefers-color-scheme: dark');
    const valuesIn = (part: string) => Object.fromEntries([...part.matchAll(/--([\w-]+): (#\w+);/g)].map(([, name, value]) => [name, value]));
    const [light, darker] = [valuesIn(css.slice(0, dark)), valuesIn(css.slice(dark))];
    for (const [name, values] of Object.entries(COLORS)) expect([name, ...values]).toEqual([name, light[name], darker[name]]);
  });

  test('link to the page, and to the settings', () => {
    const links = texts(NAMES).map(({ text, html, settingsUrl }) => {
      const urls = text.match(/https:\S+/g) ?? [];
      expect(html.match(/https:[^"]+/g)).toEqual(urls);
      expect(urls[1]).toBe(settingsUrl);
      return urls[0];
    });
    expect(new Set(links)).toEqual(
      new Set(
        ['/projects/prj_1/domains/dom_1', '/accounts/acc_1/keys', '/accounts/acc_1/usage', '/accounts/acc_1/projects', '/accounts/acc_1/plan'].map(
          (path) => `https://pets.example.com${path}`,
        ),
      ),
    );
  });

  test('have an id for each notification and recipient', () => {
    const [event = expect.fail('one')] = EVENTS;
    const id = (notification: MemberNotification, userId: string) => messageFor(notification, NAMES, { ...ANN, userId }).id;
    const one = notificationOf(event);
    expect([id(one, 'usr_ann'), messageFor(one, GONE, ANN).id]).toEqual([id(one, 'usr_ann'), id(one, 'usr_ann')]);
    expect(new Set([id(one, 'usr_ann'), id(one, 'usr_bob'), id({ ...one, id: 'other' }, 'usr_ann')]).size).toBe(3);
    expect(id(one, 'usr_ann')).toMatch(/^[0-9a-f]{40}$/);
  });

  const HOSTILE = [
    'Shop\r\nBcc: eve@example.com\r\n\r\n<script>alert(1)</script>',
    '<img src=x onerror=alert(1)> & "quoted" \'single\'',
    'evil\u202egnp.exe\u2066\u200b\u0000\ud800',
    'https://evil.example/login www.evil.example eve@evil.example',
  ];

  test.each(HOSTILE)('with the name %j, are harmless', (name) => {
    const names = { account: name, project: name, key: name, member: undefined, by: undefined };
    const removed = { kind: 'member_removed', ...gone, by: 'usr_bob', made: [{ name }, { name, project: name }], more: 0 } as const;
    for (const { subject, text, html } of [...texts(names), messageFor(notificationOf(removed), names, ANN)]) {
      expect(subject).toMatch(/^[^\p{C}\p{Zl}\p{Zp}]+$/u);
      expect(text).not.toMatch(/[^\P{C}\n]/u);
      expect(html).not.toMatch(/[^\P{C}\n]/u);
      expect(html).not.toMatch(/<(?:script|img)|evil\.example|:\/\/evil/);
      expect(text).not.toMatch(/^Bcc:|\S\.example\/|evil\.example|:\/\/evil/m);
    }
  });

  test('whatever names are, the HTML has the same elements, and headers stay one line', () => {
    const tags = (html: string) => html.match(/<[^>]*>/g);
    const plain = texts(NAMES).map(({ html }) => tags(html));
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, maxLength: 100 }), (name) => {
        const written = texts({ account: name, project: name, key: name, member: 'bob@example.com', by: 'eve@example.com' });
        expect(written.map(({ html }) => tags(html))).toEqual(plain);
        for (const { subject } of written) expect(subject).not.toMatch(/[\r\n]/);
      }),
    );
  });

  test('with hostile advice, are harmless too', () => {
    const bad = `x\r\n<b>${'y'.repeat(5_000)}`;
    const { text, html } = messageFor(notificationOf({ kind: 'domain_failed', ...of, advice: { seen: bad, fix: bad, actor: 'owner' } }), NAMES, ANN);
    expect(html).not.toContain('<b>');
    expect(text.length).toBeLessThan(4_000);
  });
});
