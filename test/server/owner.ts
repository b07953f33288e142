// What an owner does in a browser, in the network namespace of the machine: signs in at the public name, creates a project, adds a domain, sets its
// record, and visits it. Arguments: a folder for the browser, the servers' folder, the user's email address and password, the domain. Prints the title
// of the page at the domain.

import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { launchChromium } from '../support/chromium.ts';
import { publishZone } from './internet.ts';

const TIMEOUT_MS = 60_000;
const [home = '', servers = '', email = '', password = '', domain = ''] = process.argv.slice(2);

const trusted = join(home, '.pki/nssdb');
mkdirSync(trusted, { recursive: true });
execFileSync('certutil', ['-d', `sql:${trusted}`, '-N', '--empty-password']);
execFileSync('certutil', ['-d', `sql:${trusted}`, '-A', '-t', 'C,,', '-n', 'acme', '-i', join(servers, 'root.pem')]);

const browser = await launchChromium([], { HOME: home });
try {
  const context = await browser.newContext();
  context.setDefaultTimeout(TIMEOUT_MS);
  const page = await context.newPage();
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  await page.goto('https://pets.example.com/');
  await page.getByLabel('Email address').fill(email);
  await page.getByLabel('Password').fill(password);
  await button('Sign in').click();
  await page.getByRole('heading', { name: 'Projects', level: 1 }).waitFor();
  if (new URL(page.url()).origin !== 'https://pets.example.com') throw new Error(`signed in at ${page.url()}`);

  await button('Create project').first().click();
  await page.getByLabel('Name').fill('Bakery');
  await button('Create').click();
  await page.getByRole('heading', { name: 'Bakery', level: 1 }).waitFor();
  await page.getByRole('link', { name: 'Domains', exact: true }).click();
  await page.getByLabel('Domain or subdomain').fill(domain);
  await button('Add domain').first().click();
  await page.getByRole('heading', { name: domain, level: 1 }).waitFor();
  // The page names the record to set; its value is copied with a button.
  const copy = await page
    .getByRole('button', { name: /^Copy the value \w+\.edge\.example\.org/ })
    .first()
    .getAttribute('aria-label');
  const target = copy?.replace('Copy the value ', '');
  const [host = '', ...zone] = domain.split('.');
  publishZone(servers, zone.join('.'), [`${host} CNAME ${target}.`]);
  await button('Verify').click();
  await page.getByRole('link', { name: `Open ${domain} in a new tab` }).waitFor();

  const visit = await context.newPage();
  const answer = await visit.goto(`https://${domain}/`);
  if (answer?.status() !== 200) throw new Error(`${domain} answers ${answer?.status()}`);
  console.info(await visit.title());
} catch (error) {
  for (const page of browser.contexts().flatMap((context) => context.pages())) console.error(await page.locator('body').innerText().catch(String));
  throw error;
} finally {
  await browser.close();
}
