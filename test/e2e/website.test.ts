// The documents as a site, published on the platform itself: `npm run build:website`, and `petstore projects deploy`. Its build fails for a dead link.

import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Browser, BrowserContext } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WEBSITE } from '../budgets.ts';
import { chromiumInstalled, launchChromium } from '../support/chromium.ts';
import { expectAccessible } from '../support/dashboard.ts';
import { makeFolder } from '../support/folders.ts';
import { runCliJson, type ServerProcess, startServerProcess } from '../support/processes.ts';

const DIST = join(import.meta.dirname, '../../website/dist');
/** Installs what the build needs, too. */
const build = (args: readonly string[] = [], env = process.env) =>
  promisify(execFile)('npm', ['run', '-s', 'build:website', '--', ...args], { cwd: join(DIST, '../..'), env });

/** What readers typed who knew none of the pages, and the section that answers them. */
const SEARCHES = {
  'get api key': '/dashboard.html#api-keys',
  pagination: '/api.html#pages',
  'cors browser': '/api.html#first-request',
  'https how long': '/dashboard.html#6-live-with-https',
  'remove domain': '/dashboard.html#7-remove',
  'cached old site': '/dashboard.html#3-publish-your-site',
  'domain already claimed': '/dashboard.html#4-add-your-domain',
  '2fa': '/dashboard.html#you',
  'ram requirements': '/server/install.html#system-requirements',
  'admin user create': '/server/install.html#9-first-user-and-administrator',
  'restart counters lost': '/server/operate.html#restarts-and-supervisors',
  "let's encrypt rate limit": '/server/operate.html#a-certificate-is-not-issued',
  'encryption key change': '/server/operate.html#rotate-secrets-and-keys',
  uninstall: '/server/operate.html#uninstall',
  'migrate to aws': '/server/operate.html#migrate-to-aws',
  'upgrade no downtime': '/aws/change.html#upgrade-to-a-new-release',
  'secrets rotate': '/aws/change.html#secrets',
  'tear down': '/aws/stages.html#delete-a-stage',
  'region outage': '/aws/restore.html#restore-on-aws',
  'aws services architecture': '/architecture.html#on-aws',
  'scale up': '/aws/costs.html#what-a-stage-costs',
  'health check': '/server/operate.html#health-checks',
  'docker compose': '/server/container.html#in-a-container',
  'real client ip': '/server/address.html#behind-a-proxy-that-decrypts',
  'json logs': '/server/log.html#json-of-requests',
  downgrade: '/server/backup.html#upgrade-and-downgrade',
  'gdpr delete user': '/reference/retention.html#how-long-things-are-kept',
  terraform: '/aws/deploy.html#deploy-to-aws',
  postman: '/api.html#in-other-languages',
  idempotency: '/api.html#repeats',
  webhook: '/control-api.html#the-control-api',
};

describe.runIf(chromiumInstalled)('the site of the documents', () => {
  const folder = makeFolder();
  let server: ServerProcess;
  let browser: Browser;
  let context: BrowserContext;
  let url = '';

  beforeAll(async () => {
    await build();
    server = await startServerProcess(folder.path);
    const [account] = await runCliJson<{ accountId: string }[]>(folder.path, ['accounts', 'list']);
    const project = ['projects', 'create', '--account', account?.accountId ?? '', '--name', 'Documents'];
    const { projectId, target } = await runCliJson<{ projectId: string; target: string }>(folder.path, project);
    await runCliJson(folder.path, ['projects', 'deploy', projectId, DIST]);
    url = `https://${target}:${/custom domains at https:\/\/[\d.]+:(\d+)/.exec(server.stdout())?.[1]}`;
    browser = await launchChromium(['--host-resolver-rules=MAP *.test 127.0.0.1']);
    context = await browser.newContext({ ignoreHTTPSErrors: true });
  });

  afterAll(async () => {
    await browser.close();
    await server.stop();
    folder.remove();
  });

  async function open(path: string) {
    const page = await context.newPage();
    const [problems, addresses]: [string[], string[]] = [[], []];
    page.on('console', (message) => void (message.type() === 'error' && problems.push(message.text())));
    page.on('pageerror', ({ message }) => problems.push(message));
    page.on('request', (request) => addresses.push(request.url()));
    const session = await context.newCDPSession(page);
    await session.send('Network.enable');
    let bytes = 0;
    session.on('Network.loadingFinished', ({ encodedDataLength }) => {
      bytes += encodedDataLength;
    });
    await page.goto(url + path);
    await page.waitForLoadState('networkidle');
    return { page, problems, bytes: () => bytes, others: () => addresses.filter((address) => !address.startsWith(url)) };
  }

  test('has a first page that is small, accessible, and loads nothing from elsewhere', async () => {
    const { page, problems, bytes, others } = await open('/');
    expect(bytes()).toBeLessThanOrEqual(WEBSITE.firstPage);
    expect([problems, others()]).toEqual([[], []]);
    // VitePress's theme is made for a mouse, has a button whose words include its shortcut, and changes no color where the system forces its own.
    await expectAccessible(page, 'website', /^[\d.]+ (?:high|wide): |^a table instead|label-content-name-mismatch|^forced colors: color-contrast/);
  });

  test('draws a page before it loads scripts, with a place for pictures that are not there yet', async () => {
    const page = await context.newPage();
    await page.route('**/*.webp', () => {});
    await page.goto(`${url}/dashboard.html`, { waitUntil: 'commit' });
    const picture = await page.getByRole('img', { name: 'The sign-in page' }).boundingBox();
    expect((picture?.width ?? 0) / (picture?.height ?? 0)).toBeCloseTo(1280 / 900, 1);
    // A script has set the title.
    await page.getByTitle('Switch to dark theme').first().waitFor({ state: 'attached' });
    const files = await page.evaluate(() => {
      const painted = performance.getEntriesByName('first-paint')[0]?.startTime ?? 0;
      return performance.getEntriesByType('resource').map(({ name, startTime }) => ({ name, isBefore: startTime < painted }));
    });
    expect(
      files.filter(({ name, isBefore }) => isBefore && /\.(?:css|js)$/.test(name)).map(({ name }) => name.replace(/^.*\/(\w+).*\./, '$1.')),
    ).toEqual(['style.css']);
    await page.close();
  });

  test('finds words in all pages, without the network', async () => {
    const { page } = await open('/');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByRole('searchbox').fill('Retry-After');
    await page.getByRole('option').first().waitFor();
    await context.setOffline(true);
    await page.getByRole('searchbox').fill('certutil');
    await page.getByRole('option').first().waitFor();
    await context.setOffline(false);
  });

  test('shows the section that answers a search among the first three', async () => {
    const { page } = await open('/');
    await page.getByRole('button', { name: 'Search' }).click();
    const first = page.getByRole('option').first();
    const misses: string[] = [];
    for (const [words, section] of Object.entries(SEARCHES)) {
      await page.getByRole('searchbox').fill(words);
      await first.waitFor();
      const found = await page.getByRole('option').evaluateAll((results) => results.map((result) => result.querySelector('a')?.getAttribute('href')));
      if (!found.slice(0, 3).includes(section)) misses.push(`${words}: ${section} is not among ${found.slice(0, 3).join(', ')}`);
      // Otherwise, what it found would be taken for the answer to the next words.
      await page.getByRole('searchbox').fill('');
      await first.waitFor({ state: 'detached' });
    }
    expect(misses).toEqual([]);
  });

  test.each([
    ['', 'Petstore catalogue API'],
    ['?api=control', 'Petstore control API'],
  ])('has the reference %s, which search engines can describe, and which sends no requests', async (query, heading) => {
    const { page, problems, others } = await open(`/docs/${query}`);
    await page.getByRole('heading', { level: 1, name: heading }).waitFor();
    expect(await page.locator('meta[name="description"]').count()).toBe(1);
    expect(await page.getByRole('button', { name: 'Send request' }).count()).toBe(0);
    expect([problems, others()]).toEqual([[], []]);
  });
});

test('pages link to their sources, if the site knows the repository', async () => {
  const folder = makeFolder();
  const env = { ...process.env, REPOSITORY_URL: 'https://git.test/owner/name' };
  await build([folder.path], env);
  const page = readFileSync(join(folder.path, 'aws/change.html'), 'utf8');
  const links = [...page.matchAll(/href="https:\/\/git\.test\/owner\/name([^"]*)"/g)].map(([, path]) => path);
  expect(links).toEqual(expect.arrayContaining(['', '/blob/main/.github/workflows/deploy.yml', '/edit/main/docs/aws/change.md']));
  folder.remove();
});
