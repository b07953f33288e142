// The dashboard as users see it: Chromium, which trusts the development authority, with the real service in a separate process.

import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import axeCore from 'axe-core';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { expect } from 'vitest';
import { launchChromium } from './chromium.ts';
import { makeFolder } from './folders.ts';
import { type ServerProcess, startServerProcess } from './processes.ts';

/** If set, screenshots for docs/dashboard.md and the README are written to this folder. */
const IMAGES = process.env.DASHBOARD_IMAGES;
const GUIDE = ['docs/dashboard.md', 'README.md'].map((file) => readFileSync(join(import.meta.dirname, '../..', file), 'utf8')).join('\n');
const DESKTOP = { width: 1_280, height: 900 };
const PHONE = { width: 375, height: 740 };
/** Starts with the narrowest width that WCAG 2.2 (1.4.10) requires; 1,024 has the narrowest tables. The last one is that of the other tests. */
const SCREENS = [320, PHONE, 768, 800, 1_024, 1_920, DESKTOP].map((screen) =>
  typeof screen === 'number' ? { width: screen, height: 1_000 } : screen,
);
/** Widths that show different elements: the style changes at 769 and 961 pixels. */
const EVERY_RULE_AT = [PHONE.width, 800, DESKTOP.width];
const FOCUS = readFileSync(join(import.meta.dirname, 'focus.js'), 'utf8');
const GEOMETRY = readFileSync(join(import.meta.dirname, 'geometry.js'), 'utf8');

export interface User {
  readonly email: string;
  readonly password: string;
}

export interface Dashboard {
  readonly folder: string;
  readonly browser: Browser;
  readonly url: () => string;
  /** The address and port that serve domains; the port changes with each start. */
  readonly addressOf: (host: string) => string;
  /** The user created by the first start; a member of the account Demo. */
  readonly demo: User;
  /** A tab in a new browser, with nothing stored. Errors on its pages are collected. */
  newTab(): Promise<{ page: Page; context: BrowserContext; problems: string[] }>;
  /** The same tab, signed in, on the projects page. */
  newSignedInTab(user?: User): Promise<{ page: Page; context: BrowserContext; problems: string[] }>;
  stopService(): Promise<void>;
  /** Restarts on the same port as before. */
  startService(): Promise<void>;
  close(): Promise<void>;
}

/** Starts the service and the browser. @param settings of the service. @default none */
export async function openDashboard(settings: Readonly<Record<string, string>> = {}): Promise<Dashboard> {
  expectBuilt();
  const folder = makeFolder();
  let server: ServerProcess = await startServerProcess(folder.path, settings);
  const { url } = server;
  const [, email = '', password = ''] = /(\S+@\S+) {2}(\S+)/.exec(server.stdout()) ?? [];
  const home = join(folder.path, 'home');
  trustAuthority(home, join(folder.path, 'development-ca.pem'));
  const browser = await launchChromium(['--host-resolver-rules=MAP *.test 127.0.0.1'], { HOME: home });
  const demo = { email, password };

  async function newTab() {
    const context = await browser.newContext({ viewport: DESKTOP, permissions: ['clipboard-read', 'clipboard-write'] });
    context.setDefaultTimeout(60_000);
    const page = await context.newPage();
    const problems: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error') problems.push(message.text());
    });
    page.on('pageerror', (error) => problems.push(error.message));
    return { page, context, problems };
  }

  return {
    folder: folder.path,
    browser,
    url: () => url,
    addressOf: (host) => `https://${host}:${/custom domains at https:\/\/[\d.]+:(\d+)/.exec(server.stdout())?.[1]}/`,
    demo,
    newTab,
    newSignedInTab: async (user = demo) => {
      const tab = await newTab();
      await tab.page.goto(url);
      await signIn(tab.page, user);
      await title(tab.page, /./).waitFor();
      return tab;
    },
    stopService: async () => void (await server.stop()),
    startService: async () => {
      server = await startServerProcess(folder.path, { ...settings, PETSTORE_PORT: new URL(url).port });
    },
    close: async () => {
      await browser.close();
      await server.stop();
      folder.remove();
    },
  };
}

/** The tests use the built dashboard: an outdated build would not test the sources. */
function expectBuilt(): void {
  const dashboard = join(import.meta.dirname, '../../dashboard');
  const built = statSync(join(dashboard, 'dist/index.html')).mtimeMs;
  const sources = readdirSync(join(dashboard, 'src'), { recursive: true, encoding: 'utf8' }).map(
    (name) => statSync(join(dashboard, 'src', name)).mtimeMs,
  );
  if (Math.max(...sources) > built) throw new Error('dashboard/dist is older than dashboard/src: npm run build');
}

/** Makes browsers with this home directory trust the authority. */
export function trustAuthority(home: string, certificate: string): void {
  const folder = join(home, '.pki/nssdb');
  mkdirSync(folder, { recursive: true });
  for (const args of [
    ['-N', '--empty-password'],
    ['-A', '-t', 'C,,', '-n', 'petstore', '-i', certificate],
  ])
    expect(spawnSync('certutil', ['-d', `sql:${folder}`, ...args]).status).toBe(0);
}

/** Fills in the sign-in page, and submits it. */
export async function signIn(page: Page, { email, password }: User): Promise<void> {
  await page.getByLabel('Email address').fill(email);
  await page.getByLabel('Password').fill(password);
  await button(page, 'Sign in').click();
}

/** The button with exactly this accessible name. */
export const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true });
/** Chooses an action from a menu. */
export async function act(page: Page, menu: string | RegExp, action: string): Promise<void> {
  await button(page, menu).click();
  await button(page, action).click();
}
/** The level 1 heading with exactly this text. */
export const title = (page: Page, name: string | RegExp) => page.getByRole('heading', { name, level: 1, exact: true });

/** Calls the control API as the tab's user. */
export async function callApi<T>(page: Page, method: string, path: string, body?: unknown): Promise<T> {
  const token = await page.evaluate(() => {
    const key = Object.keys(sessionStorage).find((name) => name.startsWith('oidc.user:'));
    return JSON.parse(sessionStorage.getItem(key ?? '') ?? '{}').access_token;
  });
  const response = await fetch(`${new URL(page.url()).origin}/dashboard/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const answer = (await response.json()) as T;
  if (!response.ok) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`);
  return answer;
}

/** Creates a project in the user's first account. @returns its id */
export async function newProject(page: Page, name: string): Promise<string> {
  const [account] = await callApi<{ accountId: string }[]>(page, 'GET', '/accounts');
  const { projectId } = await callApi<{ projectId: string }>(page, 'POST', `/accounts/${account?.accountId}/projects`, { name });
  return projectId;
}

/** Creates one of the project's domains, which is served. */
export async function newLiveDomain(page: Page, projectId: string, host: string): Promise<void> {
  const domains = `/projects/${projectId}/domains`;
  const { domainId } = await callApi<{ domainId: string }>(page, 'POST', domains, { host });
  await callApi(page, 'POST', `${domains}/${domainId}/publish`);
  await callApi(page, 'POST', `${domains}/${domainId}/verify`);
  await expect.poll(async () => (await callApi<{ state: string }>(page, 'GET', `${domains}/${domainId}`)).state).toBe('live');
}

/**
 * Expects what the page shows now to be accessible and laid out properly on every screen, in both themes and in forced colors: axe finds nothing, no table is wider than
 * its screen, no word is broken, and on narrow screens controls are high enough for fingers. Takes screenshots for the guide if needed.
 *
 * @param mayBreak what may be found: words that are too long for any column. @default none
 */
export async function expectAccessible(page: Page, name: string, mayBreak = /^$/): Promise<void> {
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  const problems: string[] = [];
  for (const screen of SCREENS) {
    await page.setViewportSize(screen);
    // Where the page is scrolled, the bar at its top may cover half of a link.
    await page.evaluate('scrollTo(0, 0)');
    // The colors are the same on all screens.
    for (const colorScheme of screen === PHONE || screen === DESKTOP ? (['light', 'dark'] as const) : (['light'] as const)) {
      await page.emulateMedia({ colorScheme });
      await settled(page);
      // The dark theme has the same elements in other colors.
      const found =
        colorScheme === 'light'
          ? [...(await axe(page, EVERY_RULE_AT.includes(screen.width) ? undefined : LAYOUT_RULES)), ...(await page.evaluate<string[]>(GEOMETRY))]
          : await axe(page, COLOR_RULES);
      problems.push(...found.filter((problem) => !mayBreak.test(problem)).map((problem) => `${screen.width} ${colorScheme}: ${problem}`));
      await takePicture(page, screen, name, colorScheme);
    }
  }
  await page.emulateMedia({ colorScheme: 'light', forcedColors: 'active' });
  problems.push(...(await axe(page, COLOR_RULES)).map((problem) => `forced colors: ${problem}`).filter((problem) => !mayBreak.test(problem)));
  await page.emulateMedia({ colorScheme: 'light', forcedColors: 'none' });
  expect(problems, name).toEqual([]);
}

/** Takes a screenshot if the guide shows it, on a desk or, as `<name>-phone`, on a phone: there the whole page. */
async function takePicture(page: Page, screen: object, name: string, colorScheme: string): Promise<void> {
  if (IMAGES === undefined) return;
  const [suffix, fullPage] = screen === PHONE ? ['-phone', true] : ['', false];
  const file = `${name}${suffix}-${colorScheme}.webp`;
  if ((screen !== PHONE && screen !== DESKTOP) || !GUIDE.includes(`images/${file}`)) return;
  writeFileSync(join(IMAGES, file), await asWebp(page, await page.screenshot({ fullPage })));
}

/** Converts a picture in the browser, which has an encoder: a fifth of the size. In a page of its own, without the dashboard's policy. */
async function asWebp(page: Page, png: Buffer): Promise<Buffer> {
  const encoder = await page.context().newPage();
  const base64 = await encoder.evaluate<string>(`(async () => {
    const picture = await createImageBitmap(await (await fetch('data:image/png;base64,${png.toString('base64')}')).blob());
    const canvas = new OffscreenCanvas(picture.width, picture.height);
    canvas.getContext('2d').drawImage(picture, 0, 0);
    const bytes = new Uint8Array(await (await canvas.convertToBlob({ type: 'image/webp', quality: 0.85 })).arrayBuffer());
    return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
  })()`);
  await encoder.close();
  return Buffer.from(base64, 'base64');
}

/** Waits until a new size or theme is drawn: observers of sizes report a frame later, and what they change is drawn in the next. */
async function settled(page: Page): Promise<void> {
  await page.waitForTimeout(100);
  await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))');
}

/** The rules of axe that depend on colors. */
const COLOR_RULES = ['color-contrast', 'link-in-text-block'];

/** The rules of axe that depend on where elements are. */
const LAYOUT_RULES = ['target-size', 'scrollable-region-focusable'];

/** @param rules names of axe's rules. @default those of WCAG 2.2 A and AA, and best practices */
async function axe(page: Page, rules?: readonly string[]): Promise<string[]> {
  if (await page.evaluate<boolean>("typeof axe === 'undefined'")) await page.evaluate(axeCore.source);
  // The one rule of WCAG 2.2 AA is off by default.
  const chosen = rules === undefined ? { rules: { 'target-size': { enabled: true } } } : { runOnly: { type: 'rule', values: rules } };
  const violations = await page.evaluate<{ id: string; nodes: { html: string }[] }[]>(`(async () => {
    const { violations } = await axe.run(document, ${JSON.stringify({ ...chosen, resultTypes: ['violations'] })});
    // What an open dialog covers in part is no target meanwhile.
    const dialog = document.querySelector('dialog[open]');
    const isCovered = ({ target: [selector] }) => dialog !== null && !dialog.contains(document.querySelector(selector));
    return violations
      .map(({ id, nodes }) => ({ id, nodes: nodes.filter((node) => id !== 'target-size' || !isCovered(node)).map(({ html }) => ({ html })) }))
      .filter(({ nodes }) => nodes.length > 0);
  })()`);
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`);
}

/**
 * Expects that Tab reaches every control of the page, and that the page shows which of them has the focus: something about it, its parent or their
 * pseudo-elements looks different as soon as another control has it.
 */
export async function expectOperableByKeyboard(page: Page, name: string): Promise<void> {
  await page.evaluate(FOCUS);
  const missing: string[] = [];
  const controls = await page.evaluate<number>('focusTest.begin()');
  for (let tabs = 0; tabs < controls + 20; tabs += 1) {
    await page.keyboard.press('Tab');
    const invisible = await page.evaluate<string | null>('focusTest.moved()');
    if (invisible !== null) missing.push(`no visible focus: ${invisible}`);
  }
  missing.push(...(await page.evaluate<string[]>('focusTest.unreached()')).map((control) => `not reached: ${control}`));
  expect(missing, name).toEqual([]);
}

/** The layout shift without user input (web.dev/cls); below 0.1 is good. */
export function layoutShift(page: Page): Promise<number> {
  return page.evaluate<number>(
    "new Promise((resolve) => { let sum = 0; new PerformanceObserver((list) => { for (const entry of list.getEntries()) if (!entry.hadRecentInput) sum += entry.value; }).observe({ type: 'layout-shift', buffered: true }); setTimeout(() => resolve(sum), 200); })",
  );
}

/** Presses Tab until the focused element has this accessible name. */
export async function tabTo(page: Page, role: 'button' | 'link' | 'textbox', name: string): Promise<void> {
  const wanted = page.getByRole(role, { name, exact: true }).first();
  for (let tabs = 0; tabs < 60; tabs += 1) {
    if (await wanted.evaluate((element) => element === element.ownerDocument.activeElement).catch(() => false)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`no ${role} ${name} within 60 tabs`);
}
