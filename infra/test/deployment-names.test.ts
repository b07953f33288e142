// Two constructs with one name are found at synthesis, and names that may be shared can be.

import { App, type Environment, Stack, Stage } from 'aws-cdk-lib';
import { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { BUNDLING_STACKS } from 'aws-cdk-lib/cx-api';
import { describe, expect, test } from 'vitest';
import { testFolder } from '../../test/support/folders.ts';
import { Catalogue } from '../constructs/catalogue.ts';
import type { AccessTables } from '../constructs/catalogue-tables.ts';
import { CustomDomains } from '../constructs/custom-domains.ts';
import { KeyedApi } from '../constructs/keyed-api.ts';
import { KeyedApiTarget } from '../constructs/keyed-api-target.ts';
import { PetstorePlatform } from '../petstore-platform.ts';

const HERE: Environment = { account: '123456789012', region: 'eu-central-1' };
const ELSEWHERE: Environment = { account: '123456789012', region: 'us-east-1' };

const makeApp = () => new App({ outdir: testFolder(), context: { [BUNDLING_STACKS]: [] } });
const target = KeyedApiTarget.url('https://orders.example.com');
const keyed = (scope: Stack, name = 'orders', tables?: AccessTables) =>
  new KeyedApi(scope, `Api-${name}`, { name, target, ...(tables && { tables }) });
const domains = (scope: Stack, name: string, tables?: AccessTables) =>
  new CustomDomains(scope, `Domains-${name}`, { name, edgeName: 'edge.example.com', ...(tables && { tables }) });

describe('a name', () => {
  test.each<[string, (a: Stack, b: Stack) => unknown]>([
    ['two APIs', (a, b) => [keyed(a), keyed(b)]],
    ['an API and a catalogue', (a, b) => [keyed(a), new Catalogue(b, 'Pets', { name: 'orders' })]],
    [
      'a catalogue and a platform',
      (a, b) => [new Catalogue(a, 'Pets', { name: 'orders' }), new PetstorePlatform(b.node.root, 'orders', { env: HERE })],
    ],
    ['custom domains twice', (a, b) => [domains(a, 'orders', keyed(a).tables), domains(b, 'orders', keyed(b, 'sales').tables)]],
    ['custom domains with tables of their own', (a, b) => [keyed(a), domains(b, 'orders')]],
  ])('is not for %s in one account and region', (_, make) => {
    const app = makeApp();
    const [a, b] = [new Stack(app, 'A', { env: HERE }), new Stack(app, 'B', { env: HERE })];
    expect(() => make(a, b)).toThrow(/name: got "orders"; allowed: /);
  });

  test('is not for two APIs in one stack, wherever it will be', () => {
    const stack = new Stack(makeApp(), 'A');
    keyed(stack);
    expect(() => new Catalogue(stack, 'Pets', { name: 'orders' })).toThrow(
      "A/Api-orders/Tables has this one; for custom domains of an API's accounts, pass",
    );
  });

  test('is for an API and the custom domains of its accounts', () => {
    const stack = new Stack(makeApp(), 'A', { env: HERE });
    expect(() => domains(stack, 'orders', keyed(stack).tables)).not.toThrow();
  });

  test.each<[string, (app: App) => [Stack, Stack]]>([
    ['in two regions', (app) => [new Stack(app, 'A', { env: HERE }), new Stack(app, 'B', { env: ELSEWHERE })]],
    ['in stages', (app) => [new Stack(new Stage(app, 'S', { env: HERE }), 'A'), new Stack(new Stage(app, 'P', { env: ELSEWHERE }), 'A')]],
    ['in stacks that may be anywhere', (app) => [new Stack(app, 'A'), new Stack(app, 'B')]],
    ['in two apps', (app) => [new Stack(app, 'A', { env: HERE }), new Stack(makeApp(), 'A', { env: HERE })]],
  ])('is for two APIs %s', (_, make) => {
    const [a, b] = make(makeApp());
    expect(() => [keyed(a), keyed(b)]).not.toThrow();
  });
});

describe('tables of another construct', () => {
  test('give an API the same accounts, under another name', () => {
    const stack = new Stack(makeApp(), 'A', { env: HERE });
    expect(() => keyed(stack, 'sales', keyed(stack).tables)).not.toThrow();
  });

  test('give custom domains their name: the command line finds none under another', () => {
    const stack = new Stack(makeApp(), 'A', { env: HERE });
    expect(() => domains(stack, 'sites', keyed(stack).tables)).toThrow('name: got "sites"; allowed: orders, the name');
    const existing = (name: string) => TableV2.fromTableName(stack, name, name);
    expect(() => domains(stack, 'others', { usage: existing('usage'), control: existing('control'), audit: existing('audit') })).not.toThrow();
  });
});
