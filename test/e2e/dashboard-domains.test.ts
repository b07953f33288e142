// How owners manage domains in the dashboard, in Chromium on the real service: the whole procedure from signing in to a page over TLS, with the
// mouse and with the keyboard; a wrong record, a late certificate, redirects. Single pages are tested in dashboard-pages.test.ts, keys and usage in
// dashboard-account.test.ts, sessions in dashboard-session.test.ts.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { adviceOf } from '../../core/domains/diagnosis/advice.ts';
import { chromiumInstalled } from '../support/chromium.ts';
import {
  act,
  button,
  callApi,
  type Dashboard,
  expectAccessible,
  newLiveDomain,
  newProject,
  openDashboard,
  tabTo,
  title,
} from '../support/dashboard.ts';

const HOST = 'shop.dashboard.test';

describe.runIf(chromiumInstalled)('domains in the dashboard', () => {
  let dashboard: Dashboard;

  beforeAll(async () => {
    dashboard = await openDashboard();
  });

  afterAll(() => dashboard.close());

  test('go from signing in to a page over TLS with the mouse, in 12 clicks and 2 fields, and are removed', async () => {
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
    await page.goto(dashboard.url());
    await page.getByLabel('Email address').waitFor();
    await expectAccessible(page, 'sign-in');
    await page.getByLabel('Email address').fill(dashboard.demo.email);
    await page.getByLabel('Password').fill(dashboard.demo.password);
    await click('Sign in');
    await title(page, 'Projects').waitFor();

    await click('Create project');
    await fill('Name', 'First Shop');
    await expectAccessible(page, 'project-create');
    await click('Create');
    await title(page, 'First Shop').waitFor();
    await page.getByRole('link', { name: 'Domains', exact: true }).click();
    clicks += 1;
    await fill('Domain or subdomain', HOST);
    await click('Add domain');
    await title(page, HOST).waitFor();
    await expectAccessible(page, 'domain-added');

    // Each value in the record can be copied.
    const { target } = await callApi<{ target: string }>(page, 'GET', `/projects/${/projects\/(\w+)/.exec(page.url())?.[1]}`);
    await page.getByText('Full names and TTL').click();
    for (const [label, text] of [
      ['Copy the name shop', 'shop'],
      [`Copy the name ${HOST}`, HOST],
      [`Copy the value ${target}`, target],
      ['Copy the TTL 3600', '3600'],
    ] as const) {
      await button(page, label).click();
      await expect.poll(() => page.evaluate<string>('navigator.clipboard.readText()')).toBe(text);
    }

    // There is no record yet: the page says so, and what to do.
    await click('Verify');
    await page.getByText('Add this record at your DNS provider').waitFor();
    await page.getByText(`No CNAME and no addresses at ${HOST}`).waitFor();
    await expectAccessible(page, 'domain-not-found');
    await click('Set up for me');
    await page.getByRole('link', { name: /^Open .* in a new tab$/ }).waitFor();
    await expectAccessible(page, 'domain-live');
    expect(clicks).toBeLessThanOrEqual(12);
    expect(fields).toBe(2);

    const [visit] = await Promise.all([context.waitForEvent('page'), page.getByRole('link', { name: `Open ${HOST} in a new tab` }).click()]);
    await visit.waitForLoadState();
    expect([visit.url(), await visit.title()]).toEqual([dashboard.addressOf(HOST), expect.stringContaining('First Shop')]);
    await visit.close();

    // Redirects to the domain are listed, and have to be removed with it.
    const projectId = /projects\/(prj_\w+)/.exec(page.url())?.[1] ?? '';
    await callApi(page, 'PUT', `/projects/${projectId}/configuration`, { domains: { primary: HOST, redirects: [] } });
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    await page.route('**/configuration', async (route) => {
      await held;
      await route.continue();
    });
    await page.reload();
    await click(`Remove ${HOST}`);
    await page.getByLabel(`To confirm, type ${HOST}`).fill(HOST);
    // What points to the domain is not known yet, so nothing can be removed.
    expect(await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).isDisabled()).toBe(true);
    release();
    await page.getByText('Also remove what points to it: its role as the primary domain').waitFor();
    expect(await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).isDisabled()).toBe(true);
    await page.getByText('Also remove what points to it: its role as the primary domain').click();
    await page.getByLabel(`To confirm, type ${HOST}`).fill('shop');
    expect(await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).isDisabled()).toBe(true);
    await page.getByLabel(`To confirm, type ${HOST}`).fill(HOST);
    await expectAccessible(page, 'domain-remove');
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('is no longer served').waitFor();
    await page.getByText('No domains yet').waitFor();
    const gone = await context.newPage();
    // Either no handshake, or 421 on the connection that is still open.
    const outcome = await gone.goto(dashboard.addressOf(HOST)).then(
      (answer) => answer?.status(),
      () => 'no handshake',
    );
    expect([421, 'no handshake']).toContain(outcome);
    expect(problems).toEqual([]);
    await context.close();
  });

  test('can be managed by keyboard alone, with the location announced to screen readers', async () => {
    const { page, context } = await dashboard.newSignedInTab();
    const focused = () => page.evaluate<string>("document.activeElement?.textContent ?? ''");
    await tabTo(page, 'button', 'Create project');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    // The dialog takes the focus, keeps it, and returns it when it closes.
    for (let tabs = 0; tabs < 8; tabs += 1) {
      await page.keyboard.press('Tab');
      expect(
        await page.evaluate<boolean>("[null, document.body].includes(document.activeElement) || document.activeElement.closest('dialog') !== null"),
      ).toBe(true);
    }
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await expect.poll(focused).toBe('Create project');
    await page.keyboard.press('Enter');
    await tabTo(page, 'textbox', 'Name');
    await page.keyboard.type('By keyboard');
    await page.keyboard.press('Enter');
    await title(page, 'By keyboard').waitFor();
    // Navigation moves the focus to the title of the page.
    await expect.poll(focused).toBe('By keyboard');
    expect(await page.title()).toBe('By keyboard · Petstore');

    await tabTo(page, 'link', 'Manage domains');
    await page.keyboard.press('Enter');
    await title(page, 'Domains').waitFor();
    await expect.poll(focused).toBe('Domains');
    await tabTo(page, 'textbox', 'Domain or subdomain');
    await page.keyboard.type('com');
    await page.keyboard.press('Enter');
    await page.getByText('Enter a name below com, under which many people register names.').first().waitFor();
    // The focus is at the field that is wrong, and what to enter is its description.
    const field = page.getByRole('textbox', { name: 'Domain or subdomain' });
    await expect.poll(() => field.evaluate((input) => input === input.ownerDocument.activeElement)).toBe(true);
    expect(await field.evaluate((input) => [input.getAttribute('aria-invalid'), input.getAttribute('aria-describedby')?.split(' ').length])).toEqual([
      'true',
      1,
    ]);
    await expectAccessible(page, 'domain-refused');
    const lineOf = async (locator: typeof field) => (await locator.boundingBox())?.y;
    expect(await lineOf(button(page, 'Add domain'))).toBe(await lineOf(field));
    await page.keyboard.press('Control+A');
    await page.keyboard.type('blog.keyboard.test');
    // The problem was that of the previous value.
    expect(await field.getAttribute('aria-invalid')).toBeNull();
    await page.keyboard.press('Enter');
    await title(page, 'blog.keyboard.test').waitFor();
    await tabTo(page, 'button', 'Set up for me');
    await page.keyboard.press('Enter');
    // Each new state is announced; the button that was used is gone, and the title has the focus.
    await page.locator('[aria-live=polite]').getByText('Live', { exact: true }).waitFor();
    await expect.poll(focused).toBe('blog.keyboard.test');
    await tabTo(page, 'button', 'Remove blog.keyboard.test');
    await page.keyboard.press('Enter');
    await tabTo(page, 'textbox', 'To confirm, type blog.keyboard.test');
    await page.keyboard.type('blog.keyboard.test');
    await page.keyboard.press('Enter');
    await page.getByText('No domains yet').waitFor();
    // Goes back through the pages: the removed domain, its list, the project.
    for (let times = 0; times < 3; times += 1) await page.goBack();
    await title(page, 'By keyboard').waitFor();
    await context.close();
  });

  test('with a wrong sandbox record show what was seen, and the record can be replaced by the right one', async () => {
    const { page, context } = await dashboard.newSignedInTab();
    const projectId = await newProject(page, 'Wrong');
    await page.goto(`${dashboard.url()}/sandbox`);
    const setRecord = async (value: string) => {
      await page.getByRole('textbox', { name: 'Name' }).fill('blog.wrong.test');
      await page.getByRole('textbox', { name: 'Value' }).fill(value);
      await button(page, 'Set record').click();
      await page.getByRole('cell', { name: value, exact: true }).waitFor();
    };
    await setRecord('elsewhere.test');
    await page.goto(`${dashboard.url()}/projects/${projectId}/domains`);
    await page.getByLabel('Domain or subdomain').fill('blog.wrong.test');
    await button(page, 'Add domain').click();
    await title(page, 'blog.wrong.test').waitFor();
    await button(page, 'Verify').click();
    await page.getByText('elsewhere.test').first().waitFor();
    await expectAccessible(page, 'domain-wrong');
    const domainPage = page.url();

    // The record is shown once, with its copy buttons.
    const { target } = await callApi<{ target: string }>(page, 'GET', `/projects/${projectId}`);
    await page.getByText('Change the record to the one below').waitFor();
    expect(await page.getByText(target).filter({ visible: true }).count()).toBe(1);
    await page.goto(`${dashboard.url()}/sandbox`);
    await act(page, 'Actions for blog.wrong.test CNAME', 'Remove');
    await button(page, 'Actions for blog.wrong.test CNAME').waitFor({ state: 'detached' });
    await setRecord(target);
    await page.goto(domainPage);
    await button(page, 'Verify').click();
    await page.getByRole('link', { name: /^Open .* in a new tab$/ }).waitFor();
    expect(await page.getByText('Change the record').count()).toBe(0);
    await context.close();
  });

  test('with a late certificate say after 30 minutes what to check', async () => {
    const { page, context } = await dashboard.newSignedInTab();
    const projectId = await newProject(page, 'Late');
    const { domainId } = await callApi<{ domainId: string }>(page, 'POST', `/projects/${projectId}/domains`, { host: 'www.late.test' });
    // Half an hour is too long for a test: the response is replaced by a response from 31 minutes later.
    const now = Date.now();
    const waiting = { since: now - 31 * 60_000, checks: 9, nextCheckAt: now };
    const advice = adviceOf({ state: { name: 'certificate_pending', certificate: 'ref', ...waiting } }, now);
    await page.route(`**/dashboard/v1/**/domains/${domainId}`, async (route) => {
      const response = await route.fetch();
      await route.fulfill({
        response,
        json: { ...(await response.json()), state: 'certificate_pending', canVerify: true, certificateLate: true, advice },
      });
    });
    await page.goto(`${dashboard.url()}/projects/${projectId}/domains/${domainId}`);
    await page.getByText('The certificate was not issued within 30 minutes').waitFor();
    await page.getByText('The certificate authority is still working on it').first().waitFor();
    expect(await button(page, 'Verify').isEnabled()).toBe(true);
    await expectAccessible(page, 'domain-late');
    await page.unrouteAll({ behavior: 'wait' });
    await context.close();
  });

  test('at an apex show the records that they need, and which providers support them', async () => {
    const { page, context } = await dashboard.newSignedInTab();
    const projectId = await newProject(page, 'Apex');
    await page.goto(`${dashboard.url()}/projects/${projectId}/domains`);
    await page.getByLabel('Domain or subdomain').fill('apex.test');
    await button(page, 'Add domain').click();
    await title(page, 'apex.test').waitFor();
    await page.getByText('Cloudflare, DNSimple').waitFor();
    expect(await page.getByRole('table', { name: 'Records to set' }).getByRole('rowheader').allTextContents()).toEqual(['ALIAS', 'TXT', 'CNAME']);
    await button(page, 'Copy the name @').waitFor();
    await expectAccessible(page, 'domain-apex');
    await context.close();
  });

  test('have settings that are edited by form and as JSON, imported and exported, refused with a reason, and not lost', async () => {
    const { page, context } = await dashboard.newSignedInTab();
    const projectId = await newProject(page, 'Settings');
    await newLiveDomain(page, projectId, 'www.settings.test');
    await newLiveDomain(page, projectId, 'old.settings.test');
    await page.goto(`${dashboard.url()}/projects/${projectId}/domains`);
    await button(page, 'Actions for old.settings.test').click();
    await button(page, 'Make primary').click();
    await page.getByRole('rowheader', { name: 'old.settings.test primary' }).waitFor();
    await page.goto(`${dashboard.url()}/projects/${projectId}/settings`);
    const text = page.getByLabel('Configuration');
    const unfold = () => page.getByText('As JSON', { exact: true }).click();
    await unfold();
    await text.waitFor();
    expect(await button(page, 'Save').isDisabled()).toBe(true);

    await text.fill('{"domains":{"primary":"www.elsewhere.test"}}');
    await button(page, 'Save').click();
    await page.getByText('Choose a live domain of this project.').first().waitFor();
    // The focus moves to the field, which the message describes.
    const primary = page.getByRole('combobox', { name: 'Primary domain' });
    await expect.poll(() => primary.evaluate((field) => field === field.ownerDocument.activeElement)).toBe(true);
    await expectAccessible(page, 'settings-refused');
    // An unknown member is reported, not ignored.
    await text.fill('{"domains":{"redirect":[]}}');
    await button(page, 'Save').click();
    await page.getByRole('alert').getByText('"redirect" is not known in domains: remove it.').waitFor();
    await text.fill('{');
    await page.getByText('This is not a valid configuration.').waitFor();
    expect(await button(page, 'Save').isDisabled()).toBe(true);
    await button(page, 'Discard').click();

    const choose = (label: string, option: string) => page.getByRole('combobox', { name: label }).selectOption(option);
    await choose('Primary domain', 'www.settings.test');
    await button(page, 'Add redirect').click();
    await choose('From', 'old.settings.test');
    await expectAccessible(page, 'settings');
    // Leaving the page asks for confirmation.
    await page.getByRole('link', { name: 'Overview', exact: true }).click();
    await page.getByRole('dialog').getByText('Leave without saving?').waitFor();
    await expectAccessible(page, 'settings-unsaved');
    await button(page, 'Cancel').click();
    await button(page, 'Save').click();
    await page.getByText('Saved; served from the next request on.').waitFor();
    const visit = await context.newPage();
    await visit.goto(dashboard.addressOf('old.settings.test'));
    expect(visit.url()).toBe(dashboard.addressOf('www.settings.test'));
    await visit.close();
    await page.getByRole('link', { name: 'Overview', exact: true }).click();
    await page.getByRole('link', { name: 'www.settings.test' }).first().waitFor();

    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Redirects and tokens' }).click();
    await unfold();
    const [download] = await Promise.all([page.waitForEvent('download'), button(page, 'Export').click()]);
    const exported = {
      domains: { primary: 'www.settings.test', redirects: [{ from: 'old.settings.test', to: 'www.settings.test', status: 301 }] },
    };
    expect(download.suggestedFilename()).toBe(`${projectId}.json`);
    const file = join(dashboard.folder, 'import.json');
    writeFileSync(file, JSON.stringify({ domains: { ...exported.domains, redirects: [] } }));
    await page.getByLabel('File to import').setInputFiles(file);
    await page.getByText('No redirects.').waitFor();
    // Another user saves in the meantime.
    await callApi(page, 'PUT', `/projects/${projectId}/configuration`, { domains: { redirects: exported.domains.redirects } });
    // Saved before it is noticed, it is refused, and both see what the other did.
    await button(page, 'Save').click();
    await page.getByText('Another user, or another window of yours, changed this in the meantime').waitFor();
    await page.getByText('the primary domain is not set, and was www.settings.test').waitFor();
    await expectAccessible(page, 'settings-overtaken');
    await button(page, 'Keep mine').click();
    await page.getByText('Another user has saved changes').waitFor({ state: 'detached' });
    // The button is disabled while it saves, too.
    const answered = page.waitForResponse((response) => response.request().method() === 'PUT');
    await button(page, 'Save').click();
    await answered;
    await expect.poll(() => button(page, 'Save').isDisabled()).toBe(true);
    await text.fill(JSON.stringify({ domains: { redirects: [] } }));
    await callApi(page, 'PUT', `/projects/${projectId}/configuration`, { domains: { redirects: exported.domains.redirects } });
    await page.getByText('the redirect from old.settings.test to www.settings.test (301) was added').waitFor();
    await button(page, 'Load their version').click();
    const theirs = { domains: { redirects: exported.domains.redirects } };
    await expect.poll(() => text.inputValue()).toBe(JSON.stringify(theirs, null, 2));
    const visits = page.getByLabel('Log visits');
    expect(await visits.isChecked()).toBe(false);
    await visits.check();
    await expect.poll(() => text.inputValue()).toBe(JSON.stringify({ ...theirs, logs: { access: true } }, null, 2));
    const stored = page.waitForResponse((response) => response.request().method() === 'PUT');
    await button(page, 'Save').click();
    await stored;
    await page.reload();
    await visits.waitFor();
    expect(await visits.isChecked()).toBe(true);
    await context.close();
  });

  test('have settings that can be edited while they are being saved', async () => {
    const { page, context } = await dashboard.newSignedInTab();
    const projectId = await newProject(page, 'Typing');
    await page.goto(`${dashboard.url()}/projects/${projectId}/settings`);
    const text = page.getByLabel('Configuration');
    await page.getByText('As JSON', { exact: true }).click();
    await text.fill('{"domains":{"redirects":[]},"logs":{"access":true}}');
    const answer = Promise.withResolvers<void>();
    await page.route('**/configuration', async (route) => {
      if (route.request().method() === 'PUT') await answer.promise;
      await route.continue();
    });
    await button(page, 'Save').click();
    const typed = '{"domains":{"redirects":[]},"logs":{"access":false}}';
    await text.fill(typed);
    answer.resolve();
    await page.getByText('Saved; served from the next request on.').waitFor();
    await page.waitForLoadState('networkidle');
    expect(await text.inputValue()).toBe(typed);
    expect(await button(page, 'Save').isEnabled()).toBe(true);
    await context.close();
  });

  test('can also be verified and removed from their menu in the list', async () => {
    const { page, context } = await dashboard.newSignedInTab();
    const projectId = await newProject(page, 'Menu');
    await callApi(page, 'POST', `/projects/${projectId}/domains`, { host: 'www.menu.test' });
    await page.goto(`${dashboard.url()}/projects/${projectId}/domains`);
    await button(page, 'Actions for www.menu.test').click();
    await button(page, 'Verify').click();
    await page.getByRole('cell', { name: 'Add the record', exact: true }).waitFor();
    await button(page, 'Actions for www.menu.test').click();
    await button(page, 'Remove').click();
    await page.getByLabel('To confirm, type www.menu.test').fill('www.menu.test');
    await page.keyboard.press('Enter');
    await page.getByText('No domains yet').waitFor();
    await context.close();
  });
});
