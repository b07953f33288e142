import { expect, test } from 'vitest';
import { parseHostName } from '../../../core/domains/host-name.ts';
import { hostIn } from '../../../core/domains/pasted-host.ts';

const POLICY = { ours: ['edge.platform.dev'], extraSuffixes: [] };

test.each([
  ['https://WWW.My-Shop.com/x?y', 'www.my-shop.com'],
  ['münchen-tiere.de', 'xn--mnchen-tiere-dlb.de'],
  [' shop.firma.org. ', 'shop.firma.org'],
  ['http://shop.dev:8080', 'shop.dev'],
  ['shop.dev:443/path', 'shop.dev'],
  ['shop.dev/', 'shop.dev'],
  ['//shop.dev/a//b', 'shop.dev'],
  ['https:/shop.dev', 'shop.dev'],
  ['HTTPS://SHOP.DEV?utm=1#top', 'shop.dev'],
  ['https://ann:secret@shop.dev/', 'shop.dev'],
  ['"shop.dev"', 'shop.dev'],
  ['<https://shop.dev>', 'shop.dev'],
  ['shop.dev,', 'shop.dev'],
  ['\u200bshop.dev\ufeff', 'shop.dev'],
  ['shop。dev', 'shop.dev'],
  ['https://xn--mnchen-tiere-dlb.de', 'xn--mnchen-tiere-dlb.de'],
  ['https://münchen-tiere.de/über', 'xn--mnchen-tiere-dlb.de'],
])('%j is %s', (pasted, host) => {
  expect(parseHostName(hostIn(pasted), POLICY)).toMatchObject({ ok: true, name: { host } });
});

test.each(['', '   ', 'https://', 'my shop.dev', 'http://192.0.2.1/', 'http://[2001:db8::1]/', 'mailto:', '*.shop.dev', 'javascript:alert(1)', '/'])(
  '%j is not a host',
  (pasted) => {
    expect(parseHostName(hostIn(pasted), POLICY)).toMatchObject({ ok: false });
  },
);
