// An app of somebody else with the packed platform, in the variant that VARIANT names: `plain`, without any context; `bounded`, with a bootstrap
// qualifier, a permissions boundary and tags of its own; `delivery`, in a CDK pipeline of another account, and a second construct on shared tables.

import { App, DefaultStackSynthesizer, Stack, Tags } from 'aws-cdk-lib';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { CodePipeline, CodePipelineSource, ShellStep } from 'aws-cdk-lib/pipelines';
import { Catalogue, KeyedApi, KeyedApiTarget, PetstorePlatform, type PetstorePlatformProps } from 'petstore-platform/infra';

const env = { account: '000000000000', region: 'us-east-1' };
const name = process.env.VARIANT ?? 'plain';
const props: PetstorePlatformProps = {
  env,
  alarmEmail: 'ops@example.com',
  retainData: false,
  customDomains: {
    edgeName: `edge.${name}.example.com`,
    certificateArn: `arn:aws:acm:us-east-1:${env.account}:certificate/0a1b2c3d-0000-4000-8000-000000000001`,
  },
  pipeline: { repository: 'acme/shop' },
};

if (name === 'plain') new PetstorePlatform(new App(), name, props);
if (name === 'bounded') {
  const context = { '@aws-cdk/core:permissionsBoundary': { name: 'acme-boundary' } };
  const app = new App({ context, defaultStackSynthesizer: new DefaultStackSynthesizer({ qualifier: 'acme' }) });
  Tags.of(new PetstorePlatform(app, name, props)).add('team', 'pets');
}
if (name === 'delivery') {
  const app = new App();
  const input = CodePipelineSource.connection('acme/shop', 'main', {
    connectionArn: 'arn:aws:codestar-connections:us-east-1:111111111111:connection/1',
  });
  const stack = new Stack(app, 'Delivery', { env: { ...env, account: '111111111111' } });
  const pipeline = new CodePipeline(stack, 'Pipeline', {
    crossAccountKeys: true,
    synth: new ShellStep('Synth', { input, commands: ['npm ci', 'npx cdk synth'] }),
  });
  pipeline.addStage(new PetstorePlatform(stack, name, props));
  const shared = new Stack(app, 'Shared', { env });
  const alarmTopic = new Topic(shared, 'Alarms');
  const { tables } = new Catalogue(shared, 'Pets', { name: 'pets', alarmTopic });
  new KeyedApi(shared, 'Orders', { name: 'orders', tables, alarmTopic, target: KeyedApiTarget.url('https://orders.example.com') });
}
