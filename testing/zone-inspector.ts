// What every ZoneInspector must do.

import { expect } from 'expect';
import type { ZoneInspector } from '../core/domains/ports.ts';
import { contractSuite, type Make, type SuiteOptions, type TestFunction } from './suite.ts';

export interface InspectorWorld {
  readonly inspector: ZoneInspector;
  /** The account that owns a zone with a host in it, and the zone's name server. */
  readonly owner: string;
  readonly host: string;
  readonly zone: string;
  readonly nameServer: string;
  /** After this call, none of the servers that the inspector queries respond. */
  fallSilent(): Promise<void>;
  stop(): Promise<void>;
}

/** Declares the suite for an adapter. @param make returns an inspector and the name servers that it queries; called for each test, then stopped */
export function zoneInspectorContract(runner: TestFunction, make: Make<InspectorWorld>, options: SuiteOptions = {}): void {
  const test = contractSuite(runner, 'ZoneInspector contract', options, { setUp: make, tearDown: (world) => world.stop() });

  test('returns the zone, its name servers, and whether the account can create records in it', async ({
    inspector,
    owner,
    host,
    zone,
    nameServer,
  }) => {
    expect(await inspector.inspect(owner, host)).toEqual({ name: zone, nameServers: [nameServer], editable: true });
    expect(await inspector.inspect('acc_stranger', host)).toEqual({ name: zone, nameServers: [nameServer], editable: false });
  });

  test('returns nothing about a name that is in no zone', async ({ inspector, owner }) => {
    expect(await inspector.inspect(owner, 'www.nowhere.dev')).toBeUndefined();
  });

  test('does not reject, and takes no longer than 2 s, if nothing answers', async ({ inspector, owner, host, fallSilent }) => {
    await fallSilent();
    const begun = performance.now();
    expect(await inspector.inspect(owner, host)).toBeUndefined();
    expect(performance.now() - begun).toBeLessThan(2_500);
  });
}
