// An HTTP API's own host name.

import { ApiMapping, DomainName, type HttpApi, type HttpStage, SecurityPolicy } from 'aws-cdk-lib/aws-apigatewayv2';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import { AaaaRecord, ARecord, HostedZone, RecordTarget } from 'aws-cdk-lib/aws-route53';
import { ApiGatewayv2DomainProperties } from 'aws-cdk-lib/aws-route53-targets';
import type { Construct } from 'constructs';
import type { ZoneProps } from './service-props.ts';

export interface ApiDomainProps {
  /** The host name, such as `api.example.com`. */
  readonly name: string;
  /** The ARN of a certificate for the name, in the API's region. */
  readonly certificateArn: string;
  /** The Route 53 zone for the record. @default none: the record is set manually */
  readonly zone?: ZoneProps | undefined;
  /** Also serve the API at API Gateway's own host name. @default false */
  readonly gatewayUrl?: boolean | undefined;
}

/** Serves the API at a host name: `Domain`, `Certificate`, `Mapping`, and records if the zone is known. */
export function apiDomain(scope: Construct, { name, certificateArn, zone }: ApiDomainProps, api: HttpApi, stage: HttpStage): DomainName {
  const domainName = new DomainName(scope, 'Domain', {
    domainName: name,
    securityPolicy: SecurityPolicy.TLS_1_2,
    certificate: Certificate.fromCertificateArn(scope, 'Certificate', certificateArn),
  });
  new ApiMapping(scope, 'Mapping', { api, domainName, stage });
  if (zone === undefined) return domainName;
  const target = new ApiGatewayv2DomainProperties(domainName.regionalDomainName, domainName.regionalHostedZoneId);
  const hostedZone = HostedZone.fromHostedZoneAttributes(scope, 'Zone', { zoneName: zone.name, hostedZoneId: zone.id });
  const record = { zone: hostedZone, recordName: name, target: RecordTarget.fromAlias(target) };
  new ARecord(scope, 'AddressRecord', record);
  new AaaaRecord(scope, 'Ipv6AddressRecord', record);
  return domainName;
}
