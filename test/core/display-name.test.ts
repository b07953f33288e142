import { expect, test } from 'vitest';
import { isDisplayName } from '../../core/access/account.ts';
import { isNote } from '../../core/access/plan-requests.ts';

test.each(['My shop', 'חנות חיות', 'متجر\u200f', 'Łódź 🐈', 'a\u200db'])('%s is a name', (name) => {
  expect([isDisplayName(name), isNote(name)]).toEqual([true, true]);
});

test.each(['a\nb', 'a\u0000', 'a\u0085', 'Evil\u202egpj', '\u202ab\u202c', 'a\u2066b\u2069'])(
  'what breaks a line, or turns the direction of what follows, is none: %j',
  (name) => {
    expect([isDisplayName(name), isNote(name)]).toEqual([false, false]);
  },
);
