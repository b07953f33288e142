// The catalogue API. Its tables, which must never be lost, are in another stack (data.ts).

import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { CatalogueApi } from '../constructs/catalogue.ts';
import type { Tables } from '../constructs/catalogue-tables.ts';
import type { PlatformSettings } from '../platform-props.ts';

export interface ApiStackProps extends StackProps {
  readonly stage: PlatformSettings;
  readonly tables: Tables;
}

/** The catalogue API with its function, access log and domain name. */
export class ApiStack extends Stack {
  readonly catalogue: CatalogueApi;

  constructor(scope: Construct, id: string, props: ApiStackProps) {
    super(scope, id, props);
    const { stage, tables } = props;
    this.catalogue = new CatalogueApi(this, 'Default', { ...stage, tables });
    const { domainName, url } = this.catalogue;
    if (domainName !== undefined)
      new CfnOutput(this, 'DomainTarget', { description: 'CNAME or ALIAS target of the API domain', value: domainName.regionalDomainName });
    new CfnOutput(this, 'Url', { description: 'URL of the API', value: url });
  }
}
