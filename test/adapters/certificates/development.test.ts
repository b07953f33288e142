import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { connect, createServer } from 'node:tls';
import { afterAll, describe, expect, test } from 'vitest';
import { createSqliteVault } from '../../../adapters/certificates/acme-orders.ts';
import { createDevelopmentAuthority } from '../../../adapters/certificates/development.ts';
import { ROOT_FILE } from '../../../adapters/files/data-folder.ts';
import { MIGRATIONS } from '../../../adapters/store/sqlite/migrations.ts';
import { certificateAuthorityContract } from '../../../testing/certificate-authority.ts';
import { makeFolder, testFolder } from '../../support/folders.ts';

const DAY_MS = 86_400_000;

async function makeAuthority(folder = testFolder(), now = Date.now()) {
  const database = new DatabaseSync(':memory:');
  for (const migration of MIGRATIONS) database.exec(migration);
  const vault = createSqliteVault(database);
  return { folder, vault, database, authority: await createDevelopmentAuthority(folder, vault, () => now) };
}

const contractFolder = makeFolder();
afterAll(contractFolder.remove);

certificateAuthorityContract(
  test,
  async () => {
    const { authority, database } = await makeAuthority(contractFolder.path);
    const select = database.prepare('SELECT chain FROM certificates WHERE host = ?');
    return { authority, zone: 'my-shop.test', certificates: (host) => select.all(host).map(({ chain }) => String(chain)) };
  },
  { name: 'development', declares: ['outages'] },
);

describe('development authority', () => {
  test('issues immediately, and Node accepts the certificate for that name only, if it trusts the root', async () => {
    const { folder, vault, authority } = await makeAuthority();
    const reference = await authority.request('shop.my-shop.test', 'dom_1-g1');
    expect(await authority.check(reference)).toMatchObject({ kind: 'issued' });
    const certificate = vault.get(reference);
    const server = createServer({ key: certificate?.privateKey, cert: certificate?.chain }).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const handshake = (servername: string, ca: string | undefined) =>
      new Promise<string>((resolve) => {
        const { port } = server.address() as { port: number };
        const socket = connect({ port, host: '127.0.0.1', servername, ...(ca !== undefined && { ca }) }, () => {
          socket.end();
          resolve('trusted');
        });
        socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
      });
    const root = readFileSync(join(folder, ROOT_FILE), 'utf8');
    expect(await handshake('shop.my-shop.test', root)).toBe('trusted');
    expect(await handshake('other.my-shop.test', root)).toBe('ERR_TLS_CERT_ALTNAME_INVALID');
    expect(await handshake('shop.my-shop.test', undefined)).not.toBe('trusted');
    await new Promise((resolve) => server.close(resolve));
  });

  test.each([
    ['a damaged certificate', "chain = replace(chain, 'M', 'N')"],
    ['a damaged key', "private_key = 'none'"],
    [
      "another one's key",
      `private_key = '${generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' })}'`,
    ],
    ["another name's certificate", "host = 'other.my-shop.test'"],
  ])('does not count %s as issued, so that another one is requested', async (_, change) => {
    const { authority, database } = await makeAuthority();
    const reference = await authority.request('shop.my-shop.test', 'dom_1-g1');
    database.exec(`UPDATE certificates SET ${change}`);
    expect(await authority.check(reference)).toMatchObject({ kind: 'failed', detail: `no valid certificate ${reference}` });
    expect(await authority.check(await authority.request('shop.my-shop.test', 'dom_1-g1-r1'))).toMatchObject({ kind: 'issued' });
  });

  test('creates its root once, readable only by its owner, and keeps it', async () => {
    const now = Date.UTC(2026, 10, 21);
    const { folder } = await makeAuthority(testFolder(), now);
    const root = readFileSync(join(folder, ROOT_FILE), 'utf8');
    expect(statSync(join(folder, 'development-ca.key')).mode & 0o777).toBe(0o600);
    const { vault, authority } = await makeAuthority(folder, now + DAY_MS);
    expect(readFileSync(join(folder, ROOT_FILE), 'utf8')).toBe(root);
    const leaf = new X509Certificate(vault.get(await authority.request('a.my-shop.test', 'r'))?.chain ?? '');
    expect(leaf.verify(new X509Certificate(root).publicKey)).toBe(true);
    expect(leaf.subjectAltName).toBe('DNS:a.my-shop.test');
    expect(leaf.ca).toBe(false);
    expect(Date.parse(leaf.validTo)).toBe(now + 91 * DAY_MS);
  });

  test.each([
    ['development-ca.pem', (file: string) => writeFileSync(file, '')],
    ['development-ca.key', (file: string) => writeFileSync(file, '-----BEGIN PRIVATE KEY-----\n')],
    ['development-ca.key', (file: string) => rmSync(file)],
  ])('names a damaged %s and what to do, instead of creating another root', async (name, damage) => {
    const { folder } = await makeAuthority();
    damage(join(folder, name));
    await expect(makeAuthority(folder)).rejects.toThrow(new RegExp(`${name} is damaged .*restore it from a backup, or delete development-ca.pem`));
  });

  test('creates the root again if the first start ended before its certificate was written', async () => {
    const { folder } = await makeAuthority();
    rmSync(join(folder, 'development-ca.pem'));
    await makeAuthority(folder);
    expect(readFileSync(join(folder, ROOT_FILE), 'utf8')).toContain('BEGIN CERTIFICATE');
  });

  test('issues a certificate for a name of 253 characters', async () => {
    const { vault, authority } = await makeAuthority();
    const host = `${'a'.repeat(60)}.${'b'.repeat(60)}.${'c'.repeat(60)}.${'d'.repeat(60)}.test`;
    expect(new X509Certificate(vault.get(await authority.request(host, 'r'))?.chain ?? '').checkHost(host)).toBe(host);
  });
});
