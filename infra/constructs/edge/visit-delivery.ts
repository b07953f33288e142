// CloudFront's access logs, delivered to the sites bucket, where the sweep counts visits. All of this is in us-east-1, whatever the bucket's region
// (CloudFront Developer Guide, "Configure standard logging (v2)").

import { Aws } from 'aws-cdk-lib';
import { CfnDelivery, CfnDeliveryDestination, CfnDeliverySource } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { LOGGED_FIELDS } from '../../../adapters/sites/log-fields.ts';
import type { SiteEdge } from './site-edge.ts';

export interface VisitDeliveryProps {
  readonly globalName: string;
  readonly bucketArn: string;
  readonly edge: Pick<SiteEdge, 'distribution' | 'targets'>;
}

/** A delivery for each distribution. */
export class VisitDelivery extends Construct {
  constructor(scope: Construct, id: string, { globalName, bucketArn, edge }: VisitDeliveryProps) {
    super(scope, id);
    const destination = new CfnDeliveryDestination(this, 'Destination', {
      name: `petstore-${globalName}-visits`,
      destinationResourceArn: bucketArn,
      outputFormat: 'json',
    });
    let before: CfnDelivery | undefined;
    for (const [kind, distribution] of Object.entries({ domains: edge.distribution, targets: edge.targets })) {
      if (distribution === undefined) continue;
      const source = new CfnDeliverySource(this, `Source-${kind}`, {
        name: `petstore-${globalName}-${kind}`,
        logType: 'ACCESS_LOGS',
        resourceArn: `arn:${Aws.PARTITION}:cloudfront::${Aws.ACCOUNT_ID}:distribution/${distribution.attrId}`,
      });
      const delivery = new CfnDelivery(this, `Delivery-${kind}`, {
        deliverySourceName: source.name,
        deliveryDestinationArn: destination.attrArn,
        recordFields: [...LOGGED_FIELDS],
      });
      // The delivery contains the source's name, but no reference to it.
      delivery.addResourceDependency(source);
      // CloudWatch Logs may add to the bucket's policy with each delivery, so they are created one at a time.
      if (before !== undefined) delivery.addResourceDependency(before);
      before = delivery;
    }
  }
}
