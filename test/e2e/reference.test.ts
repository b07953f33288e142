// The API reference in a browser, served by the real service: accessible in both themes and on a phone, loaded only from its own host, and able to
// send requests.

import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumInstalled, launchChromium } from '../support/chromium.ts';
import { expectAccessible } from '../support/dashboard.ts';
import { makeFolder } from '../support/folders.ts';
import { type ServerProcess, startServerProcess } from '../support/processes.ts';
import { signIn } from '../support/sign-in.ts';

/** The compressed size, including the OpenAPI document. */
const MAX_BYTES = 100_000;

describe.runIf(chromiumInstalled)('the API reference', () => {
  const folder = makeFolder();
  let server: ServerProcess;
  let browser: Browser;
  let key = '';
  let email = '';
  let password = '';

  beforeAll(async () => {
    expectBuilt();
    server = await startServerProcess(folder.path);
    key = /petstore_test_\w+/.exec(server.stdout())?.[0] ?? '';
    [, email = '', password = ''] = /(\S+@\S+) {2}(\S+)/.exec(server.stdout()) ?? [];
    browser = await launchChromium();
  });

  afterAll(async () => {
    await browser.close();
    await server.stop();
    folder.remove();
  });

  async function open(hash = ''): Promise<{ page: Page; problems: string[]; addresses: string[] }> {
    const page = await (await browser.newContext()).newPage();
    const problems: string[] = [];
    const addresses: string[] = [];
    page.on('console', (message) => void (message.type() === 'error' && problems.push(message.text())));
    page.on('pageerror', (error) => problems.push(error.message));
    page.on('request', (request) => addresses.push(request.url()));
    await page.goto(`${server.url}/docs${hash}`);
    await page.getByRole('heading', { level: 1, name: 'Petstore catalogue API' }).waitFor();
    return { page, problems, addresses };
  }

  const form = (page: Page, operation: string) => page.locator(`#${operation} .try`);

  test('is accessible in both themes, with details open', async () => {
    const { page, problems } = await open();
    // Opens the details of only one operation: the others look the same, and axe needs time for each.
    await page.evaluate("for (const details of document.querySelectorAll('#createPet details')) details.open = true");
    await expectAccessible(page, 'reference');
    expect(problems).toEqual([]);
  });

  test('is small and loads from its own host only', async () => {
    const { addresses } = await open();
    expect(addresses.filter((address) => !address.startsWith(server.url))).toEqual([]);
    let bytes = 0;
    for (const address of addresses) {
      const response = await fetch(address, { headers: { 'accept-encoding': 'br' } });
      expect(response.headers.get('content-encoding') ?? String(response.status), address).toMatch(/^br$|^204$/);
      bytes += Number(response.headers.get('content-length') ?? 0);
    }
    expect(bytes).toBeGreaterThan(10_000);
    expect(bytes).toBeLessThanOrEqual(MAX_BYTES);
  });

  test('has its contents folded away on a phone, and begins on the first screen', async () => {
    const { page } = await open();
    await page.setViewportSize({ width: 375, height: 740 });
    const link = page.getByRole('navigation').getByRole('link', { name: 'POST Add an animal' });
    await link.waitFor({ state: 'hidden' });
    expect(await page.getByRole('heading', { level: 1 }).evaluate((heading) => heading.getBoundingClientRect().top)).toBeLessThan(200);
    await page.getByText('Contents', { exact: true }).click();
    // The method is beside the name, not on it.
    const [method = Number.NaN, name = 0] = await link.evaluate((element) => {
      const range = element.ownerDocument.createRange();
      range.selectNodeContents(element.lastChild ?? element);
      return [element.firstElementChild?.getBoundingClientRect().right, range.getBoundingClientRect().left];
    });
    expect(method).toBeLessThanOrEqual(name);
    await link.click();
    expect(new URL(page.url()).hash).toBe('#createPet');
  });

  test('has the button that copies code above the code, with the language', async () => {
    const { page } = await open();
    await page.setViewportSize({ width: 375, height: 740 });
    const block = form(page, 'listPets')
      .locator('.copied')
      .filter({ has: page.getByRole('region', { name: 'List animals, curl' }) });
    await block.getByText('curl', { exact: true }).waitFor();
    const [copy, code] = await Promise.all([block.getByRole('button').boundingBox(), block.getByRole('region').boundingBox()]);
    expect((copy?.y ?? Number.NaN) + (copy?.height ?? 0)).toBeLessThanOrEqual(code?.y ?? Number.NaN);
  });

  test('scrolls to the operation in the address', async () => {
    const { page } = await open('#createPet');
    await expect.poll(() => page.locator('#createPet h3').evaluate((heading) => heading.getBoundingClientRect().top)).toBeLessThan(200);
  });

  test('sends a request without a key and shows the error; sends one with a key and shows the response with every digit', async () => {
    const { page } = await open();
    const create = form(page, 'createPet');
    await create.getByRole('button', { name: 'Send request' }).click();
    await create.getByText('401 Unauthorized').waitFor();
    await page.getByLabel('API key for the requests on this page').fill(key);
    await create.getByLabel('Request body').fill('{"name":"Bella","categoryId":9223372036854775807}');
    await create.getByRole('button', { name: 'Send request' }).click();
    await create.getByText('201 Created').waitFor();
    expect(await create.getByRole('region', { name: 'Response body' }).textContent()).toContain('"categoryId": 9223372036854775807');
    const list = form(page, 'listPets');
    await list.getByLabel('status', { exact: true }).selectOption('available');
    await list.getByRole('button', { name: 'Send request' }).click();
    await list.getByText('200 OK').waitFor();
    expect(await list.getByRole('region', { name: 'Response headers' }).textContent()).toContain('x-ratelimit-remaining:');
    await list.getByLabel('Python').check();
    expect(await list.getByRole('region', { name: 'List animals, Python' }).textContent()).toContain('status=available');
  });

  test('has the control API beside it, found by words, and sends requests with the sign-in of the same tab', async () => {
    const { page, problems } = await open();
    await page.getByRole('link', { name: 'Control API' }).click();
    await page.getByRole('heading', { level: 1, name: 'Petstore control API' }).waitFor();
    await page.getByLabel('Search operations').fill('rotate key');
    const found = page.getByRole('navigation').getByRole('link', { name: /^(GET|PUT|POST|DELETE) / });
    await expect.poll(() => found.count()).toBe(1);
    await page.getByLabel('Search operations').fill('nothing like that');
    await page.getByText('No matching operations.').waitFor();
    expect(await page.getByRole('button', { name: 'Use my session' }).count()).toBe(0);
    const { access_token: token } = await signIn(server.url, email, password);
    await page.evaluate((value) => sessionStorage.setItem('oidc.user:x', JSON.stringify({ access_token: value })), token);
    await page.reload();
    await page.getByRole('button', { name: 'Use my session' }).click();
    await page
      .locator('#listAccounts')
      .getByRole('button', { name: /^Parameters and responses/ })
      .click();
    await form(page, 'listAccounts').getByRole('button', { name: 'Send request' }).click();
    await form(page, 'listAccounts').getByText('200 OK').waitFor();
    expect(problems).toEqual([]);
    await page.getByRole('link', { name: 'Catalogue API' }).click();
    await page.getByRole('heading', { level: 1, name: 'Petstore catalogue API' }).waitFor();
  });

  test('takes a key that the dashboard has not let go of yet, and has it in no code that is copied before that', async () => {
    const { page } = await open();
    const list = form(page, 'listPets');
    await list.getByLabel('Typed client').check();
    const code = list.getByRole('region', { name: 'List animals, Typed client' });
    expect(await code.textContent()).toContain('await petstore.listPets()');
    await list.getByLabel('limit', { exact: true }).fill('5');
    expect(await code.textContent()).toContain('await petstore.listPets({"limit":5})');
    await page.evaluate((value) => sessionStorage.setItem('petstore.issued-key:a:b', JSON.stringify({ name: 'Till', key: value })), key);
    await page.reload();
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await list.getByRole('button', { name: 'Copy: List animals, curl' }).click();
    await expect.poll(() => page.evaluate<string>('navigator.clipboard.readText()')).toContain('Bearer YOUR_API_KEY');
    await page.getByRole('button', { name: 'Use the key Till' }).click();
    await list.getByRole('button', { name: 'Copy: List animals, curl' }).click();
    await expect.poll(() => page.evaluate<string>('navigator.clipboard.readText()')).toContain(`Bearer ${key}`);
  });

  test('has what holds for all operations in one place', async () => {
    const { page } = await open('#guide');
    await page.getByText('Pro: 300 requests a minute, 10,000 a day (UTC)').waitFor();
    await page.getByText('Keys that keep sending requests after 429 are banned').waitFor();
    // Without a click.
    expect(await page.getByRole('region', { name: 'Add an animal: example of 201' }).isVisible()).toBe(true);
  });

  test('names a header that no request can carry, and keeps the focus on the button', async () => {
    const { page } = await open();
    await page.getByLabel('API key for the requests on this page').fill('petstore_test_…');
    const list = form(page, 'listPets');
    await list.getByRole('button', { name: 'Send request' }).focus();
    await page.keyboard.press('Enter');
    await list.getByText("The API key contains a character that a header can't carry.").waitFor();
    await page.getByLabel('API key for the requests on this page').fill(key);
    await list.getByRole('button', { name: 'Send request' }).focus();
    await page.keyboard.press('Enter');
    await list.getByText('200 OK').waitFor();
    expect(await page.evaluate<string>('document.activeElement.textContent')).toBe('Send request');
  });

  test('shows the skip link over the page, which stays where it is', async () => {
    const { page } = await open();
    const left = () => page.getByRole('heading', { level: 1 }).evaluate((heading) => heading.getBoundingClientRect().left);
    const before = await left();
    await page.keyboard.press('Tab');
    expect(await page.evaluate<string>('document.activeElement.textContent')).toBe('Skip to content');
    expect(await left()).toBe(before);
  });

  test('keeps the key in memory only', async () => {
    const { page } = await open();
    await page.getByLabel('API key for the requests on this page').fill(key);
    expect(await page.evaluate<string>('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href])')).not.toContain(
      key,
    );
    await page.reload();
    expect(await page.getByLabel('API key for the requests on this page').inputValue()).toBe('');
  });

  test('reports an unreachable service next to the request', async () => {
    const { page } = await open();
    await page.context().setOffline(true);
    const list = form(page, 'listPets');
    await list.getByRole('button', { name: 'Send request' }).click();
    await list.getByText('Check that the service is running.').waitFor();
  });
});

/** Fails if the build is older than the sources: the test would then check outdated code. */
function expectBuilt(): void {
  const reference = join(import.meta.dirname, '../../reference');
  const built = statSync(join(reference, 'dist/index.html')).mtimeMs;
  const sources = readdirSync(join(reference, 'src')).map((name) => statSync(join(reference, 'src', name)).mtimeMs);
  if (Math.max(...sources) > built) throw new Error('reference/dist is older than reference/src: npm run build');
}
