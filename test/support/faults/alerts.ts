// What the alert rules make of a run: what was scraped during it, minute by minute, judged by Prometheus itself.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { testFolder } from '../folders.ts';
import { promtool, promtoolInstalled } from '../promtool.ts';
import { sized } from './size.ts';

const RULES = join(import.meta.dirname, '../../../prometheus/petstore.rules.yaml');
const IN_RULES = new Set(readFileSync(RULES, 'utf8').match(/\b(?:petstore|process|nodejs)_\w+/g));
/** What they measure is how busy the machine is: only where nothing else runs are they about the service. */
const TIMED = sized('', 'PetstoreSlow|PetstoreEventLoopBlocked');
const INSTANCE = 'job="petstore",instance="host:9464"';

/** A part of a run. */
export interface Phase {
  /** What the service's metrics were, in this order; undefined if they could not be read. What one adds to counters is added in each of its minutes. */
  readonly scrapes: readonly (string | undefined)[];
  /** How long it lasts for Prometheus: each scrape the same time. */
  readonly minutes: number;
  /** The alerts that fire at its end. */
  readonly fires: readonly string[];
}

/** Returns promtool's complaints about a run; empty if exactly the expected alerts fire at the end of each of its phases. */
export function wrongAlerts(phases: readonly Phase[]): string {
  const series = new Map<string, (number | '_')[]>();
  const before = new Map<string, number>();
  const queries: object[] = [];
  let minute = 0;
  const set = (name: string, value: number | '_') => {
    const values = series.get(name) ?? Array.from({ length: minute }, () => '_' as const);
    series.set(name, values);
    values.push(value);
  };
  const totals = new Map<string, number>();
  for (const { scrapes, minutes, fires } of phases) {
    for (const scrape of scrapes) {
      const seen = scrape === undefined ? new Map<string, number>() : valuesIn(scrape);
      for (let each = 0; each < minutes / scrapes.length; each += 1) {
        set(`up{${INSTANCE}}`, scrape === undefined ? 0 : 1);
        for (const [name, value] of seen) {
          if (!isCounter(name)) set(name, value);
          else {
            const known = before.get(name) ?? 0;
            const total = (totals.get(name) ?? 0) + (value < known ? value : value - known);
            totals.set(name, total);
            set(name, total);
          }
        }
        minute += 1;
        for (const values of series.values()) if (values.length < minute) values.push('_');
      }
      for (const [name, value] of seen) before.set(name, value);
    }
    const exp_samples = fires.map((alertname) => ({ labels: `{alertname="${alertname}"}`, value: 1 }));
    queries.push({ expr: `count by (alertname) (ALERTS{alertstate="firing",alertname!~"${TIMED}"})`, eval_time: `${minute - 1}m`, exp_samples });
  }
  const input_series = [...series].map(([name, values]) => ({ series: name, values: values.join(' ') }));
  const file = join(testFolder(), 'run.yaml');
  const tests = [{ interval: '1m', input_series, promql_expr_test: queries }];
  writeFileSync(file, JSON.stringify({ rule_files: [RULES], evaluation_interval: '1m', tests }));
  if (!promtoolInstalled) return '';
  const { status, output } = promtool(['test', 'rules', file]);
  return status === 0 ? '' : output;
}

function isCounter(name: string): boolean {
  return /_(?:total|bucket|sum|count)\{/.test(name);
}

/** The values that rules use, by series. */
function valuesIn(scrape: string): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const [, name = '', labels = '', value] of scrape.matchAll(/^(\w+)(?:\{(.*)\})? (\S+)$/gm))
    if (IN_RULES.has(name)) found.set(`${name}{${labels === '' ? '' : `${labels},`}${INSTANCE}}`, Number(value));
  return found;
}
