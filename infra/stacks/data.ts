// A stage's tables, and the parameters with which the command line finds them.

import { Stack, type StackProps } from 'aws-cdk-lib';
import { AttributeType, Billing, TableEncryptionV2, type TablePropsV2, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { StringParameter } from 'aws-cdk-lib/aws-ssm';
import type { Construct } from 'constructs';
import { STATUS_INDEX, TTL_ATTRIBUTE, WAKE_INDEX } from '../../adapters/store/dynamodb/tables.ts';
import { parameterName } from '../../platforms/aws/stage-parameters.ts';
import { dataRemovalPolicy } from '../constructs/retention.ts';
import type { StageSettings } from '../stages.ts';

export interface DataStackProps extends StackProps {
  readonly stage: StageSettings;
}

export interface Tables {
  readonly pets: TableV2;
  readonly usage: TableV2;
  readonly control: TableV2;
}

/** The names of each table's global secondary indexes. */
export const TABLE_INDEXES: Readonly<Record<keyof Tables, readonly string[]>> = { pets: [STATUS_INDEX], usage: [], control: [WAKE_INDEX] };

/** The three tables, as described in adapters/store/dynamodb/tables.ts. */
export class DataStack extends Stack {
  readonly tables: Tables;

  constructor(scope: Construct, id: string, props: DataStackProps) {
    super(scope, id, props);
    const { stage } = props;
    const common = {
      billing: Billing.onDemand(),
      encryption: TableEncryptionV2.awsManagedKey(),
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection: stage.retainData,
      contributorInsightsSpecification: { enabled: stage.retainData },
      removalPolicy: dataRemovalPolicy(stage),
    } satisfies Partial<TablePropsV2>;
    const text = (name: string) => ({ name, type: AttributeType.STRING });
    const number = (name: string) => ({ name, type: AttributeType.NUMBER });

    this.tables = {
      pets: new TableV2(this, 'Pets', {
        ...common,
        tableName: `${stage.tablePrefix}-pets`,
        partitionKey: text('pk'),
        sortKey: number('id'),
        timeToLiveAttribute: TTL_ATTRIBUTE,
        globalSecondaryIndexes: [{ indexName: STATUS_INDEX, partitionKey: text('status'), sortKey: number('id') }],
      }),
      usage: new TableV2(this, 'Usage', { ...common, tableName: `${stage.tablePrefix}-usage`, partitionKey: text('accountId') }),
      control: new TableV2(this, 'Control', {
        ...common,
        tableName: `${stage.tablePrefix}-control`,
        partitionKey: text('pk'),
        sortKey: text('sk'),
        timeToLiveAttribute: TTL_ATTRIBUTE,
        globalSecondaryIndexes: [{ indexName: WAKE_INDEX, partitionKey: text('waits'), sortKey: number('wakeAt') }],
      }),
    };
    for (const [name, table] of Object.entries(this.tables) as [keyof Tables, TableV2][]) {
      new StringParameter(this, `${name[0]?.toUpperCase()}${name.slice(1)}TableName`, {
        parameterName: parameterName(stage.name, 'tables', name),
        stringValue: table.tableName,
      });
    }
    new StringParameter(this, 'Settings', {
      parameterName: parameterName(stage.name, 'deployment', 'settings'),
      stringValue: JSON.stringify(stage.record),
    });
    new StringParameter(this, 'KeyMode', { parameterName: parameterName(stage.name, 'tables', 'key-mode'), stringValue: stage.keyMode });
  }
}
