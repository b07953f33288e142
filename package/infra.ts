// The public constructs: `petstore-platform/infra`.

import '../platforms/node-version.ts';

export { Catalogue, type CatalogueProps } from '../infra/constructs/catalogue.ts';
export type { AccessTables, AnyTable, Tables } from '../infra/constructs/catalogue-tables.ts';
export { CustomDomains, type CustomDomainsProps } from '../infra/constructs/custom-domains.ts';
export { KeyedApi, type KeyedApiProps } from '../infra/constructs/keyed-api.ts';
export { KeyedApiTarget, type TargetFunction, type UrlTargetProps } from '../infra/constructs/keyed-api-target.ts';
export type { MailSender } from '../infra/constructs/notifier-function.ts';
export type { ApiDomainProps, PublicApiProps } from '../infra/constructs/public-api-props.ts';
export type { PlatformDomainsProps, Throttle, ZoneProps } from '../infra/constructs/service-props.ts';
export { PetstorePlatform } from '../infra/petstore-platform.ts';
export type { PetstorePlatformProps, PlatformPipelineProps, PlatformSignInProps } from '../infra/platform-props.ts';
