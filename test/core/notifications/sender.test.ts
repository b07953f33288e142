import { expect, test } from 'vitest';
import { fromHeader, parseSender } from '../../../core/notifications/sender.ts';

test.each([
  ['no-reply@example.com', 'Petstore <no-reply@example.com>'],
  ['Pet Shop <no-reply@example.com>', 'Pet Shop <no-reply@example.com>'],
  ['Ann & Co. <no-reply@example.com>', '"Ann & Co." <no-reply@example.com>'],
  ['Café <no-reply@example.com>', '=?UTF-8?B?Q2Fmw6k=?= <no-reply@example.com>'],
])('the sender %s is %s in the header', (text, header) => {
  const sender = parseSender(text);
  expect(sender && fromHeader(sender)).toBe(header);
});

test('the words of a long name are short enough, and have all letters', () => {
  const name = '🐈'.repeat(30);
  const header = fromHeader(parseSender(`${name} <a@example.com>`) ?? expect.fail('refused'));
  const words = header.split(' ').slice(0, -1);
  expect(words.every((word) => word.length <= 75)).toBe(true);
  expect(words.map((word) => Buffer.from(word.slice(10, -2), 'base64').toString()).join('')).toBe(name);
});

test.each([
  ...[
    '',
    'Petstore',
    'Shop <>',
    '<a@example.com>',
    'Shop <no address>',
    'Shop a@example.com',
    ' Shop <a@example.com>',
    `${'x'.repeat(61)} <a@example.com>`,
  ],
  ...[
    'Shop\r\nBcc: eve@example.com <a@example.com>',
    'Shop "x" <a@example.com>',
    'Shop <a@example.com> <b@example.com>',
    'Shop\u202e <a@example.com>',
  ],
])('refuses %j', (text) => {
  expect(parseSender(text)).toBeUndefined();
});
