import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { displayHost, parseHostName } from '../../../core/domains/host-name.ts';
import { anyCharacter } from '../../support/characters.ts';

const POLICY = { ours: ['petstore.example.dev'], extraSuffixes: ['test'] };
const parse = (input: string) => parseHostName(input, POLICY);

describe('host names', () => {
  test.each([
    ['shop.example.dev', 'shop.example.dev', 'example.dev', false],
    ['  Shop.Example.DEV. ', 'shop.example.dev', 'example.dev', false],
    ['example.co.uk', 'example.co.uk', 'example.co.uk', true],
    ['a.b.example.co.uk', 'a.b.example.co.uk', 'example.co.uk', false],
    ['bücher.de', 'xn--bcher-kva.de', 'xn--bcher-kva.de', true],
    ['XN--BCHER-KVA.de', 'xn--bcher-kva.de', 'xn--bcher-kva.de', true],
    ['例え.jp', 'xn--r8jz45g.jp', 'xn--r8jz45g.jp', true],
    ['пример.рф', 'xn--e1afmkfd.xn--p1ai', 'xn--e1afmkfd.xn--p1ai', true],
    ['me.github.io', 'me.github.io', 'me.github.io', true],
    ['www.me.github.io', 'www.me.github.io', 'me.github.io', false],
    ['my-shop.test', 'my-shop.test', 'my-shop.test', true],
    ['www.my-shop.test', 'www.my-shop.test', 'my-shop.test', false],
    ['shop。example。dev', 'shop.example.dev', 'example.dev', false],
    [`${'a'.repeat(63)}.de`, `${'a'.repeat(63)}.de`, `${'a'.repeat(63)}.de`, true],
  ])('%j is stored as %s', (input, host, registrable, apex) => {
    expect(parse(input)).toMatchObject({ ok: true, name: { host, registrable, apex } });
  });

  test.each([
    ['', 'invalid_name', /a host name, such as/],
    ['https://shop.example.dev', 'invalid_name', /without https/],
    ['shop.example.dev:443', 'invalid_name', /without https/],
    ['shop.example.dev/x', 'invalid_name', /without https/],
    ['user@example.dev', 'invalid_name', /without https/],
    ['shop example.dev', 'invalid_name', /spaces/],
    ['*.example.dev', 'invalid_name', /wildcards/],
    ['a..b.dev', 'invalid_name', /empty labels/],
    ['.example.dev', 'invalid_name', /empty labels/],
    ['192.0.2.1', 'invalid_name', /not an address/],
    ['0x7f.1', 'invalid_name', /not an address/],
    ['127.0x1', 'invalid_name', /not an address/],
    ['[2001:db8::1]', 'invalid_name', /without https/],
    ['myshop', 'invalid_name', /a full name/],
    ['-shop.example.dev', 'invalid_name', /hyphen/],
    ['shop-.example.dev', 'invalid_name', /hyphen/],
    ['my_shop.example.dev', 'invalid_name', /letters, digits and hyphens/],
    [`${'a'.repeat(64)}.de`, 'invalid_name', /at most 63/],
    [`${'a.'.repeat(126)}de`, 'invalid_name', /at most 253|public/],
    [`${'abc.'.repeat(63)}dev`, 'invalid_name', /at most 253/],
    ['xn--a.de', 'invalid_name', /letters, digits|xn--/],
    ['shop.nosuchtld', 'invalid_name', /public suffix/],
    // Cyrillic letters that look like Latin letters, alone and mixed.
    ['аррӏе.com', 'invalid_name', /looks like another/],
    ['pаypal.com', 'invalid_name', /looks like another/],
    ['gοοgle.com', 'invalid_name', /looks like another/],
    ['com', 'public_suffix', /below com/],
    ['co.uk', 'public_suffix', /below co.uk/],
    ['github.io', 'public_suffix', /below github.io/],
    ['test', 'public_suffix', /below test/],
    ['☃.dev', 'invalid_name', /letters, digits/],
    ['localhost', 'invalid_name', /a full name/],
    ['shop.localhost', 'reserved_name', /localhost is reserved/],
    ['printer.local', 'reserved_name', /local is reserved/],
    ['shop.example.com', 'reserved_name', /example.com is reserved/],
    ['1.0.0.127.in-addr.arpa', 'reserved_name', /arpa is reserved/],
    ['petstore.example.dev', 'reserved_name', /are ours/],
    ['x.petstore.example.dev', 'reserved_name', /are ours/],
  ])('%j is refused as %s', (input, code, message) => {
    expect(parse(input)).toMatchObject({ ok: false, code, message: expect.stringMatching(message) });
  });

  test.each([
    ['xn--mnchen-tiere-dlb.de', 'münchen-tiere.de'],
    ['www.my-shop.com', 'www.my-shop.com'],
    // These can't be added, but may have been stored earlier.
    ['xn--pple-43d.com', 'xn--pple-43d.com'],
    ['xn--80ak6aa92e.com', 'xn--80ak6aa92e.com'],
    ['xn--bcher-kva.xn--pple-43d.com', 'xn--bcher-kva.xn--pple-43d.com'],
    ['xn--zzzzzz9.com', 'xn--zzzzzz9.com'],
  ])('the stored name %s is displayed as %s', (host, display) => {
    expect(displayHost(host)).toBe(display);
  });

  test('a name under .test is accepted only with a sandbox', () => {
    expect(parseHostName('my-shop.test', { ours: [], extraSuffixes: [] })).toMatchObject({ ok: false, code: 'reserved_name' });
  });

  test('a name in its stored form is accepted unchanged', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.domain(),
          fc.string({ unit: anyCharacter, maxLength: 40 }).map((label) => `${label}.dev`),
        ),
        (input) => {
          const first = parse(input);
          if (!first.ok) return;
          expect(parse(first.name.host)).toEqual(first);
          expect(parse(first.name.display)).toEqual(first);
          expect(first.name.host).toMatch(/^[a-z0-9-]+(\.[a-z0-9-]+)+$/);
          expect(first.name.host.length).toBeLessThanOrEqual(253);
        },
      ),
    );
  });
});
