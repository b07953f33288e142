// `petstore-platform/adapters/route53`: sets domains' records in Route 53. Needs @aws-sdk/client-route-53.

import '../../platforms/node-version.ts';

export { createRoute53Publisher } from '../../adapters/dns/route53-publisher.ts';
export { createRoute53Zones, type Zone, type Zones } from '../../adapters/dns/route53-zones.ts';
