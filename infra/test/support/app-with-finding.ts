// The application as `cdk` runs it, with a finding in one of its stages.

import { Stack } from 'aws-cdk-lib';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { BUNDLING_STACKS, CDK_APP_MODE_CONTEXT } from 'aws-cdk-lib/cx-api';
import { createCheckedApp } from '../../checked-app.ts';
import { PetstorePlatform } from '../../petstore-platform.ts';
import { readStages } from '../../stages.ts';

const app = createCheckedApp({ postCliContext: { [CDK_APP_MODE_CONTEXT]: 'process', [BUNDLING_STACKS]: [] } });
const read = readStages({});
const stages = read.ok ? read.stages.map((stage) => new PetstorePlatform(app, stage.name, stage)) : [];
for (const stage of stages.slice(0, 1)) new Bucket(new Stack(stage, 'Finding'), 'Bucket');
