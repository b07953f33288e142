import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseSettings } from '../../local/settings.ts';

describe('settings', () => {
  test('have defaults', () => {
    expect(parseSettings({ PATH: '/bin', HOME: '/root' })).toEqual({
      ok: true,
      settings: { port: 8080, host: '127.0.0.1', dataFolder: resolve('.petstore'), logLevel: 'WARN', draftHeaders: false },
    });
  });

  test('are taken as given', () => {
    const given = { PETSTORE_PORT: '0', PETSTORE_HOST: '::1', PETSTORE_DATA: '/data', PETSTORE_LOG_LEVEL: 'INFO', PETSTORE_DRAFT_HEADERS: 'on' };
    expect(parseSettings(given)).toEqual({ ok: true, settings: { port: 0, host: '::1', dataFolder: '/data', logLevel: 'INFO', draftHeaders: true } });
  });

  test('are refused all at once, each with what was given and what is allowed', () => {
    const parsed = parseSettings({
      PETSTORE_PORT: '99999',
      PETSTORE_HOST: 'a b',
      PETSTORE_DATA: '',
      PETSTORE_LOG_LEVEL: 'loud',
      PETSTORE_DRAFT_HEADERS: 'yes',
      PETSTORE_PROT: '1',
    });
    expect(parsed.ok ? [] : parsed.problems).toEqual([
      expect.stringMatching(/^PETSTORE_PROT: not known; allowed: PETSTORE_PORT, /),
      'PETSTORE_PORT: got "99999"; allowed: an integer from 0 to 65535; 0 takes a free port',
      expect.stringMatching(/^PETSTORE_HOST: got "a b"; allowed: a host name/),
      'PETSTORE_DATA: got ""; allowed: a folder',
      expect.stringMatching(/^PETSTORE_LOG_LEVEL: got "loud"; allowed: one of DEBUG/),
      'PETSTORE_DRAFT_HEADERS: got "yes"; allowed: on or off',
    ]);
  });

  test.each(['-1', '80a', '', '1e3', '8080 '])('refuse port %j', (port) => {
    expect(parseSettings({ PETSTORE_PORT: port }).ok).toBe(false);
  });
});
