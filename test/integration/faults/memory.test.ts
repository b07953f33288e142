// Memory is used up: the process ends, is started again, and nothing is lost.

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { wrongAlerts } from '../../support/faults/alerts.ts';
import { type Platform, startPlatform } from '../../support/faults/platform.ts';
import { onLinux } from '../../support/faults/size.ts';

/** Adds animals until the process has ended. */
async function useUntilEnd(platform: Platform, ends: number): Promise<void> {
  const use = async () => {
    while (platform.ends.length < ends) {
      await platform.addAnimal();
      await platform.listAnimals();
      await platform.visit();
    }
  };
  await Promise.all(Array.from({ length: 8 }, use));
}

// A process with little memory collects garbage for long before it gives up, and longer on a busy machine.
const TIMEOUT_MS = 900_000;

test.runIf(onLinux)(
  'without memory, the process ends with the reason in the log, and the next one has all that was acknowledged',
  { timeout: TIMEOUT_MS },
  async () => {
    const platform = await startPlatform();
    const scrapes = [await platform.scrape()];
    for (let times = 1; times < 4; times += 1) {
      expect([(await platform.addAnimal())?.status, (await platform.addKey())?.status, (await platform.publish(`page ${times}`))?.status]).toEqual([
        201, 201, 200,
      ]);
      // What it has, and nothing more.
      const bytes = Number(/VmSize:\s+(\d+)/.exec(readFileSync(`/proc/${platform.pid()}/status`, 'utf8'))?.[1]) * 1_024;
      platform.limit(`--as=${bytes}:`);
      await useUntilEnd(platform, times);
      await platform.back();
      await expect.poll(async () => (await platform.get('/readyz'))?.status).toBe(200);
      expect(await platform.lost()).toEqual([]);
      scrapes.push(await platform.scrape());
    }
    expect(platform.ends).toEqual(Array(3).fill(expect.stringMatching(/^SIG/)));
    expect(platform.log()).toMatch(/out of memory|Allocation failed/);
    const [well] = scrapes;
    const phases = [
      { scrapes: [well], minutes: 10, fires: [] },
      { scrapes, minutes: 12, fires: ['PetstoreRestarts'] },
      { scrapes: [scrapes.at(-1)], minutes: 30, fires: [] },
    ];
    expect(wrongAlerts(phases)).toBe('');
  },
);
