// Moves a name from another distribution in the AWS account to a stage.

import { ACMClient } from '@aws-sdk/client-acm';
import { CloudFrontClient } from '@aws-sdk/client-cloudfront';
import { createTenants } from '../../adapters/edge/cloudfront.ts';
import { moveName } from '../../adapters/edge/name-move.ts';
import { verifyDomain } from '../../core/domains/actions.ts';
import type { Domain } from '../../core/domains/domain.ts';
import { publicationOf } from '../../core/domains/publication.ts';
import { isProved, isServed } from '../../core/domains/states.ts';
import { PlatformError } from '../platform.ts';
import { CLOUDFRONT } from './platform.ts';
import type { StageName } from './stage-name.ts';
import { openStagePlatform } from './stage-platform.ts';
import { readParameters } from './stage-stores.ts';

/**
 * Moves a name to its domain's tenant, and lets the domain's workflow continue. Can be repeated. @throws PlatformError if the name can't be moved
 * @param certificateArn a certificate for the name and another one, which becomes the placeholder @param report receives each step
 */
export async function moveNameToStage(stage: StageName, host: string, certificateArn: string, report: (line: string) => void): Promise<void> {
  const parameters = await readParameters(stage, 'edge');
  const [distributionId, connectionGroup, tag] = [parameters.get('distribution'), parameters.get('connection-group'), parameters.get('tag')];
  if (distributionId === undefined || connectionGroup === undefined || tag === undefined)
    throw new PlatformError(`--stage ${stage}: no SSM parameters of its distribution; first deploy the stage with this release and custom domains`);
  const platform = await openStagePlatform(stage, () => ({ kind: 'operator' }));
  const cloudFront = new CloudFrontClient(CLOUDFRONT);
  const acm = new ACMClient(CLOUDFRONT);
  try {
    const domain = movable(host, await platform.domains.claimsOf(host));
    const tenants = createTenants(cloudFront, { distributionId, connectionGroup, stage: tag });
    const current = () => publicationOf(platform, domain.projectId);
    await moveName({ cloudFront, acm, tenants, map: platform.edge }, { domain, certificateArn, current }, report);
    const verified = await verifyDomain(platform, domain, Date.now());
    report(verified.ok ? `${host}: the domain's workflow continues` : `${host}: ${verified.message}; continue with: petstore domains verify ${host}`);
  } catch (error) {
    if (error instanceof PlatformError || !(error instanceof Error)) throw error;
    throw new PlatformError(`${error.name === 'NameNotMovable' ? '' : `${error.name}: `}${error.message}`, { cause: error });
  } finally {
    await platform.close();
    cloudFront.destroy();
    acm.destroy();
  }
}

/** Returns the domain that may receive the name. @throws PlatformError if no owner has proved control of the name, or it is already served here */
function movable(host: string, claims: readonly Domain[]): Domain {
  const domain = claims.find(({ state }) => isProved(state));
  if (domain === undefined) throw new PlatformError(`${host}: no project has proved control of it; its owner must add and verify it first`);
  if (isServed(domain.state)) throw new PlatformError(`${host} is already served here`);
  return domain;
}
