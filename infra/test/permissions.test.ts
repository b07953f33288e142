// The roles' permissions, with every setting on: each statement is checked against AWS's own reference, and the functions' calls against the
// policies of their roles.

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { STAGE_TAG } from '../../adapters/edge/stage-tag.ts';
import { AUDIT_DAY_INDEX, WAKE_INDEX } from '../../adapters/store/dynamodb/tables.ts';
import { isAllowed, listOf, referenceOf, takesConditionKey, takesResource } from '../../judge/rules.ts';
import { parameterName } from '../../platforms/aws/stage-parameters.ts';
import { makeFolder } from '../../test/support/folders.ts';
import { everySetting, THREE_STAGES } from '../../test/support/stage-settings.ts';
import { operatorRoleName } from '../stacks/operator.ts';
import { admissionCalls, auditReads, controlCalls, creation, failoverCalls, removalCalls, tableCalls, work } from './support/adapter-calls.ts';
import { authorizationsOf } from './support/authorizations.ts';
import { ACCOUNT, deployedStage } from './support/deployed-templates.ts';
import { notifierCalls } from './support/notifier-calls.ts';
import { statementsOf, statementsOfRole } from './support/policies.ts';
import { makeApp, makeStages } from './support/synthesis.ts';

/**
 * Calls of the control API's function, which leaves the publication of records to this one, and of `npm run move:name` and `petstore move`, with an
 * administrator's role.
 */
const OF_OTHERS = ['Invoke', 'ImportCertificate', 'ListDomainConflicts', 'UpdateDomainAssociation'];
const ADAPTERS = join(import.meta.dirname, '../../adapters');
/** A domain's steps don't list what exists at the edge. */
const SWEEP_ONLY = ['ListKeys', 'ListDistributionTenants'];

const folder = makeFolder();
afterAll(() => folder.remove());

const stages = makeStages(makeApp(folder.path), everySetting(THREE_STAGES), THREE_STAGES).map(
  (stage) => [stage.stageName, deployedStage(stage)] as const,
);

describe.each(stages)('%s', (name, stage) => {
  const statements = statementsOf(stage).filter(({ Resource }) => Resource !== undefined);
  const allowed = statements.filter(({ Effect }) => Effect === 'Allow');

  test('policies are found', () => {
    expect(allowed.length).toBeGreaterThan(15);
  });

  test('every action is allowed on a resource type that supports it', () => {
    const problems = allowed.flatMap(({ place, Action, Resource }) =>
      listOf(Action)
        .filter((action) => !listOf(Resource).some((resource) => takesResource(action, resource)))
        .map((action) => `${place}: ${action} on ${Resource}; possible: ${Object.values(referenceOf(action).resources).join(', ') || '*'}`),
    );
    expect(problems).toEqual([]);
  });

  test('every resource is used by an action', () => {
    const problems = allowed.flatMap(({ place, Action, Resource }) =>
      listOf(Resource)
        .filter((resource) => !listOf(Action).some((action) => takesResource(action, resource)))
        .map((resource) => `${place}: none of ${Action} is ever asked of ${resource}`),
    );
    expect(problems).toEqual([]);
  });

  test('every condition key exists for its actions', () => {
    const problems = allowed.flatMap(({ place, Action, Condition = {} }) =>
      Object.values(Condition)
        .flatMap((keys) => Object.keys(keys))
        .flatMap((key) =>
          listOf(Action)
            .filter((action) => !takesConditionKey(action, key))
            .map((action) => `${place}: ${action} has no ${key}`),
        ),
    );
    expect(problems).toEqual([]);
  });

  test.each(['StepsRole', 'SweepRole'])("%s: tenants and certificates are created only with this stage's tag", async (id) => {
    const role = statementsOfRole(stage, { stack: `${name}-Domains`, id });
    const refused = async (tag: string) => (await creation(tag)).filter((each) => !isAllowed(role, each)).map(({ action }) => action);
    expect(await refused(name)).toEqual([]);
    const needTag = ['cloudfront:CreateDistributionTenant', 'cloudfront:TagResource', 'acm:RequestCertificate', 'acm:AddTagsToCertificate'];
    for (const other of THREE_STAGES.filter((each) => each !== name)) expect(await refused(other)).toEqual(needTag);
    // CloudFront's own request for a tenant's certificate has no tags.
    const withoutTag = needTag.filter((action) => isAllowed(role, { action, resource: '*' }));
    expect(withoutTag).toEqual(['acm:RequestCertificate']);
  });

  test.each([
    ['StepsRole', SWEEP_ONLY],
    ['SweepRole', []],
  ])('%s: every call of the domain workflow is allowed', async (id, notAllowed) => {
    const role = statementsOfRole(stage, { stack: `${name}-Domains`, id });
    const requests = await work(name, stage);
    const refused = requests.filter(({ operation, input }) => authorizationsOf(operation, input, name).some((each) => !isAllowed(role, each)));
    expect([...new Set(refused.map(({ operation }) => operation))]).toEqual(notAllowed);
    expect([...new Set(requests.map(({ operation }) => operation))].sort()).toEqual(
      operationsOf('certificates', 'dns', 'edge').filter((operation) => !OF_OTHERS.includes(operation)),
    );
  });

  test.each(['StepsRole', 'SweepRole'])("%s: other stages' tenants and certificates are not changed, nor the stage's own records", async (id) => {
    const role = statementsOfRole(stage, { stack: `${name}-Domains`, id });
    const denied = (await work(name, stage))
      .flatMap(({ operation, input }) => authorizationsOf(operation, input, 'another'))
      .filter((each) => !isAllowed(role, each) && each.context?.[`aws:ResourceTag/${STAGE_TAG}`] === 'another');
    const changes = ['UpdateDistributionTenant', 'DeleteDistributionTenant', 'GetManagedCertificateDetails'].map((each) => `cloudfront:${each}`);
    expect([...new Set(denied.map(({ action }) => action))].sort()).toEqual(['acm:AddTagsToCertificate', 'acm:DeleteCertificate', ...changes].sort());
    const mayChange = (record: string, type = 'CNAME') =>
      isAllowed(role, {
        action: 'route53:ChangeResourceRecordSets',
        resource: 'arn:aws:route53:::hostedzone/Z1',
        context: {
          'route53:ChangeResourceRecordSetsActions': ['UPSERT'],
          'route53:ChangeResourceRecordSetsNormalizedRecordNames': [record],
          'route53:ChangeResourceRecordSetsRecordTypes': [type],
        },
      });
    expect([mayChange('www.zone.dev'), mayChange('www.zone.dev', 'NS'), mayChange('zone.dev', 'MX')]).toEqual([true, false, false]);
    const own = [`edge.${name}.example.com`, `x.edge.${name}.example.com`, `api.${name}.example.com`];
    expect(own.filter((record) => mayChange(record))).toEqual([]);
  });

  test('ApiRole: may count, and write the usage history, but nothing else of the control table', async () => {
    const role = statementsOfRole(stage, { stack: `${name}-Api`, id: 'ApiRole' });
    const calls = await admissionCalls(name, stage);
    expect(calls.filter((authorization) => !isAllowed(role, authorization))).toEqual([]);
    const history = calls.filter(({ resource }) => resource.endsWith('-control'));
    expect(history).toHaveLength(2);
    const [first] = history;
    const resource = String(first?.resource);
    for (const partition of ['accounts', 'keys#acc_1', 'usage-histor', 'domains'])
      expect(isAllowed(role, { action: 'dynamodb:UpdateItem', resource, context: { 'dynamodb:LeadingKeys': [partition] } })).toBe(false);
    for (const action of ['dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:DeleteItem', 'dynamodb:Query'])
      expect(isAllowed(role, { action, resource, context: first?.context ?? {} })).toBe(false);
  });

  test('ControlRole: every call that the control API makes, except those to the tables, is allowed', async () => {
    const role = statementsOfRole(stage, { stack: `${name}-Dashboard`, id: 'ControlRole' });
    const calls = await controlCalls(name, stage, { delegated: true });
    expect(calls.filter((authorization) => !isAllowed(role, authorization))).toEqual([]);
    expect(new Set(calls.map(({ action }) => action)).size).toBeGreaterThan(6);
    // The internet can reach this function: it may not change DNS.
    expect(role.flatMap(({ Action }) => listOf(Action)).filter((action) => action.startsWith('route53:'))).toEqual([]);
  });

  test("OperatorRole: of the control API's calls, only deleting records and reading a single parameter are denied", async () => {
    const role = statementsOfRole(stage, operatorRoleName(name));
    const denied = (await controlCalls(name, stage, { delegated: false })).filter((authorization) => !isAllowed(role, authorization));
    expect(denied.map(({ action, context }) => [action, context?.['route53:ChangeResourceRecordSetsActions']])).toEqual([
      ['route53:ChangeResourceRecordSets', ['DELETE']],
      ['ssm:GetParameter', undefined],
    ]);
  });

  test.each(['StepsRole', 'SweepRole'])(
    '%s: every operation of the stores, except those of the function for emails, is allowed on the control table',
    (id) => {
      const role = statementsOfRole(stage, { stack: `${name}-Domains`, id });
      // Transactions need the permissions of their writes, and only `petstore move` writes in batches.
      const operations = operationsOf('store/dynamodb').filter((each) => !['BatchWriteItem', 'Scan', 'TransactWriteItems'].includes(each));
      expect(operations.length).toBeGreaterThan(5);
      const table = `arn:aws:dynamodb:eu-central-1:${ACCOUNT}:table/${stage.parameter(parameterName(name, 'tables', 'control'))}`;
      const allowedOn = (resource: string) => operations.filter((each) => isAllowed(role, { action: `dynamodb:${each}`, resource }));
      expect(allowedOn(table)).toEqual(operations);
      // Sweeps find the domains that are overdue, and start their workflow.
      expect(allowedOn(`${table}/index/${WAKE_INDEX}`)).toEqual(id === 'SweepRole' ? ['Query'] : []);
      const workflow = String(stage.parameter(parameterName(name, 'edge', 'workflow')));
      expect(isAllowed(role, { action: 'states:StartExecution', resource: workflow })).toBe(id === 'SweepRole');
    },
  );

  test('SweepRole: may list and remove files', async () => {
    const role = statementsOfRole(stage, { stack: `${name}-Domains`, id: 'SweepRole' });
    const bucket = String(stage.parameter(parameterName(name, 'edge', 'bucket')));
    const calls = await removalCalls(bucket);
    expect(new Set(calls.map(({ action }) => action))).toEqual(new Set(['s3:ListBucket', 's3:DeleteObject']));
    expect(calls.filter((authorization) => !isAllowed(role, authorization))).toEqual([]);
    expect(isAllowed(role, { action: 's3:DeleteObject', resource: 'arn:aws:s3:::another/prj_1/dpl_1/a' })).toBe(false);
  });

  test('NotifierRole: every call that the function for emails makes is allowed, and it sends from no other address', async () => {
    const role = statementsOfRole(stage, { stack: `${name}-Dashboard`, id: 'NotifierRole' });
    const calls = await notifierCalls(stage);
    expect(calls.filter((authorization) => !isAllowed(role, authorization))).toEqual([]);
    const used = new Set(calls.map(({ action }) => action));
    const tables = ['GetItem', 'PutItem', 'Query', 'Scan', 'UpdateItem'].map((each) => `dynamodb:${each}`);
    expect([...used].sort()).toEqual(['cognito-idp:AdminGetUser', ...tables, 'ses:SendEmail'].sort());
    // Nothing is allowed that it does not do, besides logs and traces.
    const more = role.flatMap(({ Action }) => listOf(Action)).filter((action) => !used.has(action) && !/^(?:logs|xray):/.test(action));
    expect(more).toEqual([]);
    const sending = calls.find(({ action }) => action === 'ses:SendEmail') ?? expect.fail('nothing was sent');
    expect(isAllowed(role, { ...sending, context: { 'ses:FromAddress': 'ceo@example.com' } })).toBe(false);
    expect(isAllowed(role, { ...sending, resource: sending.resource.replace('example.com', 'example.org') })).toBe(false);
  });

  test('FailoverRole: may read files and tell missing ones from forbidden ones, and nothing else', async () => {
    const role = statementsOfRole(stage, { stack: `${name}-Edge`, id: 'FailoverRole' });
    const bucket = String(stage.parameter(parameterName(name, 'edge', 'bucket')));
    const calls = await failoverCalls(bucket);
    expect(calls.map(({ action }) => action)).toEqual(['s3:GetObject', 's3:GetObject', 's3:GetObject']);
    const all = [...calls, { action: 's3:ListBucket', resource: `arn:aws:s3:::${bucket}` }];
    expect(all.filter((authorization) => !isAllowed(role, authorization))).toEqual([]);
    const others = [
      { action: 's3:PutObject', resource: `arn:aws:s3:::${bucket}/prj_1/dpl_1/a` },
      { action: 's3:GetObject', resource: 'arn:aws:s3:::another/prj_1/dpl_1/a' },
    ];
    expect(others.filter((authorization) => isAllowed(role, authorization))).toEqual([]);
  });

  test.each([
    ['ControlRole', { stack: `${name}-Dashboard`, id: 'ControlRole' }],
    ['OperatorRole', operatorRoleName(name)],
  ])('%s: every call to the account and key tables is allowed', async (_id, place) => {
    const role = statementsOfRole(stage, place);
    const calls = await tableCalls(name, stage);
    expect(calls.filter((authorization) => !isAllowed(role, authorization))).toEqual([]);
    const onUsage = calls.filter(({ resource }) => resource.endsWith('-usage')).map(({ action }) => action);
    expect([...new Set(onUsage)].sort()).toEqual(['dynamodb:DeleteItem', 'dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem']);
    expect(new Set(calls.filter(({ resource }) => resource.endsWith('-audit')).map(({ action }) => action))).toEqual(
      new Set(['dynamodb:PutItem', 'dynamodb:Query']),
    );
  });

  test('entries of the audit log are added and read, and nobody changes or deletes one', async () => {
    const audit = String(stage.parameter(parameterName(name, 'tables', 'audit')));
    const arn = `arn:aws:dynamodb:eu-central-1:${ACCOUNT}:table/${audit}`;
    const onAudit = allowed.filter(({ Resource }) => listOf(Resource).some((resource) => resource.includes(audit)));
    expect(onAudit.length).toBeGreaterThanOrEqual(4);
    expect(new Set(onAudit.flatMap(({ Action }) => listOf(Action)))).toEqual(new Set(['dynamodb:PutItem', 'dynamodb:Query']));
    const reads = await auditReads(name, stage);
    expect(new Set(reads.map(({ resource }) => resource))).toEqual(new Set([`${arn}/index/${AUDIT_DAY_INDEX}`]));
    const operator = statementsOfRole(stage, operatorRoleName(name));
    expect(reads.filter((authorization) => !isAllowed(operator, authorization))).toEqual([]);
    for (const [stack, id] of [
      ['Dashboard', 'ControlRole'],
      ['Domains', 'StepsRole'],
      ['Domains', 'SweepRole'],
      ['Dashboard', 'NotifierRole'],
    ]) {
      const role = statementsOfRole(stage, { stack: `${name}-${stack}`, id: String(id) });
      expect(isAllowed(role, { action: 'dynamodb:PutItem', resource: arn })).toBe(true);
      expect(isAllowed(role, { action: 'dynamodb:Query', resource: arn })).toBe(id === 'ControlRole');
      // Of the others, only the sweep sees what belongs to all accounts: it publishes again what has changed.
      expect(reads.some((authorization) => isAllowed(role, authorization))).toBe(id === 'SweepRole');
    }
  });
});

/** The operations that appear in these adapter folders. */
function operationsOf(...folders: readonly string[]): string[] {
  const files = globSync(
    folders.map((folder) => `${folder}/*.ts`),
    { cwd: ADAPTERS },
  ).map((file) => readFileSync(join(ADAPTERS, file), 'utf8'));
  return [
    ...new Set(files.flatMap((source) => [...source.matchAll(/new (\w+)Command\(|paginate(\w+)\(/g)].map(([, one, all]) => one ?? all ?? ''))),
  ].sort();
}
