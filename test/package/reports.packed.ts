// The reports that a release has list the public interface of each entry of the package.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ENTRIES, writeReport } from './reports.ts';

const FOLDER = join(import.meta.dirname, '../../package');

test.each(ENTRIES)('the report of %s lists what it exports', (entry) => {
  const folder = mkdtempSync(join(tmpdir(), 'petstore-report-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const report = readFileSync(writeReport(entry, folder), 'utf8');
  const lists = [...readFileSync(join(FOLDER, `${entry}.ts`), 'utf8').matchAll(/^export (?:type )?\{([^}]*)\}/gm)];
  const names = lists.flatMap(([, list = '']) => [...list.matchAll(/(\w+)\s*(?:,|$)/g)].map(([, name]) => name));
  expect(names.length).toBeGreaterThan(0);
  expect(names.filter((name) => !new RegExp(`^export .*\\b${name}\\b`, 'm').test(report))).toEqual([]);
});
