// An app of somebody else with each construct of the package, and each of their settings on.

import { type App, Duration, Stack } from 'aws-cdk-lib';
import { User } from 'aws-cdk-lib/aws-iam';
import { type ITopic, Topic } from 'aws-cdk-lib/aws-sns';
import { Catalogue } from '../../constructs/catalogue.ts';
import { CustomDomains } from '../../constructs/custom-domains.ts';
import { KeyedApi } from '../../constructs/keyed-api.ts';
import { KeyedApiTarget } from '../../constructs/keyed-api-target.ts';

const ACCOUNT = '123456789012';
const REGION = 'eu-central-1';
const common = { draftHeaders: true, slowAlarm: Duration.seconds(2), throttle: { rate: 100, burst: 200 } };
const certificateIn = (region: string) => `arn:aws:acm:${region}:${ACCOUNT}:certificate/0a1b2c3d-0000-4000-8000-000000000001`;
const zone = { name: 'example.com', id: 'Z0123456789ABCDEFGHIJ' };

/** Adds the stacks `Functions`, `Urls` and `Pets`. */
export function makeEveryConstruct(app: App): void {
  const stackOf = (id: string) => {
    const stack = new Stack(app, id, { env: { account: ACCOUNT, region: REGION } });
    const alarmTopic = new Topic(stack, 'Topic', { enforceSSL: true }) as ITopic;
    return { stack, alarmTopic, operator: new User(stack, 'Operator') };
  };
  const functions = stackOf('Functions');
  const orders = new KeyedApi(functions.stack, 'Orders', {
    ...{ ...common, name: 'orders', alarmTopic: functions.alarmTopic, reservedConcurrency: 50, routes: ['GET /orders/{id}', 'ANY /orders'] },
    target: KeyedApiTarget.lambda({ functionArn: `arn:aws:lambda:${REGION}:${ACCOUNT}:function:orders:live` }),
    domain: { name: 'orders.example.com', certificateArn: certificateIn(REGION), zone },
  });
  new CustomDomains(functions.stack, 'Domains', {
    ...{ name: 'orders', tables: orders.tables, alarmTopic: functions.alarmTopic, reserveConcurrency: true, ownNames: ['www.example.com'] },
    ...{ edgeName: 'edge.example.com', zone, certificateArn: certificateIn('us-east-1') },
  }).grantOperate(functions.operator);

  const urls = stackOf('Urls');
  const secretKey = { keyArn: `arn:aws:kms:${REGION}:${ACCOUNT}:key/0a1b2c3d-0000-4000-8000-000000000001` };
  new KeyedApi(urls.stack, 'Sales', {
    ...{ ...common, name: 'sales', alarmTopic: urls.alarmTopic },
    target: KeyedApiTarget.url('https://sales-backend.example.com/v2', { secretParameter: '/sales/gate-secret', secretKey }),
  }).grantOperate(urls.operator);

  const pets = stackOf('Pets');
  new Catalogue(pets.stack, 'Pets', { ...common, name: 'pets', alarmTopic: pets.alarmTopic, canary: true }).grantOperate(pets.operator);
}
