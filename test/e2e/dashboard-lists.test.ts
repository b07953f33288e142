// Long lists in the dashboard: the first page is read at once, the others when somebody goes there, searches or sorts.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openSqliteStores } from '../../adapters/store/sqlite/stores.ts';
import { NOON } from '../../testing/samples.ts';
import { chromiumInstalled } from '../support/chromium.ts';
import { type Dashboard, expectAccessible, openDashboard } from '../support/dashboard.ts';
import { runCliJson } from '../support/processes.ts';

const COUNT = 230;

describe.runIf(chromiumInstalled)('long lists in the dashboard', () => {
  let dashboard: Dashboard;
  let projectId = '';
  const idOf = (number: number) => `dpl_${String(number).padStart(10, '0')}`;

  beforeAll(async () => {
    dashboard = await openDashboard();
    const [account] = await runCliJson<{ accountId: string }[]>(dashboard.folder, ['accounts', 'list']);
    const args = ['projects', 'create', '--account', account?.accountId ?? '', '--name', 'Busy', '--empty'];
    ({ projectId } = await runCliJson<{ projectId: string }>(dashboard.folder, args));
    const stores = openSqliteStores(dashboard.folder);
    for (let number = 0; number < COUNT; number += 1)
      await stores.projects.deploy({ id: idOf(number), projectId, createdAt: NOON + number, files: number, bytes: number });
    stores.close();
  });

  afterAll(() => dashboard.close());

  /** Opens the project. @returns the tab, and the requests for deployments so far */
  async function open() {
    const { page, problems } = await dashboard.newSignedInTab();
    const reads: string[] = [];
    page.on('request', (request) => {
      // The list of projects reads the latest of each.
      if (request.url().includes('/deployments?limit=100')) reads.push(new URL(request.url()).search);
    });
    await page.goto(`${dashboard.url()}/projects/${projectId}`);
    await page
      .getByText(idOf(COUNT - 1), { exact: true })
      .first()
      .waitFor();
    return { page, problems, reads, deployments: page.getByRole('table', { name: 'Deployments' }) };
  }

  test('going to the end reads one page after the other', async () => {
    const { page, problems, reads, deployments } = await open();
    await page.getByText('(100+)').waitFor();
    expect(reads).toEqual(['?limit=100']);
    await expectAccessible(page, 'long-list');
    for (let at = 2; at <= 12; at += 1) {
      await page.getByRole('button', { name: /^next page$/i }).click();
      await deployments.getByText(idOf(COUNT - 1 - 20 * (at - 1)), { exact: true }).waitFor();
    }
    await deployments.getByText(idOf(0), { exact: true }).waitFor();
    await page.getByText(`(${COUNT})`).waitFor();
    expect(reads.map((search) => search.split('&')[0])).toEqual(['?limit=100', '?limit=100', '?limit=100']);
    expect(await page.getByRole('button', { name: /^next page$/i }).isDisabled()).toBe(true);
    expect(problems).toEqual([]);
  });

  test('a search and an order concern all items', async () => {
    const { page, problems, reads, deployments } = await open();
    await page.getByPlaceholder('Search deployments').fill(idOf(3));
    await deployments.getByText(idOf(3), { exact: true }).waitFor();
    await page.getByText(`1 of ${COUNT}`).first().waitFor();
    expect(reads).toHaveLength(3);

    const sorted = await open();
    await sorted.page.getByRole('button', { name: /^Contents/ }).click();
    await sorted.deployments.getByText(idOf(0), { exact: true }).waitFor();
    expect([...problems, ...sorted.problems]).toEqual([]);
  });
});
