// Who sets records on AWS. Another DNS provider is one line here.

import { createRoute53Publisher } from '../../adapters/dns/route53-publisher.ts';
import type { Zones } from '../../adapters/dns/route53-zones.ts';
import { firstPublisher } from '../../core/domains/first-publisher.ts';
import type { RecordPublisher } from '../../core/domains/ports.ts';

/** @param routingEndpoint of the connection group: what an apex is an alias of */
export function createAwsPublisher(zones: Zones, routingEndpoint: () => Promise<string>): RecordPublisher {
  return firstPublisher([createRoute53Publisher(zones, routingEndpoint)]);
}
