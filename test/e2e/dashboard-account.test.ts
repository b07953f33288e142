// How users manage an account in the dashboard, in Chromium on the real service: keys, usage, many projects.

import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openSqliteStores } from '../../adapters/store/sqlite/stores.ts';
import { digestOf } from '../../core/access/api-key.ts';
import { chromiumInstalled } from '../support/chromium.ts';
import { commandJson } from '../support/command-line.ts';
import { act, button, type Dashboard, expectAccessible, newProject, openDashboard } from '../support/dashboard.ts';
import { atADayWithTime } from '../support/day.ts';

describe.runIf(chromiumInstalled)('an account in the dashboard', () => {
  let dashboard: Dashboard;

  beforeAll(async () => {
    dashboard = await openDashboard();
  });

  afterAll(() => dashboard.close());

  test('shows a key once; the key works while it is rotated, shows its last use, and is refused once revoked', async () => {
    const { page, context } = await dashboard.newSignedInTab();
    await page.getByRole('link', { name: 'API keys' }).click();
    await page.getByRole('row', { name: /Demo/ }).first().waitFor();
    await button(page, 'Create key').first().click();
    await page.getByLabel('Name').fill('Till');
    await expectAccessible(page, 'key-issue');
    await button(page, 'Create').click();
    const shown = await page.getByText(/^petstore_test_\w+$/).textContent();
    // Neither Escape nor a click outside closes content that is shown only once.
    await page.keyboard.press('Escape');
    await page.mouse.click(5, 5);
    await page.getByText(/^petstore_test_\w+$/).waitFor();
    await expectAccessible(page, 'key-issued');
    // A reload does not lose it, nor does the dialog's close button.
    await page.reload();
    expect(await page.getByText(/^petstore_test_\w+$/).textContent()).toBe(shown);
    await button(page, 'Close').click();
    await button(page, 'Show key').click();
    // The first call works as it is copied.
    await button(page, 'Copy the curl command').click();
    const command = await page.evaluate<string>('navigator.clipboard.readText()');
    expect(command).toContain(`Bearer ${shown}`);
    const { stdout } = await promisify(execFile)('sh', ['-c', command]);
    expect(JSON.parse(stdout)).toEqual(expect.any(Array));
    const program = await page.locator('pre').last().textContent();
    expect(program).toContain(`baseUrl: '${dashboard.url()}'`);
    await button(page, "I've saved it").click();
    await page.getByRole('row', { name: /Till.*active/ }).waitFor();
    const stored = () => page.evaluate<string>('JSON.stringify([{ ...sessionStorage }, { ...localStorage }])');
    expect(await stored()).not.toContain('petstore_test_');
    await page.reload();
    await page.getByRole('row', { name: /Till.*active/ }).waitFor();
    expect(await page.getByText(/^petstore_test_\w+$/).count()).toBe(0);

    const ask = async (key: string | null) =>
      (await fetch(`${dashboard.url()}/v1/pets?limit=1`, { headers: { authorization: `Bearer ${key}` } })).status;
    let running = true;
    const statuses: number[] = [];
    const client = (async () => {
      while (running) {
        statuses.push(await ask(shown));
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    })();
    await act(page, /^Actions for Till, petstore_test_\w{4}…\w{4}$/, 'Rotate');
    await expectAccessible(page, 'key-rotate');
    await button(page, 'Rotate').click();
    const next = await page.getByText(/^petstore_test_\w+$/).textContent();
    await button(page, "I've saved it").click();
    running = false;
    await client;
    expect(next).not.toBe(shown);
    expect([await ask(shown), await ask(next), new Set(statuses)]).toEqual([200, 200, new Set([200])]);

    await page.reload();
    // The new key, and after it the old one, with the time until which it works.
    const row = page.getByRole('row', { name: /Till/ });
    await row.first().waitFor();
    expect(await row.count()).toBe(2);
    const hintOf = (key: string | null) => `${key?.slice(0, 18)}…${key?.slice(-4)}`;
    const [now, old] = await row.allTextContents();
    expect(now).toContain(hintOf(next));
    expect(now).toMatch(/by you.*active/);
    expect(old).toContain(hintOf(shown));
    expect(old).toContain('replacedworks until');
    await expectAccessible(page, 'keys');
    await act(page, `Actions for Till, ${hintOf(shown)}`, 'Revoke');
    await page.getByText('The key that replaced it keeps working.').waitFor();
    await expectAccessible(page, 'key-revoke');
    await button(page, 'Revoke').click();
    await page.getByText(`Till (…\u2060${shown?.slice(-4)}) is revoked.`).waitFor();
    const revoked = page.getByRole('table', { name: 'Revoked keys' }).getByRole('row', { name: /Till/ });
    await revoked.waitFor();
    expect(await revoked.textContent()).toMatch(/by you.*by you/);
    expect(await revoked.textContent()).toContain(hintOf(shown));
    expect(await Promise.all([ask(shown), ask(next)])).toEqual([401, 200]);
    await expectAccessible(page, 'keys-revoked');

    await page.getByRole('link', { name: 'Activity' }).click();
    const change = page.getByRole('table', { name: 'Changes' }).getByRole('row', { name: /^You revoked the key Till/ });
    await change.waitFor();
    expect(await change.textContent()).toMatch(/…\u2060\w{4}\).*127\.0\.0\.1/);
    await expectAccessible(page, 'activity');
    await page.getByLabel('Show').selectOption('Members');
    await change.waitFor({ state: 'detached' });
    await page.getByLabel('Show').selectOption('Keys');
    await change.waitFor();
    // Each day has a heading of its own.
    expect(await page.getByRole('table', { name: 'Changes' }).getByRole('rowheader').first().textContent()).toMatch(/\d{4}$/);
    const [saved] = await Promise.all([page.waitForEvent('download'), button(page, 'Download as JSON').click()]);
    const entries = JSON.parse(await readFile(await saved.path(), 'utf8'));
    expect(entries.map(({ action }: { action: string }) => action).slice(0, 3)).toEqual(['key.revoked', 'key.expiry_set', 'key.issued']);
    await context.close();
  });

  test('changes a key without replacing it: its name, scopes and expiry; pauses it, says what breaks, and resumes it', async () => {
    const { accountId } = await commandJson<{ accountId: string }>(dashboard.folder, ['accounts', 'create', '--name', 'Paused', '--plan', 'pro']);
    const [user] = await commandJson<{ userId: string }[]>(dashboard.folder, ['users', 'list']);
    await commandJson(dashboard.folder, ['accounts', 'add-member', accountId, user?.userId ?? '']);
    const { key } = await commandJson<{ key: string }>(dashboard.folder, ['keys', 'issue', '--account', accountId, '--name', 'Till']);
    const ask = async () => (await fetch(`${dashboard.url()}/v1/pets?limit=1`, { headers: { authorization: `Bearer ${key}` } })).status;
    expect(await ask()).toBe(200);
    const { page, context } = await dashboard.newSignedInTab();
    await page.goto(`${dashboard.url()}/accounts/${accountId}/keys`);
    const row = page.getByRole('table', { name: 'Keys' }).getByRole('row', { name: /petstore_test_/ });
    await act(page, /^Actions for Till/, 'Edit');
    const dialog = page.getByRole('dialog');
    expect(await dialog.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
    await dialog.getByLabel('Name').fill('Counter');
    await dialog.getByRole('checkbox', { name: 'pets:read' }).uncheck();
    await dialog.getByLabel('Expires').selectOption('in 90 days');
    await expectAccessible(page, 'key-edit');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Counter is changed.').waitFor();
    await expect.poll(() => row.textContent()).toMatch(/^Counter.*pets:writeactive/);
    expect([await ask(), await row.textContent()]).toEqual([403, expect.not.stringContaining('pets:read')]);
    await act(page, /^Actions for Counter/, 'Edit');
    await dialog.getByRole('checkbox', { name: 'pets:read' }).check();
    await dialog.getByLabel('Expires').selectOption('never');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await expect.poll(() => row.textContent()).toContain('pets:readpets:write');
    expect(await ask()).toBe(200);

    await act(page, /^Actions for Counter/, 'Pause');
    await dialog.getByText('Everything that uses it stops working at once').waitFor();
    await expectAccessible(page, 'key-pause');
    await dialog.getByRole('button', { name: 'Pause' }).click();
    await row.getByText('paused', { exact: true }).waitFor();
    expect(await ask()).toBe(403);
    await expectAccessible(page, 'keys-paused');
    await act(page, /^Actions for Counter/, 'Resume');
    await expectAccessible(page, 'key-resume');
    await dialog.getByRole('button', { name: 'Resume' }).click();
    await row.getByText('active', { exact: true }).waitFor();
    await expect.poll(ask, { interval: 500 }).toBe(200);

    await page.getByRole('link', { name: 'Activity' }).click();
    const changes = page.getByRole('table', { name: 'Changes' }).getByRole('row', { name: /^You .* the key Counter/ });
    await expect.poll(() => changes.count()).toBe(4);
    const words = (await changes.allTextContents()).map((text) => /^You (\w+)/.exec(text)?.[1]);
    expect(words).toEqual(['resumed', 'paused', 'changed', 'changed']);
    await context.close();
  });

  test('updates its usage charts, warns before the limit, shows refusals and bans, and lets a member lift a ban', async () => {
    await atADayWithTime();
    const account = await commandJson<{ accountId: string }>(dashboard.folder, [
      ...['accounts', 'create', '--name', 'Busy', '--plan', 'enterprise', '--per-minute', '1000', '--per-day', '10'],
    ]);
    const [user] = await commandJson<{ userId: string }[]>(dashboard.folder, ['users', 'list']);
    await commandJson(dashboard.folder, ['accounts', 'add-member', account.accountId, user?.userId ?? '']);
    const { key } = await commandJson<{ key: string }>(dashboard.folder, ['keys', 'issue', '--account', account.accountId]);
    const ask = async (times: number) => {
      for (let n = 0; n < times; n += 1) await fetch(`${dashboard.url()}/v1/pets?limit=1`, { headers: { authorization: `Bearer ${key}` } });
    };
    const { page, context } = await dashboard.newSignedInTab();
    // The page is reached through the list of accounts.
    await button(page, 'Account Demo').click();
    await page.getByRole('link', { name: 'Busy (enterprise)' }).click();
    await page.getByText('Busy, enterprise plan').waitFor();
    await page.getByRole('link', { name: 'Usage' }).click();
    await page.getByText('0 of 10', { exact: true }).waitFor();
    await page.getByText('No requests in the last hour.').waitFor();
    await expectAccessible(page, 'usage-none');
    await ask(5);
    await page.getByText('5 of 10', { exact: true }).waitFor();
    await page.getByRole('img', { name: 'Requests per minute: 5 admitted, 0 refused.' }).waitFor();
    await expectAccessible(page, 'usage');
    await ask(3);
    await page.getByText('80% of the quota for today is used').waitFor();
    await ask(2);
    await page.getByText('The quota for today is used up', { exact: true }).waitFor();
    await ask(15);
    await expect.poll(async () => (await page.getByRole('definition').allTextContents()).map(Number).at(-1)).toBeGreaterThanOrEqual(10);
    // The whole history, each span at an address of its own.
    for (const [span, window, each, windows] of [
      ['Last 24 hours', 'day', 'hour', 24],
      ['Last hour', 'hour', 'minute', 60],
      ['Last 30 days', 'month', 'day', 30],
    ] as const) {
      await page.getByRole('radio', { name: span }).check();
      await page.waitForURL((url) => url.searchParams.get('window') === window);
      if (window === 'month') await page.reload();
      const chart = page.getByRole('img', { name: new RegExp(`^Requests per ${each}: 10 admitted, [1-9]\\d* refused`) });
      await chart.waitFor();
      expect(await chart.locator('.bar').count()).toBe(windows);
      const bar = chart.locator('.bar').filter({ has: page.locator('.refused') });
      expect(await bar.first().getAttribute('title')).toMatch(/admitted, [1-9]\d* refused$/);
      // It stays open for the next span.
      if (window !== 'hour') await page.getByText(`Table of requests per ${each}`).click();
      const rows = page.getByRole('table', { name: `Requests per ${each}` }).getByRole('row');
      expect(await rows.count()).toBe(1 + windows);
      const counts = await rows.getByRole('cell').allTextContents();
      expect(counts.reduce((sum, count, at) => sum + (at % 2 === 0 ? Number(count) : 0), 0)).toBe(10);
      await expectAccessible(page, `usage-${window}`);
      const [file] = await Promise.all([page.waitForEvent('download'), button(page, 'Download CSV').click()]);
      expect(file.suggestedFilename()).toBe(`usage-${account.accountId}-${window}.csv`);
      const lines = readFileSync(await file.path(), 'utf8').split('\n');
      expect([lines.length, lines[0]]).toEqual([1 + windows, 'window,startsAt,admitted,refused']);
      expect(lines.slice(1).reduce((sum, line) => sum + Number(line.split(',')[2]), 0)).toBe(10);
    }
    const stores = openSqliteStores(dashboard.folder);
    const ban = { since: Date.now(), until: Date.now() + 300_000, level: 1 };
    await stores.usage.ban({ accountId: account.accountId, digest: digestOf(key) }, ban);
    stores.close();
    await page
      .getByRole('status')
      .getByText(/^The key .+ is banned until/)
      .waitFor();
    await expectAccessible(page, 'usage-banned');

    await page.getByRole('link', { name: 'API keys' }).click();
    await page.getByText('banned', { exact: true }).waitFor();
    await expectAccessible(page, 'keys-banned');
    await act(page, /^Actions for key, petstore_test_/, 'Unban');
    await page.getByText('otherwise the key is banned again').waitFor();
    await button(page, 'Unban').click();
    await page.getByText('key works again within a minute.', { exact: true }).waitFor();
    await page.getByText('active', { exact: true }).waitFor();
    expect(await page.getByText('banned', { exact: true }).count()).toBe(0);
    await context.close();
  });

  test('gets another name, which the menu shows at once', async () => {
    const { accountId } = await commandJson<{ accountId: string }>(dashboard.folder, ['accounts', 'create', '--name', 'Shpo', '--plan', 'free']);
    const [user] = await commandJson<{ userId: string }[]>(dashboard.folder, ['users', 'list']);
    await commandJson(dashboard.folder, ['accounts', 'add-member', accountId, user?.userId ?? '']);
    const { page, context } = await dashboard.newSignedInTab();
    await page.goto(`${dashboard.url()}/accounts/${accountId}/settings`);
    const name = page.getByRole('textbox', { name: 'Account name' });
    await name.fill('x'.repeat(101));
    await button(page, 'Save').click();
    await page.getByText('1 to 100 characters').waitFor();
    expect(await name.evaluate((field) => field === field.ownerDocument.activeElement)).toBe(true);
    await expectAccessible(page, 'account-name-refused');
    await name.fill('Shop at the corner');
    await button(page, 'Save').click();
    await button(page, 'Account Shop at the corner').waitFor();
    await expect.poll(() => button(page, 'Save').isDisabled()).toBe(true);
    await page.getByRole('link', { name: 'Activity' }).click();
    await page.getByRole('rowheader', { name: 'You renamed the account to Shop at the corner' }).waitFor();
    await context.close();
  });

  test('with many projects can search, sort and page through them', async () => {
    const { page, context } = await dashboard.newSignedInTab();
    for (let n = 1; n <= 25; n += 1) await newProject(page, `Many ${n}`);
    await page.reload();
    await page.getByLabel('Search projects').fill('many 25');
    const list = page.getByRole('list', { name: 'Projects' });
    const names = list.getByRole('heading', { level: 2 });
    await expect.poll(() => names.allTextContents()).toEqual(['Many 25']);
    await page.getByLabel('Search projects').fill('many');
    await page.getByLabel('Sort by').selectOption({ label: 'Name' });
    await expect.poll(async () => (await names.allTextContents()).slice(0, 3)).toEqual(['Many 1', 'Many 2', 'Many 3']);
    await page.getByRole('button', { name: 'Next page' }).click();
    await expect.poll(() => names.count()).toBe(5);
    await page.getByLabel('Search projects').fill('nothing of that');
    await button(page, 'Clear search').click();
    await page.setViewportSize({ width: 375, height: 740 });
    await page.getByLabel('Sort by').selectOption('Name (descending)');
    await expect.poll(async () => (await names.allTextContents()).slice(0, 2)).toEqual(['Many 25', 'Many 24']);
    await expectAccessible(page, 'projects-many');
    await context.close();
  });

  test('keeps which emails a user wants', async () => {
    const { page, context } = await dashboard.newSignedInTab();
    await button(page, /@petstore\.test/).click();
    await page.getByRole('link', { name: 'Notifications' }).click();
    const banned = page.getByRole('checkbox', { name: 'An API key is banned' });
    await expect.poll(() => banned.isChecked()).toBe(true);
    await banned.focus();
    await page.keyboard.press('Space');
    await expect.poll(() => banned.isChecked()).toBe(false);
    expect(await banned.and(page.locator(':focus')).count()).toBe(1);
    await page.reload();
    await expect.poll(() => banned.isChecked()).toBe(false);
    expect(await page.getByRole('checkbox', { checked: true }).count()).toBe(12);
    await context.close();
  });
});
