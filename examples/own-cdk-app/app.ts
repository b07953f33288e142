// An API of your own, with keys and limits, and sites on their owners' domains.

import { join } from 'node:path';
import { App, CfnOutput, Stack } from 'aws-cdk-lib';
import { AccountRootPrincipal, Role } from 'aws-cdk-lib/aws-iam';
import { Runtime } from 'aws-cdk-lib/aws-lambda';
import { NodejsFunction } from 'aws-cdk-lib/aws-lambda-nodejs';
import { CustomDomains, KeyedApi, KeyedApiTarget } from 'petstore-platform/infra';

const name = 'orders';
const stack = new Stack(new App(), 'Orders');

const handler = new NodejsFunction(stack, 'Handler', { runtime: Runtime.NODEJS_24_X, entry: join(import.meta.dirname, 'handler.ts') });
const api = new KeyedApi(stack, 'Api', { name, target: KeyedApiTarget.lambda(handler) });
// The API's accounts can have sites, at domains of their own.
const domains = new CustomDomains(stack, 'Domains', { name, edgeName: 'edge.orders.example', tables: api.tables });

// Principals that may assume this role can run `petstore --stage orders`.
const operator = new Role(stack, 'Operator', { assumedBy: new AccountRootPrincipal() });
domains.grantOperate(operator);

new CfnOutput(stack, 'Url', { value: api.url });
new CfnOutput(stack, 'EdgeTarget', { value: domains.endpoint });
new CfnOutput(stack, 'OperatorRole', { value: operator.roleArn });
