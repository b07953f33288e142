import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { SENDER_FORM } from '../../core/notifications/sender.ts';
import { parseSettings, platformHost } from '../../platforms/embedded/settings.ts';

describe('settings', () => {
  test('have defaults', () => {
    expect(parseSettings({ PATH: '/bin', HOME: '/root' })).toEqual({
      ok: true,
      settings: {
        port: 8080,
        host: '127.0.0.1',
        publicUrl: undefined,
        dataFolder: resolve('.petstore'),
        logLevel: 'WARN',
        accessLog: 'off',
        metrics: undefined,
        draftHeaders: false,
        trustedProxies: [],
        edge: { host: '127.0.0.1', httpPort: 8081, httpsPort: 8443, name: 'edge.petstore.test', proxyProtocol: false },
        sockets: {},
        acme: undefined,
        mail: undefined,
        operators: [],
        dns: { kind: 'sandbox', port: 8053, suffix: 'test' },
      },
    });
  });

  test('are read as given', () => {
    const given = { PETSTORE_PORT: '0', PETSTORE_HOST: '::1', PETSTORE_DATA: '/data', PETSTORE_LOG_LEVEL: 'INFO', PETSTORE_DRAFT_HEADERS: 'on' };
    const edge = {
      PETSTORE_EDGE_HOST: '127.0.0.2',
      PETSTORE_EDGE_HTTP_PORT: '80',
      PETSTORE_EDGE_HTTPS_PORT: '443',
      PETSTORE_EDGE_NAME: 'Edge.Example.com',
      PETSTORE_EDGE_PROXY_PROTOCOL: 'on',
    };
    const acme = {
      PETSTORE_ACME_DIRECTORY: 'https://acme.example/dir',
      PETSTORE_ACME_CA_FILE: '/ca.pem',
      PETSTORE_ACME_ISSUERS: 'a.example,b.example',
    };
    const dns = { PETSTORE_DNS_SERVERS: '9.9.9.9:53, [2620:fe::fe]:5353', PETSTORE_DNS_PORT: '54', PETSTORE_DNS_PRIVATE_NETWORKS: 'on' };
    expect(
      parseSettings({
        ...given,
        ...edge,
        ...dns,
        ...acme,
        PETSTORE_METRICS_PORT: '9464',
        PETSTORE_METRICS_HOST: '::1',
        PETSTORE_TRUSTED_PROXIES: '10.0.0.0/8, 2001:DB8::1',
        PETSTORE_URL: 'https://Pets.example.com:443/',
        PETSTORE_SMTP_URL: 'smtps://ann:secret@mail.example.com',
        PETSTORE_MAIL_FROM: 'no-reply@example.com',
        PETSTORE_OPERATOR_MAIL: 'ops@example.com',
        PETSTORE_OPERATORS: 'usr_Jd83hsPq0aXw6TfN,usr_2',
      }),
    ).toEqual({
      ok: true,
      settings: {
        port: 0,
        host: '::1',
        publicUrl: 'https://pets.example.com',
        dataFolder: '/data',
        logLevel: 'INFO',
        accessLog: 'api',
        metrics: { host: '::1', port: 9464 },
        draftHeaders: true,
        trustedProxies: [
          { address: '10.0.0.0', prefix: 8 },
          { address: '2001:db8::1', prefix: 128 },
        ],
        edge: { host: '127.0.0.2', httpPort: 80, httpsPort: 443, name: 'edge.example.com', proxyProtocol: true },
        sockets: {},
        acme: { directory: 'https://acme.example/dir', caFile: '/ca.pem', issuerNames: ['a.example', 'b.example'] },
        mail: {
          server: { host: 'mail.example.com', port: 465, tls: 'implicit', login: { user: 'ann', password: 'secret' } },
          from: 'no-reply@example.com',
        },
        operatorMail: 'ops@example.com',
        operators: ['usr_Jd83hsPq0aXw6TfN', 'usr_2'],
        dns: {
          kind: 'real',
          servers: [
            { address: '9.9.9.9', port: 53 },
            { address: '2620:fe::fe', port: 5353 },
          ],
          authoritativePort: 54,
          privateNetworks: true,
        },
      },
    });
  });

  test.each<[string, Record<string, string>, string | undefined]>([
    ['the edge has the port of the URL', { PETSTORE_URL: 'https://pets.example.com', PETSTORE_EDGE_HTTPS_PORT: '443' }, 'pets.example.com'],
    ['the URL names the port of the edge', { PETSTORE_URL: 'https://pets.example.com:8443' }, 'pets.example.com'],
    [
      'a proxy passes connections through',
      { PETSTORE_URL: 'https://pets.example.com', PETSTORE_TRUSTED_PROXIES: '127.0.0.1', PETSTORE_EDGE_PROXY_PROTOCOL: 'on' },
      'pets.example.com',
    ],
    [
      'the service manager has opened the socket',
      { PETSTORE_URL: 'https://pets.example.com', LISTEN_PID: '7', LISTEN_FDS: '1', LISTEN_FDNAMES: 'edge-https' },
      'pets.example.com',
    ],
    ['the edge has another port', { PETSTORE_URL: 'https://pets.example.com' }, undefined],
    [
      'a proxy decrypts',
      { PETSTORE_URL: 'https://pets.example.com', PETSTORE_EDGE_HTTPS_PORT: '443', PETSTORE_TRUSTED_PROXIES: '127.0.0.1' },
      undefined,
    ],
    ['there is no encryption', { PETSTORE_URL: 'http://pets.example.com:8443' }, undefined],
    ['the URL has an address', { PETSTORE_URL: 'https://192.0.2.1:8443' }, undefined],
  ])('decide who serves the public name: %s', (_, given, host) => {
    const parsed = parseSettings(given, 7);
    expect(parsed.ok && platformHost(parsed.settings)).toBe(host);
  });

  test('of the PROXY protocol need to know the proxies', () => {
    expect(parseSettings({ PETSTORE_EDGE_PROXY_PROTOCOL: 'on' })).toEqual({
      ok: false,
      problems: ['PETSTORE_TRUSTED_PROXIES: missing; with PETSTORE_EDGE_PROXY_PROTOCOL=on, set it to the proxies that may connect'],
    });
  });

  test('of metrics need a port: an address alone would serve none', () => {
    expect(parseSettings({ PETSTORE_METRICS_HOST: '::1' })).toEqual({
      ok: false,
      problems: ['PETSTORE_METRICS_PORT: missing; PETSTORE_METRICS_HOST alone serves no metrics'],
    });
  });

  test('of sockets are those of this process, each with its name', () => {
    const given = { LISTEN_PID: '7', LISTEN_FDS: '2', LISTEN_FDNAMES: 'edge-https:api' };
    const socketsOf = (environment: Record<string, string>) => {
      const parsed = parseSettings(environment, 7);
      return parsed.ok ? parsed.settings.sockets : parsed.problems;
    };
    expect(socketsOf(given)).toEqual({ 'edge-https': 3, api: 4 });
    expect(socketsOf({ ...given, LISTEN_PID: '8' })).toEqual({});
    for (const names of ['', 'api', 'api:api', 'api:web'])
      expect(socketsOf({ ...given, LISTEN_FDNAMES: names })).toEqual([
        expect.stringMatching(/^LISTEN_FDNAMES: got ".*"; allowed: api, edge-http, edge-https, each once/),
      ]);
  });

  test('are refused all at once, each with the value given and the allowed values', () => {
    const parsed = parseSettings({
      PETSTORE_PORT: '99999',
      PETSTORE_HOST: 'a b',
      PETSTORE_DATA: '',
      PETSTORE_LOG_LEVEL: 'loud',
      PETSTORE_DRAFT_HEADERS: 'yes',
      PETSTORE_TRUSTED_PROXIES: '10.0.0.0/8,localhost',
      PETSTORE_EDGE_HOST: 'localhost',
      PETSTORE_EDGE_NAME: 'a b',
      PETSTORE_DNS_SERVERS: '9.9.9.9',
      PETSTORE_ACME_DIRECTORY: 'http://acme.example',
      PETSTORE_PROT: '1',
    });
    expect(parsed.ok ? [] : parsed.problems).toEqual([
      expect.stringMatching(/^PETSTORE_PROT: unknown setting; allowed: PETSTORE_PORT, /),
      'PETSTORE_PORT: got "99999"; allowed: an integer from 0 to 65535; 0 picks a free port',
      expect.stringMatching(/^PETSTORE_HOST: got "a b"; allowed: a host name/),
      'PETSTORE_DATA: got ""; allowed: a folder, without blanks before or after it',
      expect.stringMatching(/^PETSTORE_LOG_LEVEL: got "loud"; allowed: one of DEBUG/),
      'PETSTORE_DRAFT_HEADERS: got "yes"; allowed: on or off',
      'PETSTORE_TRUSTED_PROXIES: got "10.0.0.0/8,localhost"; allowed: addresses and networks, separated by commas, such as 10.0.0.0/8,2001:db8::1',
      'PETSTORE_EDGE_HOST: got "localhost"; allowed: an IPv4 address, such as 127.0.0.1',
      expect.stringMatching(/^PETSTORE_EDGE_NAME: got "a b"; allowed: a host name/),
      expect.stringMatching(/^PETSTORE_DNS_SERVERS: got "9.9.9.9"; allowed: addresses with ports/),
      expect.stringMatching(/^PETSTORE_ACME_DIRECTORY: got "http:\/\/acme.example"; allowed: the https URL/),
    ]);
  });

  test('for email are refused unless they are set together and valid, and a password is never shown', () => {
    const problemsOf = (settings: Record<string, string>) => {
      const parsed = parseSettings(settings);
      return parsed.ok ? [] : parsed.problems;
    };
    const [url, from] = [{ PETSTORE_SMTP_URL: 'smtp://localhost:25' }, { PETSTORE_MAIL_FROM: 'no-reply@example.com' }];
    expect(problemsOf({ ...url, ...from })).toEqual([]);
    expect(problemsOf(url)).toEqual(['PETSTORE_MAIL_FROM: missing; PETSTORE_SMTP_URL and PETSTORE_MAIL_FROM must be set together']);
    expect(problemsOf(from)).toEqual(['PETSTORE_SMTP_URL: missing; PETSTORE_SMTP_URL and PETSTORE_MAIL_FROM must be set together']);
    const wrong = problemsOf({ PETSTORE_SMTP_URL: 'smtp://ann:secret@mail.example.com/inbox', PETSTORE_MAIL_FROM: 'Ann <ann>' });
    expect(wrong).toEqual([
      expect.stringMatching(/^PETSTORE_SMTP_URL: got something else; allowed: the URL of an SMTP server, such as smtps:/),
      `PETSTORE_MAIL_FROM: got "Ann <ann>"; allowed: ${SENDER_FORM}`,
    ]);
    expect(wrong.join()).not.toContain('secret');
  });

  test.each([
    ...[
      '',
      'pets.example.com',
      'ftp://pets.example.com',
      'https://',
      'https://pets.example.com/shop',
      'https://pets.example.com/?a',
      'https://pets.example.com#a',
    ],
    ...['https://pets.example.com.', 'https://*.example.com', 'https://pets..example.com', 'https://-a.example', 'https://pets.example.com:0'],
    ...['https://0.0.0.0', 'https://[::]', 'https://0x7f.1', 'https://2130706433'],
    ...['https://ann@pets.example.com', 'https://pets.example.com:99999', 'https://a b', 'https:pets.example.com', 'https:\\\\pets.example.com'],
  ])('reject the public URL %j', (url) => {
    expect(parseSettings({ PETSTORE_URL: url }).ok).toBe(false);
  });

  test('allow a data folder with blanks within', () => {
    const parsed = parseSettings({ PETSTORE_DATA: '/my data' });
    expect(parsed.ok && parsed.settings.dataFolder).toBe('/my data');
  });

  test.each([' /data', '/data ', '\t/data', ' '])('reject the data folder %j, which would be another one', (folder) => {
    expect(parseSettings({ PETSTORE_DATA: folder }).ok).toBe(false);
  });

  test.each(['', ',', '10.0.0.0/33', '10.0.0.1:80', '10.0.0.1,'])('reject the trusted proxies %j', (list) => {
    expect(parseSettings({ PETSTORE_TRUSTED_PROXIES: list }).ok).toBe(false);
  });

  test.each(['', 'localhost', '*', '127.0.0.1:9464', '1.2.3'])('reject the address %j for metrics', (address) => {
    expect(parseSettings({ PETSTORE_METRICS_PORT: '0', PETSTORE_METRICS_HOST: address })).toEqual({
      ok: false,
      problems: [
        `PETSTORE_METRICS_HOST: got ${JSON.stringify(address)}; allowed: an address of this machine, such as 127.0.0.1 or ::1; a host name may resolve to another machine`,
      ],
    });
  });

  test.each(['-1', '80a', '', '1e3', '8080 '])('reject the port %j', (port) => {
    expect(parseSettings({ PETSTORE_PORT: port }).ok).toBe(false);
  });
});
