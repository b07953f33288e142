// What every ZoneInspector must do.

import { describe, expect, onTestFinished, test } from 'vitest';
import type { ZoneInspector } from '../../core/domains/ports.ts';

export interface InspectorWorld {
  readonly inspector: ZoneInspector;
  /** An account, a host in a zone of its own, and the zone's name server. */
  readonly owner: string;
  readonly host: string;
  readonly zone: string;
  readonly nameServer: string;
  /** After this call, nothing that the inspector asks answers. */
  fallSilent(): Promise<void>;
  stop(): Promise<void>;
}

/** Declares the suite for an adapter. @param name of the adapter, for test names */
export function zoneInspectorContract(name: string, makeWorld: () => Promise<InspectorWorld>): void {
  describe(`ZoneInspector contract: ${name}`, () => {
    async function start(): Promise<InspectorWorld> {
      const world = await makeWorld();
      onTestFinished(() => world.stop());
      return world;
    }

    test('returns the zone, its name servers, and whether the account can have records set there', async () => {
      const { inspector, owner, host, zone, nameServer } = await start();
      expect(await inspector.inspect(owner, host)).toEqual({ name: zone, nameServers: [nameServer], editable: true });
      expect(await inspector.inspect('acc_stranger', host)).toEqual({ name: zone, nameServers: [nameServer], editable: false });
    });

    test('returns nothing about a name that is in no zone', async () => {
      const { inspector, owner } = await start();
      expect(await inspector.inspect(owner, 'www.nowhere.dev')).toBeUndefined();
    });

    test('does not reject, and takes no longer than 2 s, if nothing answers', async () => {
      const { inspector, owner, host, fallSilent } = await start();
      await fallSilent();
      const begun = performance.now();
      expect(await inspector.inspect(owner, host)).toBeUndefined();
      expect(performance.now() - begun).toBeLessThan(2_500);
    });
  });
}
