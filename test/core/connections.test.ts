import { describe, expect, test } from 'vitest';
import { connectionLimits, createConnectionCount, type Opening } from '../../core/limits/connections.ts';
import { NOON } from '../../testing/samples.ts';

describe('connection limits', () => {
  test('leave file descriptors for the other listener, the files of custom domains, and everything else', () => {
    expect(connectionLimits(1_048_576, 256)).toEqual({ total: 10_000, perAddress: 256 });
    expect(connectionLimits(4_096, 256)).toEqual({ total: 1_194, perAddress: 256 });
    expect(connectionLimits(1_024, 256)).toEqual({ total: 170, perAddress: 85 });
    expect(connectionLimits(256, 256)).toEqual({ total: 42, perAddress: 21 });
  });

  const close = (opening: Opening) => {
    if (opening.kind !== 'open') throw new Error('refused');
    opening.close();
  };

  test('apply per address, counting IPv6 by its /64, and in total', () => {
    const open = createConnectionCount({ total: 5, perAddress: 2 });
    const first = open('2001:db8::1', false, NOON);
    const kinds = ['2001:db8::2', '2001:db8::3', '2001:db8:0:1::1', '192.0.2.1', '192.0.2.1', '192.0.2.2'].map(
      (address) => open(address, false, NOON).kind,
    );
    expect(kinds).toEqual(['open', 'refused', 'open', 'open', 'open', 'refused']);
    close(first);
    close(first);
    expect(['2001:db8::4', '2001:db8::5'].map((address) => open(address, false, NOON).kind)).toEqual(['open', 'refused']);
  });

  test('per address do not apply to proxies', () => {
    const open = createConnectionCount({ total: 4, perAddress: 1 });
    const kinds = [true, true, false, true, true, true].map((isProxy) => open('10.0.0.1', isProxy, NOON).kind);
    expect(kinds).toEqual(['open', 'open', 'refused', 'open', 'open', 'refused']);
  });

  test('are reported at most once a minute', () => {
    const open = createConnectionCount({ total: 3, perAddress: 1 });
    open('192.0.2.1', false, NOON);
    const reports = [0, 1, 59_999, 60_000, 60_001, -1].map((after) => {
      const opening = open('192.0.2.1', false, NOON + after);
      return opening.kind === 'refused' ? opening.report : opening.kind;
    });
    const report = '192.0.2.1 has 1 connections, the maximum per address; further connections are closed at once (reported at most once a minute)';
    expect(reports).toEqual([report, undefined, undefined, report, undefined, report]);
  });
});
