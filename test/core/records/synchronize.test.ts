import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { StoredRecord } from '../../../core/records/kinds.ts';
import { compareKeys, type RecordTarget, synchronize } from '../../../core/records/synchronize.ts';

/** Members: user, account, role; the first two are the key. */
const KIND = 'members';
// Few keys, so that many are in both; the last two are ordered in one way by their code units, and in the other by their bytes.
const text = fc.constantFrom('', 'a', 'b', 'Z', '\u{ff5e}', '\u{1f436}');
const installation = fc
  .uniqueArray(fc.tuple(text, text, fc.constantFrom('owner', 'member')), {
    selector: ([user, account]) => JSON.stringify([user, account]),
    maxLength: 30,
  })
  .map((records) => records.toSorted((one, other) => compareKeys(KIND, one, other)));

/** A target in memory with pages of two records, which rejects the call with this number. */
function targetOf(records: readonly StoredRecord[], failsAt = 0) {
  let stored = [...records];
  let calls = 0;
  const called = () => {
    calls += 1;
    if (calls === failsAt) throw new Error('gone');
  };
  const without = (removed: readonly StoredRecord[]) => stored.filter((record) => !removed.some((each) => compareKeys(KIND, each, record) === 0));
  const target: RecordTarget = {
    page: async (after) => {
      called();
      return stored.filter((record) => after === undefined || compareKeys(KIND, record, after) > 0).slice(0, 2);
    },
    put: async (put) => {
      called();
      stored = [...without(put), ...put].sort((one, other) => compareKeys(KIND, one, other));
    },
    remove: async (removed) => {
      called();
      stored = without(removed);
    },
  };
  return { target, stored: () => stored, heal: () => (calls = failsAt) };
}

test('a target has what the source has afterwards, whatever it had, and however often it failed; then nothing is written any more', async () => {
  await fc.assert(
    fc.asyncProperty(installation, installation, fc.integer({ min: 1, max: 20 }), async (source, before, failsAt) => {
      const { target, stored, heal } = targetOf(before, failsAt);
      await synchronize(KIND, source, target).catch(() => {});
      heal();
      await synchronize(KIND, source, target);
      expect(stored()).toEqual(source);
      const second = await synchronize(KIND, source, target);
      expect(second).toEqual({ records: source.length, written: 0, removed: 0, source: second.target, target: second.source });
    }),
  );
});

test('digests differ by one byte, and by one text in a list', async () => {
  const { target } = targetOf([]);
  const digestOf = async (publicKey: number[], transports: readonly string[]) =>
    (await synchronize('passkeys', [['key', 'usr_1', 'Phone', new Uint8Array(publicKey), 1n, transports, 1n, null]], target)).source;
  const [one, same, ...others] = await Promise.all([
    digestOf([1, 2], ['usb']),
    digestOf([1, 2], ['usb']),
    digestOf([1, 3], ['usb']),
    digestOf([1, 2], ['usb', 'nfc']),
  ]);
  expect([one === same, new Set([one, ...others]).size]).toEqual([true, 3]);
});
