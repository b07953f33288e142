// A stage's tables, and the settings of its deployment.

import { Stack, type StackProps } from 'aws-cdk-lib';
import { StringParameter } from 'aws-cdk-lib/aws-ssm';
import type { Construct } from 'constructs';
import { parameterName } from '../../platforms/aws/stage-parameters.ts';
import { CatalogueTables, type Tables } from '../constructs/catalogue-tables.ts';
import type { PlatformSettings } from '../platform-props.ts';

export interface DataStackProps extends StackProps {
  readonly stage: PlatformSettings;
}

/** The stage's tables. */
export class DataStack extends Stack {
  readonly tables: Tables;

  constructor(scope: Construct, id: string, props: DataStackProps) {
    super(scope, id, props);
    const { stage } = props;
    const { tables } = new CatalogueTables(this, 'Default', stage);
    this.tables = tables;
    new StringParameter(this, 'Settings', {
      parameterName: parameterName(stage.name, 'deployment', 'settings'),
      stringValue: JSON.stringify(stage.record),
    });
  }
}
