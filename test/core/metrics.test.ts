// The text of metrics, by the grammar of OpenMetrics 1.0, and the choice of its format.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { exposition, formatFor } from '../../core/metrics/exposition.ts';
import { createRegistry, type Family } from '../../core/metrics/registry.ts';
import { anyCharacter } from '../support/characters.ts';

const REQUESTS: Family = { name: 'shop_requests', kind: 'counter', help: 'Requests.', labels: ['api', 'status'] };
const SIZE: Family = { name: 'shop_size_bytes', kind: 'gauge', help: 'Size of "all"\nfiles \\ folders.', unit: 'bytes' };
const DURATION: Family = {
  name: 'shop_duration_seconds',
  kind: 'histogram',
  help: 'Duration.',
  unit: 'seconds',
  labels: ['api'],
  bounds: [0.005, 1, 2.5],
};
const BUILD: Family = { name: 'shop_build', kind: 'info', help: 'Build.', labels: ['version'] };

function sample() {
  const registry = createRegistry();
  registry.cell(REQUESTS, 'catalogue', '200').value += 2;
  registry.cell(SIZE).value = 1.5e9;
  for (const value of [0.005, 0.0051, 1, 7]) registry.histogram(DURATION, 'catalogue').observe(value);
  registry.cell(BUILD, '1 "\\\n').value = 1;
  return registry;
}

describe('exposition', () => {
  test('in OpenMetrics', () => {
    expect(exposition(sample().values(), 'openmetrics')).toBe(`# TYPE shop_requests counter
# HELP shop_requests Requests.
shop_requests_total{api="catalogue",status="200"} 2
# TYPE shop_size_bytes gauge
# UNIT shop_size_bytes bytes
# HELP shop_size_bytes Size of \\"all\\"\\nfiles \\\\ folders.
shop_size_bytes 1500000000
# TYPE shop_duration_seconds histogram
# UNIT shop_duration_seconds seconds
# HELP shop_duration_seconds Duration.
shop_duration_seconds_bucket{api="catalogue",le="0.005"} 1
shop_duration_seconds_bucket{api="catalogue",le="1.0"} 3
shop_duration_seconds_bucket{api="catalogue",le="2.5"} 3
shop_duration_seconds_bucket{api="catalogue",le="+Inf"} 4
shop_duration_seconds_count{api="catalogue"} 4
shop_duration_seconds_sum{api="catalogue"} 8.0101
# TYPE shop_build info
# HELP shop_build Build.
shop_build_info{version="1 \\"\\\\\\n"} 1
# EOF
`);
  });

  test('in the older format, which has no info and no units', () => {
    const text = exposition(sample().values(), 'prometheus');
    expect(text).toContain('# TYPE shop_requests_total counter\n# HELP shop_requests_total Requests.\n');
    expect(text).toContain('# TYPE shop_build_info gauge\n');
    expect(text).toContain('# HELP shop_size_bytes Size of "all"\\nfiles \\\\ folders.\n');
    expect(text).toContain('shop_duration_seconds_bucket{api="catalogue",le="1.0"} 3\n');
    expect(text).not.toMatch(/# (UNIT|EOF)/);
  });

  test('of nothing has an end all the same, and families without series are left out', () => {
    const registry = sample();
    registry.forget([REQUESTS, SIZE, DURATION, BUILD]);
    expect(exposition(registry.values(), 'openmetrics')).toBe('# EOF\n');
  });

  test('writes numbers that are not finite', () => {
    const registry = createRegistry();
    for (const [value, text] of [
      [Number.NaN, 'NaN'],
      [Number.POSITIVE_INFINITY, '+Inf'],
      [Number.NEGATIVE_INFINITY, '-Inf'],
    ] as const) {
      registry.cell(SIZE).value = value;
      expect(exposition(registry.values(), 'prometheus')).toContain(`shop_size_bytes ${text}\n`);
    }
  });

  test('keeps every label value on its line, and gives it back', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (value) => {
        const registry = createRegistry();
        registry.cell(BUILD, value).value = 1;
        const lines = exposition(registry.values(), 'openmetrics').split('\n');
        const [, text = ''] = /^shop_build_info\{version="((?:[^"\\\n]|\\[\\"n])*)"\} 1$/s.exec(lines[2] ?? '') ?? [];
        expect(text.replace(/\\(.)/g, (_, character) => (character === 'n' ? '\n' : character))).toBe(value);
      }),
    );
  });
});

describe('registry', () => {
  test('gives the same series to the same labels, whatever they contain', () => {
    const registry = createRegistry();
    expect(registry.cell(REQUESTS, 'a', '200')).toBe(registry.cell(REQUESTS, 'a', '200'));
    expect(registry.cell(REQUESTS, 'a', '201')).not.toBe(registry.cell(REQUESTS, 'a', '200'));
  });

  test('refuses other labels and kinds', () => {
    const registry = createRegistry();
    expect(() => registry.cell(REQUESTS, 'a')).toThrow(RangeError);
    expect(() => registry.cell(DURATION, 'a')).toThrow(RangeError);
    expect(() => registry.histogram(REQUESTS, 'a', '200')).toThrow(RangeError);
  });

  test('counts in a histogram what is observed, each value once', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 10, noNaN: true })), (values) => {
        const histogram = createRegistry().histogram(DURATION, 'a');
        for (const value of values) histogram.observe(value);
        expect([...histogram.counts]).toEqual([
          values.filter((value) => value <= 0.005).length,
          values.filter((value) => value > 0.005 && value <= 1).length,
          values.filter((value) => value > 1 && value <= 2.5).length,
          values.filter((value) => value > 2.5).length,
        ]);
      }),
    );
  });
});

test.each([
  [undefined, 'prometheus'],
  ['*/*', 'prometheus'],
  ['text/html', 'prometheus'],
  ['text/plain', 'prometheus'],
  ['application/openmetrics-text', 'openmetrics'],
  ['application/openmetrics-text; version=0.0.1', 'prometheus'],
  ['application/openmetrics-text; version=1.0.0', 'openmetrics'],
  ['application/openmetrics-text; version=1.0.0; charset=utf-8', 'openmetrics'],
  ['application/openmetrics-text;version=1.0.0;q=0.2,text/plain;version=0.0.4;q=0.5', 'prometheus'],
  // Prometheus 2.42 and 3.0.
  [
    'application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1',
    'openmetrics',
  ],
  [
    'application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.5,text/plain;version=1.0.0;q=0.3,text/plain;version=0.0.4;q=0.2,*/*;q=0.1',
    'openmetrics',
  ],
])('a scraper that accepts %s gets %s', (accept, format) => expect(formatFor(accept)).toBe(format));
