// How owners publish a site in the dashboard, in Chromium on the real service: by drag and drop, from the browser's dialogs, as a zip; after an
// interruption; and what an owner does with a project besides.

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { strToU8, zipSync } from 'fflate';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumInstalled } from '../support/chromium.ts';
import { button, callApi, type Dashboard, expectAccessible, newLiveDomain, newProject, openDashboard, title } from '../support/dashboard.ts';

const SITE = {
  'index.html': '<h1>Hello from a folder</h1>',
  'docs/index.html': '<h1>Documentation</h1>',
  'ä b.txt': 'text',
  '.env': 'SECRET=1',
  '.git/config': 'x',
  '.well-known/security.txt': 'Contact: mailto:a@b.test',
};

describe.runIf(chromiumInstalled)('publishing in the dashboard', () => {
  let dashboard: Dashboard;

  beforeAll(async () => {
    dashboard = await openDashboard();
  });

  afterAll(() => dashboard.close());

  function makeSite(name: string, files: Readonly<Record<string, string | Uint8Array>>): string {
    const folder = join(dashboard.folder, 'sites-to-publish', name);
    for (const [file, content] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), content);
    }
    return folder;
  }

  /** Drops what is at these paths of this machine, as a file manager does. */
  async function drop(page: Page, ...files: readonly string[]): Promise<void> {
    const area = await page.getByText('Drop a folder, files, or a zip here.').boundingBox();
    if (area === null) throw new Error('no area to drop files');
    const session = await page.context().newCDPSession(page);
    const data = { items: [], files: [...files], dragOperationsMask: 1 };
    for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
      await session.send('Input.dispatchDragEvent', { type, x: area.x + 5, y: area.y + 5, data });
    await session.detach();
  }

  const projectIdOf = (page: Page) => /projects\/(prj_\w+)/.exec(page.url())?.[1] ?? '';
  const deployments = (page: Page) =>
    callApi<{ deploymentId: string; files: number; current: boolean }[]>(page, 'GET', `/projects/${projectIdOf(page)}/deployments`);

  test('takes 4 clicks, 3 fields and a drop from signing in; the folder is served on the domain, and an earlier one again', async () => {
    const { page, context, problems } = await dashboard.newTab();
    let clicks = 0;
    const click = async (name: string) => {
      clicks += 1;
      await button(page, name).first().click();
    };
    await page.goto(dashboard.url());
    await page.getByLabel('Email address').fill(dashboard.demo.email);
    await page.getByLabel('Password').fill(dashboard.demo.password);
    await click('Sign in');
    await click('Create project');
    await page.getByLabel('Name').fill('By Upload');
    await click('Create');
    await title(page, 'By Upload').waitFor();
    await page.getByText('at most 10,000 files, 25 MiB each, 500 MiB in total').waitFor();
    await drop(page, makeSite('dist', SITE));
    await page.getByText(/4 files, \d+.bytes, from the folder dist; 2 hidden files are left out/).waitFor();
    await expectAccessible(page, 'publish-chosen');
    await click('Publish');
    await page.getByText('4 files, served from now on.').waitFor();
    expect(clicks).toBe(4);
    await page
      .getByLabel('Publish', { exact: true })
      .getByRole('link', { name: /^[a-z0-9]{16}\./ })
      .waitFor();
    await expect.poll(() => page.getByRole('row', { name: /live/i }).textContent()).toMatch(/dpl_\w+live4 files, /);
    await expectAccessible(page, 'publish-published');

    await newLiveDomain(page, projectIdOf(page), 'publish.dashboard.test');
    await button(page, 'Publish again').click();
    await drop(page, makeSite('second', { 'index.html': '<h1>Second</h1>' }));
    await button(page, 'Publish').click();
    await page.getByText('1 file, served from now on.').waitFor();
    const link = page.getByLabel('Publish', { exact: true }).getByRole('link', { name: 'publish.dashboard.test' });
    const [visit] = await Promise.all([context.waitForEvent('page'), link.click()]);
    await visit.getByRole('heading', { name: 'Second' }).waitFor();

    const [, earlier] = await deployments(page);
    const row = page.getByRole('row').filter({ hasText: earlier?.deploymentId ?? '' });
    await row.getByRole('button', { name: /^Roll back: the deployment of / }).click();
    await expectAccessible(page, 'roll-back');
    await page.getByRole('dialog').getByRole('button', { name: 'Roll back' }).click();
    await page.getByText('Rolled back.').waitFor();
    // Of those that are no longer served.
    const later = page.getByRole('row').filter({ hasText: (await deployments(page))[0]?.deploymentId ?? '' });
    await later.getByRole('button', { name: /^Actions for / }).click();
    await button(page, 'Pin').click();
    await later.getByText('pinned').waitFor();
    await later.getByRole('button', { name: /^Actions for / }).click();
    await button(page, 'Unpin').click();
    await later.getByText('kept').waitFor();
    await later.getByRole('button', { name: /^Actions for / }).click();
    await later.getByRole('button', { name: 'Delete' }).click();
    await expectAccessible(page, 'delete-deployment');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Deleted.', { exact: true }).waitFor();
    await expect.poll(async () => (await deployments(page)).map(({ current }) => current)).toEqual([true, false]);
    for (const [path, text] of [
      ['', SITE['index.html']],
      ['docs/', SITE['docs/index.html']],
      ['%C3%A4%20b.txt', SITE['ä b.txt']],
      ['.well-known/security.txt', SITE['.well-known/security.txt']],
    ])
      expect(await (await visit.goto(`${dashboard.addressOf('publish.dashboard.test')}${path}`))?.text()).toBe(text);
    expect((await visit.goto(`${dashboard.addressOf('publish.dashboard.test')}.env`))?.status()).toBe(404);
    expect(problems).toEqual([]);
    await context.close();
  });

  test('continues after a failure and after a reload, sends only what is missing, and asks before the page closes', async () => {
    const { page, context } = await dashboard.newSignedInTab();
    await page.goto(`${dashboard.url()}/projects/${await newProject(page, 'Interrupted')}`);
    const folder = makeSite('large', Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`file-${String(n + 10)}.txt`, `content ${n}`])));
    const puts: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'PUT' && /\/files\/\d+$/.test(request.url())) puts.push(request.url());
    });
    let isBroken = true;
    const refuse = '**/files/2*';
    await page.route(refuse, async (route) => {
      if (isBroken) await route.fulfill({ status: 400, json: { code: 'invalid_request', message: 'not what was announced', status: 400 } });
      else await route.continue();
    });
    await drop(page, folder);
    await page.getByText('There is no index.html').waitFor();
    await button(page, 'Publish').click();
    await page.getByText(/^file-\d+\.txt: not what was announced\.$/).waitFor();
    await expectAccessible(page, 'publish-failed');
    const first = puts.length;
    expect(first).toBeLessThan(40);

    // The answer takes a while: the page asks before it is left, and canceling keeps what is sent.
    isBroken = false;
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route('**/uploads/*/publish', async (route) => {
      await held;
      await route.abort().catch(() => {});
    });
    await button(page, 'Continue').click();
    await page.getByRole('progressbar', { name: 'Publishing' }).waitFor();
    await page.getByText('40 of 40 files').waitFor();
    // What is being published can't be stopped any more.
    expect(await button(page, 'Cancel').count()).toBe(0);
    await expectAccessible(page, 'publish-running');
    await page.getByRole('link', { name: 'Domains', exact: true }).click();
    await page.getByRole('heading', { name: 'Stop sending?' }).waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    const asked = new Promise<string>((resolve) => {
      page.once('dialog', (dialog) => {
        resolve(dialog.type());
        void dialog.accept();
      });
    });
    expect(new Set(puts).size).toBe(40);
    const sent = puts.length;
    await page.reload();
    expect(await asked).toBe('beforeunload');
    release();
    await page.unrouteAll({ behavior: 'ignoreErrors' });

    await page.getByText('Drop a folder, files, or a zip here.').waitFor();
    await drop(page, folder);
    await button(page, 'Publish').click();
    await page.getByText('40 files, served from now on.').waitFor();
    expect(puts.length).toBe(sent);
    expect((await deployments(page))[0]).toMatchObject({ files: 40, current: true });
    await context.close();
  });

  test('can be canceled and continued', async () => {
    const { page, context } = await dashboard.newSignedInTab();
    await page.goto(`${dashboard.url()}/projects/${await newProject(page, 'Canceled')}`);
    let stuck = 0;
    let begun = 0;
    page.on('request', (request) => {
      if (request.method() === 'POST' && request.url().endsWith('/uploads')) begun += 1;
    });
    await page.route('**/files/*', () => {
      stuck += 1;
    });
    await drop(page, makeSite('stuck', Object.fromEntries(Array.from({ length: 10 }, (_, n) => [`${n}.html`, 'x']))));
    // Two clicks publish once; the focus stays in the area although the button is gone.
    await button(page, 'Publish').focus();
    await page.evaluate('document.activeElement.click(); document.activeElement.click()');
    await expect.poll(() => stuck).toBe(6);
    expect(await page.evaluate<string>('document.activeElement.className')).toBe('publish');
    await button(page, 'Cancel').click();
    await button(page, 'Publish').waitFor();
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await button(page, 'Publish').click();
    await page.getByText('10 files, served from now on.').waitFor();
    expect(begun).toBe(1);
    await context.close();
  });

  test('takes a zip and what the dialogs return, and refuses what the plan or the rules do not allow before anything is sent', async () => {
    const { page, context, problems } = await dashboard.newSignedInTab();
    await page.goto(`${dashboard.url()}/projects/${await newProject(page, 'Zipped')}`);
    const zip = Buffer.from(
      zipSync({ 'dist/index.html': strToU8('<h1>Zipped</h1>'), 'dist/a/b.css': strToU8('a{}'), '__MACOSX/dist/._index.html': strToU8('x') }),
    );
    const asFile = (name: string, buffer: Buffer) => ({ name, mimeType: 'application/octet-stream', buffer });
    await page.getByLabel('Choose files or zip').setInputFiles(asFile('site.zip', zip));
    await page.getByText(/2 files, \d+.bytes, from the folder dist; 1 hidden file is left out/).waitFor();
    await button(page, 'Publish').click();
    await page.getByText('2 files, served from now on.').waitFor();
    await button(page, 'Publish again').click();
    await page.getByLabel('Choose folder').setInputFiles(makeSite('chosen', SITE));
    await page.getByText(/4 files, \d+.bytes, from the folder chosen; 2 hidden files are left out/).waitFor();
    await button(page, 'Choose again').click();

    let requests = 0;
    page.on('request', (request) => {
      if (/uploads/.test(request.url())) requests += 1;
    });
    for (const [content, message] of [
      [zip.subarray(0, -30), 'This is not a zip file, or only a part of one.'],
      [Buffer.from(zipSync({ 'a/index.html': strToU8('x'), 'a/../../b': strToU8('x') })), 'invalid file name'],
      [Buffer.from(zipSync({ 'large.bin': new Uint8Array(26 * 2 ** 20) })), /large\.bin: 26(\.0)? MiB; allowed: at most 25(\.0)? MiB a file/],
    ] as const) {
      await page.getByLabel('Choose files or zip').setInputFiles(asFile('site.zip', content));
      await page.getByText(message).first().waitFor();
      if (message === 'This is not a zip file, or only a part of one.') continue;
      expect(await button(page, 'Publish').isDisabled()).toBe(true);
      await expectAccessible(page, 'publish-refused');
      await button(page, 'Choose again').click();
    }
    expect([requests, problems]).toEqual([0, []]);
    await context.close();
  });

  test('a project is renamed, and deleted once it has no domains', async () => {
    const { page, context, problems } = await dashboard.newSignedInTab();
    const projectId = await newProject(page, 'Old Name');
    const { domainId } = await callApi<{ domainId: string }>(page, 'POST', `/projects/${projectId}/domains`, { host: 'delete.dashboard.test' });
    await page.goto(`${dashboard.url()}/projects/${projectId}`);
    await button(page, 'Rename').click();
    await page.getByRole('textbox', { name: 'Name' }).fill('New Name');
    await expectAccessible(page, 'project-rename');
    await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click();
    await title(page, 'New Name').waitFor();

    await page.getByRole('link', { name: 'its domain' }).waitFor();
    expect(await button(page, 'Delete').isDisabled()).toBe(true);
    await callApi(page, 'DELETE', `/projects/${projectId}/domains/${domainId}`);
    await expect.poll(() => callApi(page, 'GET', `/projects/${projectId}/domains`)).toEqual([]);
    await page.reload();
    await button(page, 'Delete').click();
    const confirm = page.getByRole('dialog').getByRole('button', { name: 'Delete' });
    await page.getByLabel('To confirm, type New Name').fill('Old Name');
    expect(await confirm.isDisabled()).toBe(true);
    await page.getByLabel('To confirm, type New Name').fill('New Name');
    await expectAccessible(page, 'project-delete');
    await confirm.click();
    await title(page, 'Projects').waitFor();
    await page.getByText('New Name is deleted.').waitFor();
    await expect.poll(() => page.getByRole('heading', { name: 'New Name' }).count()).toBe(0);
    expect(problems).toEqual([]);
    await context.close();
  });
});
