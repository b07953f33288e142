import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openProviderKeys } from '../../adapters/identity/provider-keys.ts';
import { testFolder } from '../support/folders.ts';

test('are created once', async () => {
  const folder = testFolder();
  const created = await openProviderKeys(folder);
  expect(await openProviderKeys(folder)).toEqual(created);
});

test.each([
  ['empty', ''],
  ['cut off', '{"signing":{"kty":"EC"'],
  ['without the cookies', '{"signing":{"kty":"EC"}}'],
  ['with something that is no key', '{"signing":{"kty":"EC"},"cookies":"c"}'],
])('a file that is %s is named, with what to do', async (_, text) => {
  const folder = testFolder();
  writeFileSync(join(folder, 'identity-keys.json'), text);
  await expect(openProviderKeys(folder)).rejects.toThrow(/identity-keys\.json is damaged \(.+\): restore it from a backup, or delete it/);
});
