// Adding a domain, for owners who don't know DNS: from signing in to a folder that is served with and without www; the instructions for the DNS
// provider that hosts the zone; names in Unicode.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { providerView } from '../../core/domains/diagnosis/providers.ts';
import { chromiumInstalled } from '../support/chromium.ts';
import { button, callApi, type Dashboard, expectAccessible, newProject, openDashboard, title } from '../support/dashboard.ts';

describe.runIf(chromiumInstalled)('a domain is set up', () => {
  let dashboard: Dashboard;

  beforeAll(async () => {
    dashboard = await openDashboard();
  });

  afterAll(() => dashboard.close());

  const add = async (page: Page, projectId: string, host: string) => {
    await page.goto(`${dashboard.url()}/projects/${projectId}/domains`);
    await page.getByLabel('Domain or subdomain').fill(host);
    await button(page, 'Add domain').click();
  };

  test('from signing in to a folder that is live with and without www, in 12 clicks and 2 fields, and nothing is typed twice', async () => {
    const { page, context, problems } = await dashboard.newTab();
    let clicks = 0;
    let fields = 0;
    const click = async (name: string | RegExp) => {
      clicks += 1;
      await button(page, name).first().click();
    };
    const fill = async (label: string, text: string) => {
      fields += 1;
      await page.getByLabel(label).fill(text);
    };
    const folder = join(dashboard.folder, 'my-shop');
    mkdirSync(folder);
    writeFileSync(join(folder, 'index.html'), '<title>My shop</title><h1>My shop</h1>');
    await page.goto(dashboard.url());
    await page.getByLabel('Email address').fill(dashboard.demo.email);
    await page.getByLabel('Password').fill(dashboard.demo.password);
    await click('Sign in');
    await click('Create project');
    await fill('Name', 'My shop');
    await click('Create');
    await title(page, 'My shop').waitFor();
    clicks += 1;
    await page.getByLabel('Choose folder').setInputFiles(folder);
    await click('Publish');
    await page.getByText('1 file, served from now on.').waitFor();
    clicks += 1;
    await page.getByRole('link', { name: 'Domains', exact: true }).click();
    // As it is pasted from the browser's address bar.
    await fill('Domain or subdomain', 'https://My-Shop.test/x?y');
    expect(await page.getByLabel('Add www.my-shop.test too, and redirect it to my-shop.test').isChecked()).toBe(true);
    await expectAccessible(page, 'domain-with-www');
    await click('Add domain');
    await title(page, 'my-shop.test').waitFor();
    // One set-up for both names.
    const table = page.getByRole('table', { name: 'Records to set' });
    await table.getByRole('rowheader', { name: 'CNAME' }).waitFor();
    expect(await table.getByRole('rowheader').allTextContents()).toEqual(['ALIAS', 'TXT', 'CNAME']);
    await page.getByText('It will redirect to my-shop.test.').waitFor();
    await expectAccessible(page, 'domain-pair');
    // That it was refused is on the page until it is tried again.
    const refused = { code: 'conflict', message: 'the zone is being changed' };
    await page.route('**/publish', (route) => route.fulfill({ status: 409, json: refused }), { times: 1 });
    await button(page, 'Set up for me').click();
    await page.getByRole('main').getByRole('alert').getByText('The zone is being changed.').waitFor();
    problems.length = 0;
    await click('Set up for me');
    await page.getByRole('link', { name: 'Open my-shop.test in a new tab' }).waitFor();
    // The set-up is folded away, and the redirect begins without its owner.
    await expect.poll(() => table.isVisible()).toBe(false);
    await page.getByText('www.my-shop.test redirects here (301).').waitFor();
    await page.getByText('Issued by Petstore development CA').first().waitFor();
    await expectAccessible(page, 'domain-pair-live');
    clicks += 1;
    const [visit] = await Promise.all([context.waitForEvent('page'), page.getByRole('link', { name: 'Open my-shop.test in a new tab' }).click()]);
    await visit.waitForLoadState();
    expect([visit.url(), await visit.title()]).toEqual([dashboard.addressOf('my-shop.test'), 'My shop']);
    await visit.goto(dashboard.addressOf('www.my-shop.test'));
    expect([visit.url(), await visit.title()]).toEqual([dashboard.addressOf('my-shop.test'), 'My shop']);
    expect([clicks, fields]).toEqual([9, 2]);
    // The name that redirects is the second on its own page, too.
    await page.getByRole('link', { name: 'Domains', exact: true }).first().click();
    await page.getByRole('link', { name: 'www.my-shop.test' }).click();
    await title(page, 'www.my-shop.test').waitFor();
    await expect.poll(() => page.locator('.domain h2').allTextContents()).toEqual(['my-shop.test', 'www.my-shop.test']);
    // In the list of projects, the target comes first, and what was published is dated.
    await page.goto(dashboard.url());
    const card = page.getByRole('article').filter({ has: page.getByRole('heading', { name: 'My shop' }) });
    await card.getByText(/^Published /).waitFor();
    await card.locator('time').focus();
    await card.getByRole('tooltip').waitFor();
    await expect
      .poll(() => card.getByRole('link', { name: /my-shop\.test/ }).allTextContents())
      .toEqual([expect.stringMatching(/^my-shop/), expect.stringMatching(/^www/)]);
    expect(problems).toEqual([]);
    await context.close();
  });

  test('in a project that has only its placeholder so far, and more domains than its card shows', async () => {
    const { page, context } = await dashboard.newSignedInTab();
    const projectId = await newProject(page, 'Several');
    for (const host of ['a', 'b', 'c', 'd', 'e'].map((label) => `${label}.several.test`))
      await callApi(page, 'POST', `/projects/${projectId}/domains`, { host });
    await page.goto(dashboard.url());
    const card = page.getByRole('article').filter({ has: page.getByRole('heading', { name: 'Several' }) });
    await card.getByText('Nothing published yet').waitFor();
    expect(await card.getByRole('link', { name: 'several.test' }).count()).toBe(3);
    // Anywhere else, the card leads to its project.
    await card.click({ position: { x: 300, y: 10 } });
    await title(page, 'Several').waitFor();
    await page.goBack();
    await card.getByRole('link', { name: '+2 more' }).click();
    await page.getByRole('link', { name: 'e.several.test' }).waitFor();
    await page.goto(`${dashboard.url()}/projects/${projectId}`);
    await page.getByText('A placeholder page, until you publish').waitFor();
    await page.getByRole('heading', { name: 'Deployments (1)' }).waitFor();
    await page.getByRole('row', { name: /^Placeholder/ }).waitFor();
    const contents = await page.getByRole('heading', { level: 2 }).allTextContents();
    expect(contents.map((text) => text.replace(/ \(.*/, ''))).toEqual([
      'Live now',
      'Publish',
      'Domains',
      'Deployments',
      'IDs',
      'Delete this project',
    ]);
    await context.close();
  });

  test('with what is wrong at each of two names above the records, on the first screen of a phone', async () => {
    const { page, context } = await dashboard.newSignedInTab();
    const projectId = await newProject(page, 'Half wrong');
    await callApi(page, 'PUT', '/sandbox/records', { name: 'www.half.test', type: 'CNAME', value: 'elsewhere.test' });
    const domains = `/projects/${projectId}/domains`;
    const { domainId, companion } = await callApi<{ domainId: string; companion: { domainId: string } }>(page, 'POST', domains, {
      host: 'half.test',
      companion: true,
    });
    for (const id of [domainId, companion.domainId]) await callApi(page, 'POST', `${domains}/${id}/verify`);
    await page.setViewportSize({ width: 375, height: 740 });
    await page.goto(`${dashboard.url()}/projects/${projectId}/domains/${domainId}`);
    const notice = page.getByText('www.half.test: Change the record to the one below');
    await notice.waitFor();
    await page.getByText(/^half\.test: /).waitFor();
    const topOf = async (of: typeof notice) => (await of.boundingBox())?.y ?? Number.NaN;
    expect(await topOf(notice)).toBeLessThan(740);
    expect(await topOf(notice)).toBeLessThan(await topOf(page.getByRole('heading', { name: 'Records to set', exact: true })));
    await expectAccessible(page, 'domain-pair-wrong');
    await context.close();
  });

  test('with the clicks at the provider that hosts its zone, and each value as the form there takes it', async () => {
    const { page, context } = await dashboard.newSignedInTab();
    const projectId = await newProject(page, 'Provider');
    const { domainId } = await callApi<{ domainId: string }>(page, 'POST', `/projects/${projectId}/domains`, { host: 'www.provider.test' });
    // The sandbox hosts the zone; the response is replaced by that for a zone at OVHcloud.
    await page.route(`**/dashboard/v1/**/domains/${domainId}`, async (route) => {
      const response = await route.fetch();
      const domain = await response.json();
      const zone = { name: 'provider.test', nameServers: ['dns19.ovh.net', 'ns19.ovh.net'], editable: false, at: 0 };
      await route.fulfill({ response, json: { ...domain, canPublish: false, provider: providerView(zone, domain.records) } });
    });
    const { target } = await callApi<{ target: string }>(page, 'GET', `/projects/${projectId}`);
    await page.goto(`${dashboard.url()}/projects/${projectId}/domains/${domainId}`);
    await page.getByRole('heading', { name: 'At OVHcloud' }).waitFor();
    await page.getByText('Choose Add an entry, and the type.').waitFor();
    await page.getByText('The dot at the end is part of the value.').waitFor();
    const table = page.getByRole('table', { name: 'Record to set' });
    expect(await table.getByRole('columnheader').allTextContents()).toEqual(['Type', 'Sub-domain', 'Target, or Value', 'TTL']);
    await button(page, `Copy the value ${target}.`).click();
    await expect.poll(() => page.evaluate<string>('navigator.clipboard.readText()')).toBe(`${target}.`);
    expect(await button(page, 'Set up for me').count()).toBe(0);
    await page.evaluate('scrollTo(0, 0)');
    await expectAccessible(page, 'domain-provider');
    await page.getByText('At another provider', { exact: true }).click();
    await button(page, `Copy the value ${target}`).click();
    await expect.poll(() => page.evaluate<string>('navigator.clipboard.readText()')).toBe(target);
    await page.evaluate('scrollTo(0, 0)');
    await expectAccessible(page, 'domain-other-provider');
    await page.unrouteAll({ behavior: 'wait' });
    await context.close();
  });

  test('alone if its owner wants that, and says when it is checked next', async () => {
    const { page, context } = await dashboard.newSignedInTab();
    const projectId = await newProject(page, 'Alone');
    await page.goto(`${dashboard.url()}/projects/${projectId}/domains`);
    await page.getByLabel('Domain or subdomain').fill('www.alone.test');
    await page.getByLabel('Add alone.test too, and redirect it to www.alone.test').uncheck();
    await button(page, 'Add domain').click();
    await title(page, 'www.alone.test').waitFor();
    expect(await callApi<unknown[]>(page, 'GET', `/projects/${projectId}/domains`)).toHaveLength(1);
    await button(page, 'Verify').click();
    const next = page.getByText(/Next automatic check in \d+ s/);
    await next.waitFor();
    const first = await next.textContent();
    await expect.poll(() => next.textContent(), { timeout: 5_000 }).not.toBe(first);
    // Once the first check has found nothing.
    await expect.poll(() => next.textContent()).toContain('it can take up to 48 hours. You can close this page');
    await context.close();
  });

  test('under its name in Unicode, with the name that the DNS has beside it', async () => {
    const { page, context } = await dashboard.newSignedInTab();
    const projectId = await newProject(page, 'Unicode');
    await add(page, projectId, 'blog.münchen-tiere.test');
    await title(page, 'blog.münchen-tiere.test').waitFor();
    await page.getByText('(blog.xn--mnchen-tiere-dlb.test)').first().waitFor();
    await page.goto(`${dashboard.url()}/projects/${projectId}/domains`);
    await page.getByRole('link', { name: 'blog.münchen-tiere.test' }).waitFor();
    await expectAccessible(page, 'domains-unicode');
    await context.close();
  });
});
