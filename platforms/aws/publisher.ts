// The DNS providers through which records are published on AWS. Adding a provider takes one line here.

import { createRoute53Publisher } from '../../adapters/dns/route53-publisher.ts';
import type { Zones } from '../../adapters/dns/route53-zones.ts';
import type { RecordPublisher } from '../../core/domains/ports.ts';
import { firstPublisher } from '../../core/domains/records.ts';

/**
 * Creates the publisher.
 *
 * @param routingEndpoint returns the connection group's endpoint, the alias target of an apex
 */
export function createAwsPublisher(zones: Zones, routingEndpoint: () => Promise<string>): RecordPublisher {
  return firstPublisher([createRoute53Publisher(zones, routingEndpoint)]);
}
