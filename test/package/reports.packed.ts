// The reports in package/reports/ have every declaration that users see, so that a change of the public interface is seen in review.

import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { checkReport, ENTRIES } from './reports.ts';

const FOLDER = join(import.meta.dirname, '../../package/reports');

test.each(ENTRIES)('the report of %s is up to date; npm run generate:reports writes it', (entry) => {
  const folder = mkdtempSync(join(tmpdir(), 'petstore-report-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  expect(checkReport(entry, folder, false)).toBe(true);
});

test('there is no report without an entry', () => {
  expect(readdirSync(FOLDER).toSorted()).toEqual(ENTRIES.map((entry) => `${entry.replace('/', '-')}.api.md`).toSorted());
});
