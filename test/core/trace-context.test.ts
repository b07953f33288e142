// W3C Trace Context, Level 1, by the sentences of its sections 3.2 and 4.3.

import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseTraceParent, traceContext, traceHeaders } from '../../core/http/trace-context.ts';
import { anyCharacter } from '../support/characters.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';
const hex = (length: number) => fc.stringMatching(new RegExp(`^[0-9a-f]{${length}}$`)).filter((text) => !/^0+$/.test(text));

describe('traceparent', () => {
  test.each([
    ['the first version', `00-${TRACE}-${PARENT}-01`, true],
    ['not sampled', `00-${TRACE}-${PARENT}-00`, false],
    ['with flags that nobody knows yet', `00-${TRACE}-${PARENT}-ff`, true],
    ['with only flags that nobody knows yet', `00-${TRACE}-${PARENT}-fe`, false],
    ['a later version', `01-${TRACE}-${PARENT}-01`, true],
    ['a later version with more', `cc-${TRACE}-${PARENT}-01-what-comes-later`, true],
    ['a later version with an empty rest', `cc-${TRACE}-${PARENT}-01-`, true],
  ])('%s is valid', (_, header, isSampled) => {
    expect(parseTraceParent(header)).toEqual({ traceId: TRACE, parentId: PARENT, isSampled });
  });

  test.each([
    ['none', undefined],
    ['empty', ''],
    ['version ff', `ff-${TRACE}-${PARENT}-01`],
    ['version ff with more', `ff-${TRACE}-${PARENT}-01-more`],
    ['the first version with more', `00-${TRACE}-${PARENT}-01-more`],
    ['the first version with a dash at the end', `00-${TRACE}-${PARENT}-01-`],
    ['a later version with more that has no dash before it', `cc-${TRACE}-${PARENT}-01.more`],
    ['a trace id of zeros', `00-${'0'.repeat(32)}-${PARENT}-01`],
    ['a parent id of zeros', `00-${TRACE}-${'0'.repeat(16)}-01`],
    ['a trace id of zeros in a later version', `cc-${'0'.repeat(32)}-${PARENT}-01`],
    ['upper case', `00-${TRACE.toUpperCase()}-${PARENT}-01`],
    ['an upper-case version', `CC-${TRACE}-${PARENT}-01`],
    ['other digits', `00-${TRACE.replace('4', 'g')}-${PARENT}-01`],
    ['a short trace id', `00-${TRACE.slice(1)}-${PARENT}-01`],
    ['a long trace id', `00-${TRACE}0-${PARENT}-01`],
    ['a short parent id', `00-${TRACE}-${PARENT.slice(1)}-01`],
    ['short flags', `00-${TRACE}-${PARENT}-1`],
    ['no flags', `00-${TRACE}-${PARENT}`],
    ['a short version', `0-${TRACE}-${PARENT}-01`],
    ['other separators', `00_${TRACE}_${PARENT}_01`],
    ['a space before', ` 00-${TRACE}-${PARENT}-01`],
    ['a line after', `00-${TRACE}-${PARENT}-01\n`],
    ['two headers', `00-${TRACE}-${PARENT}-01, 00-${TRACE}-${PARENT}-01`],
    ['two headers of a later version', `cc-${TRACE}-${PARENT}-01, cc-${TRACE}-${PARENT}-01`],
  ])('%s is not valid', (_, header) => expect(parseTraceParent(header)).toBeUndefined());

  test('no text makes it throw, and what is valid has valid parts', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ unit: anyCharacter }), fc.stringMatching(/^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}(-.*)?$/)),
        (header) => {
          const parent = parseTraceParent(header);
          if (parent === undefined) return;
          expect(parent.traceId).toMatch(/^(?!0{32})[0-9a-f]{32}$/);
          expect(parent.parentId).toMatch(/^(?!0{16})[0-9a-f]{16}$/);
        },
      ),
    );
  });
});

describe('a request', () => {
  test('in a trace continues it: same trace and flag, its own part, and the state unread', () => {
    fc.assert(
      fc.property(hex(32), hex(16), fc.boolean(), fc.string({ minLength: 1 }), (traceId, parentId, isSampled, state) => {
        const headers = traceHeaders(traceContext(`00-${traceId}-${parentId}-${isSampled ? '01' : '00'}`, state, randomBytes));
        expect(headers.tracestate).toBe(state);
        const next = parseTraceParent(headers.traceparent);
        expect(next).toMatchObject({ traceId, isSampled });
        expect(next?.parentId).not.toBe(parentId);
      }),
    );
  });

  test('in none begins one, with random ids, not sampled and without a state', () => {
    let calls = 0;
    // All zeros first, which would not be valid.
    const scripted = (count: number) => new Uint8Array(count).fill(calls++ % 2 === 0 ? 0 : 0xab);
    expect(traceContext('nonsense', 'a=1', scripted)).toEqual({
      traceId: 'ab'.repeat(16),
      spanId: 'ab'.repeat(8),
      isSampled: false,
      state: undefined,
    });
  });

  test('with an empty state has none', () => expect(traceContext(`00-${TRACE}-${PARENT}-01`, '', randomBytes).state).toBeUndefined());
});
