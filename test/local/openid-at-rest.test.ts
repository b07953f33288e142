// What a stolen copy of the database is worth: nothing in it lets anyone sign in.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DATABASE_FILE } from '../../adapters/files/data-folder.ts';
import { type ControlHost, startControlHost } from '../support/control-host.ts';
import { makeFolder } from '../support/folders.ts';
import { Browser, exchange, openSignIn, submit } from '../support/sign-in.ts';

const folder = makeFolder();
let host: ControlHost;

beforeAll(async () => {
  host = await startControlHost(folder.path);
});

afterAll(async () => {
  await host.stop();
  folder.remove();
});

test('no code, token, session or sign-in attempt is stored in the form in which it is sent', async () => {
  const { email = '', password = '' } = host.demo ?? {};
  const browser = new Browser();
  const { page, verifier } = await openSignIn(browser, host.url);
  const entered = await submit(browser, page, email, password);
  const back = await browser.fetch(new URL(entered.headers.get('location') ?? '', host.url).href);
  const code = new URL(back.headers.get('location') ?? '').searchParams.get('code') ?? '';
  const fields = { grant_type: 'authorization_code', code, redirect_uri: `${host.url}/signed-in`, code_verifier: verifier };
  const first = await exchange(host.url, fields);
  const second = await exchange(host.url, { grant_type: 'refresh_token', refresh_token: first.refresh_token });
  const secrets = {
    interaction: page.split('/').at(-1),
    session: browser.cookie('_session'),
    code,
    consumedToken: first.refresh_token,
    refreshToken: second.refresh_token,
  };
  const files = ['', '-wal'].map((suffix) => join(folder.path, DATABASE_FILE + suffix)).filter((file) => existsSync(file));
  const stored = files.map((file) => readFileSync(file, 'latin1')).join('');
  expect(stored).toContain('"kind":"RefreshToken"');
  expect(Object.entries(secrets).filter(([, secret]) => secret === undefined || secret.length < 20 || stored.includes(secret))).toEqual([]);

  const database = new DatabaseSync(join(folder.path, DATABASE_FILE), { readOnly: true });
  const ids = database.prepare("SELECT id FROM oidc WHERE model = 'RefreshToken'").all();
  database.close();
  expect(ids).toHaveLength(2);
  for (const { id } of ids)
    await expect(exchange(host.url, { grant_type: 'refresh_token', refresh_token: String(id) })).rejects.toThrow('invalid_grant');
  await exchange(host.url, { grant_type: 'refresh_token', refresh_token: second.refresh_token });
});
