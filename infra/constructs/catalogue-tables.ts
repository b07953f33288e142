// The tables, as described in adapters/store/dynamodb/tables.ts, and the parameters with which the command line finds them.

import type { RemovalPolicy } from 'aws-cdk-lib';
import { AttributeType, Billing, type ITable, TableEncryptionV2, type TablePropsV2, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { StringParameter } from 'aws-cdk-lib/aws-ssm';
import { Construct } from 'constructs';
import { AUDIT_DAY_INDEX, STATUS_INDEX, TTL_ATTRIBUTE, WAKE_INDEX } from '../../adapters/store/dynamodb/tables.ts';
import type { KeyMode } from '../../core/access/api-key.ts';
import { parameterName } from '../../platforms/aws/stage-parameters.ts';
import { claimName, nameTables } from './deployment-names.ts';

/** A DynamoDB table, whichever construct creates it. The library's own interface conflicts with its classes under exactOptionalPropertyTypes. */
export type AnyTable = Pick<ITable, 'tableName' | 'tableArn' | 'metric' | 'metricSuccessfulRequestLatency' | 'grantReadData' | 'grantReadWriteData'>;

/** The tables for accounts, their keys and usage, which admission needs, and for the audit log. */
export interface AccessTables {
  readonly usage: AnyTable;
  readonly control: AnyTable;
  /** The audit log. */
  readonly audit: AnyTable;
}

/** All tables of a catalogue. */
export interface Tables extends AccessTables {
  readonly pets: AnyTable;
}

/** The names of each table's global secondary indexes. */
export const TABLE_INDEXES: Readonly<Record<keyof Tables, readonly string[]>> = {
  pets: [STATUS_INDEX],
  usage: [],
  control: [WAKE_INDEX],
  audit: [AUDIT_DAY_INDEX],
};

export interface TableParametersProps {
  /** The deployment's name, as in `petstore --stage NAME`. */
  readonly name: string;
  readonly keyMode: KeyMode;
}

export interface TablesProps extends TableParametersProps {
  /** Tables are named `<prefix>-usage`, and so on. */
  readonly tablePrefix: string;
  readonly removalPolicy: RemovalPolicy;
  /** Whether to protect the tables against deletion, and to record which of their keys are used most. */
  readonly protectData: boolean;
}

/** The tables of a catalogue. */
export class CatalogueTables extends Construct {
  readonly tables: Tables;

  constructor(scope: Construct, id: string, props: TablesProps) {
    super(scope, id);
    const pets = new TableV2(this, 'Pets', {
      ...commonProps(props),
      tableName: `${props.tablePrefix}-pets`,
      partitionKey: text('pk'),
      sortKey: number('id'),
      timeToLiveAttribute: TTL_ATTRIBUTE,
      globalSecondaryIndexes: [{ indexName: STATUS_INDEX, partitionKey: text('status'), sortKey: number('id') }],
    });
    this.tables = { pets, ...accessTables(this, props) };
    tableParameters(this, props, this.tables);
  }
}

/** The tables of an API with keys but without a catalogue. */
export class KeyTables extends Construct {
  readonly tables: AccessTables;

  constructor(scope: Construct, id: string, props: TablesProps) {
    super(scope, id);
    this.tables = accessTables(this, props);
    tableParameters(this, props, this.tables);
  }
}

const text = (name: string) => ({ name, type: AttributeType.STRING });
const number = (name: string) => ({ name, type: AttributeType.NUMBER });

function commonProps({ protectData, removalPolicy }: TablesProps) {
  return {
    billing: Billing.onDemand(),
    encryption: TableEncryptionV2.awsManagedKey(),
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
    deletionProtection: protectData,
    removalPolicy,
  } satisfies Partial<TablePropsV2>;
}

function accessTables(scope: Construct, props: TablesProps): AccessTables {
  return {
    usage: new TableV2(scope, 'Usage', { ...commonProps(props), tableName: `${props.tablePrefix}-usage`, partitionKey: text('accountId') }),
    control: new TableV2(scope, 'Control', {
      ...commonProps(props),
      tableName: `${props.tablePrefix}-control`,
      partitionKey: text('pk'),
      sortKey: text('sk'),
      timeToLiveAttribute: TTL_ATTRIBUTE,
      globalSecondaryIndexes: [{ indexName: WAKE_INDEX, partitionKey: text('waits'), sortKey: number('wakeAt') }],
    }),
    audit: new TableV2(scope, 'Audit', {
      ...commonProps(props),
      tableName: `${props.tablePrefix}-audit`,
      partitionKey: text('accountId'),
      sortKey: text('id'),
      timeToLiveAttribute: TTL_ATTRIBUTE,
      globalSecondaryIndexes: [{ indexName: AUDIT_DAY_INDEX, partitionKey: text('day'), sortKey: text('id') }],
    }),
  };
}

/** Creates the parameters with which the command line finds these tables. */
export function tableParameters(scope: Construct, { name, keyMode }: TableParametersProps, tables: AccessTables): void {
  claimName(scope, name, 'tables');
  nameTables(tables, name);
  for (const [table, { tableName }] of Object.entries(tables) as [keyof Tables, AnyTable][]) {
    new StringParameter(scope, `${table[0]?.toUpperCase()}${table.slice(1)}TableName`, {
      parameterName: parameterName(name, 'tables', table),
      stringValue: tableName,
    });
  }
  new StringParameter(scope, 'KeyMode', { parameterName: parameterName(name, 'tables', 'key-mode'), stringValue: keyMode });
}
