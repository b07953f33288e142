import { describe, expect, test } from 'vitest';
import { finalCounters, historyOf, merged } from '../../core/limits/history.ts';
import { DAY_MS, HOUR_MS, hourOf, MINUTE_MS, windowsAt } from '../../core/limits/windows.ts';
import { NOON } from '../../testing/samples.ts';

describe('the usage history', () => {
  const { minute, day } = windowsAt(NOON);
  const none = { minutes: new Map(), hours: new Map(), days: new Map() };

  test('has 60 minutes, 24 hours that are the sums of their minutes, and 30 days', () => {
    // Both hours' first and last minutes, and a minute too many.
    const minutes = new Map([minute, minute - 1, minute - 60, minute - 61, minute - 23 * 60, minute - 23 * 60 - 1].map((each, n) => [each, 2 ** n]));
    const days = new Map([
      [day, 7],
      [day - 29, 5],
      [day - 30, 3],
    ]);
    const history = historyOf({ admitted: { minutes, days }, refused: { ...none, hours: new Map([[hourOf(minute) - 1, 9]]) } }, NOON);
    expect([history.minutes.length, history.hours.length, history.days.length]).toEqual([60, 24, 30]);
    expect(history.minutes.slice(-2)).toEqual([
      { startsAt: NOON - MINUTE_MS, admitted: 2, refused: 0 },
      { startsAt: NOON, admitted: 1, refused: 0 },
    ]);
    expect(history.hours.map(({ admitted }) => admitted)).toEqual([16, ...Array(20).fill(0), 8, 2 + 4, 1]);
    expect(history.hours.at(-2)).toEqual({ startsAt: NOON - HOUR_MS, admitted: 6, refused: 9 });
    expect([history.days[0]?.admitted, history.days.at(-1)?.admitted]).toEqual([5, 7]);
  });

  test('a counter is final a minute after its window, so that a machine whose clock is behind has finished too', () => {
    const counters = { minutes: new Map([minute, minute - 1, minute - 2].map((each) => [each, 1])), days: new Map([[day, 1]]) };
    const finals = (now: number) => {
      const { minutes, days } = finalCounters(counters, now);
      return [minutes.size, days.size];
    };
    const midnight = (day + 1) * DAY_MS;
    expect([finals(NOON - 1), finals(NOON), finals(NOON + MINUTE_MS - 1), finals(NOON + MINUTE_MS)]).toEqual([
      [0, 0],
      [1, 0],
      [1, 0],
      [2, 0],
    ]);
    expect([finals(midnight + MINUTE_MS - 1), finals(midnight + MINUTE_MS)]).toEqual([
      [3, 0],
      [3, 1],
    ]);
  });

  test('a window that was copied and is still counted is there once', () => {
    const one = new Map([
      [1, 5],
      [2, 7],
    ]);
    expect(
      merged(
        one,
        new Map([
          [2, 6],
          [3, 1],
        ]),
      ),
    ).toEqual(
      new Map([
        [1, 5],
        [2, 7],
        [3, 1],
      ]),
    );
    expect(merged(new Map([[2, 6]]), one)).toEqual(
      new Map([
        [2, 7],
        [1, 5],
      ]),
    );
  });
});
