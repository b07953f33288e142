// Tokens with which pipelines publish a project's files.

import * as z from 'zod';
import { createDeployToken, MAX_TOKEN_LIFETIME_DAYS, revokeDeployToken } from '../../../core/access/deploy-tokens.ts';
import type { ControlPorts } from '../context.ts';
import * as example from '../examples.ts';
import { answer, doneOr, type Implementations, ok, type ResourceRows, resource } from '../operation.ts';
import { name, REPORTS_NOTHING, time, userId, wholeNumber } from '../shapes.ts';
import { deployTokenView } from '../views.ts';

const deployToken = z
  .object({
    tokenId: z.string().meta({ description: 'Id of the token, not the token itself' }),
    name: z.string(),
    state: z.enum(['active', 'expired']),
    createdBy: userId,
    createdAt: time,
    expiresAt: time,
    lastUsedAt: time.nullable().describe('To the minute; null if it has not been used'),
  })
  .meta({ id: 'DeployToken', description: "A token with which a pipeline publishes a project's files, without its text." });
const issuedDeployToken = deployToken
  .extend({ token: z.string().meta({ description: 'The token itself; shown only once' }) })
  .meta({ id: 'IssuedDeployToken', description: 'A new deploy token.' });
const TOKEN_LIFETIME_ALLOWED = `a whole number of days from 1 to ${MAX_TOKEN_LIFETIME_DAYS}`;
const deployTokenInput = z
  .strictObject({
    name,
    expiresInDays: wholeNumber(TOKEN_LIFETIME_ALLOWED, 1, MAX_TOKEN_LIFETIME_DAYS).default(90).describe('How long the token works'),
  })
  .meta({ id: 'DeployTokenInput' });

const deployTokenExample = {
  tokenId: example.tokenId,
  name: 'CI',
  state: 'active',
  createdBy: example.userId,
  createdAt: example.monday,
  expiresAt: '2026-05-31T09:00:00.000Z',
  lastUsedAt: example.tuesday,
} as const;

export const DEPLOY_TOKEN_OPERATIONS = resource('projects', {
  listDeployTokens: {
    route: 'GET /projects/{projectId}/deploy-tokens',
    summary: 'Deploy tokens, without their texts.',
    description: 'Oldest first. An expired token is listed for 30 days at least.',
    response: 'The tokens, without their texts.',
    result: z.array(deployToken),
    example: { response: [deployTokenExample] },
  },
  createDeployToken: {
    route: 'POST /projects/{projectId}/deploy-tokens',
    summary: 'Creates a deploy token; its text is only in this response.',
    description:
      "A pipeline sends the token as a bearer token to the paths below `/deploy/v1/`: there it can publish the project's files, list deployments and make an earlier one current, and nothing else. A project has up to 10 tokens; at the limit, returns 409.",
    response: 'The new token; its text is shown only here.',
    needsRecentSignIn: true,
    creates: true,
    body: deployTokenInput,
    result: issuedDeployToken,
    example: {
      body: { name: 'CI', expiresInDays: 90 },
      response: { ...deployTokenExample, lastUsedAt: null, token: 'petstore_deploy_x7Rb2Lq9VdT0kWm4Jr8NcYp2Gs6Hf1Ab5Ev3Xz1D2zFwQy' },
    },
  },
  revokeDeployToken: {
    route: 'DELETE /projects/{projectId}/deploy-tokens/{tokenId}',
    summary: 'Revokes a deploy token at once.',
    description: "The token is refused from now on. This can't be undone.",
    response: 'The token is revoked.',
    ...REPORTS_NOTHING,
  },
} as const satisfies ResourceRows);

/** Implements the operations on deploy tokens. */
export function deployTokenHandlers({ deployTokens, randomBytes }: ControlPorts): Implementations<typeof DEPLOY_TOKEN_OPERATIONS> {
  return {
    listDeployTokens: async ({ project, now }) => ok((await deployTokens.listTokens(project.id)).map((token) => deployTokenView(token, now))),

    createDeployToken: async ({ project, caller, body, now }) => {
      const request = { projectId: project.id, name: body.name, createdBy: caller.id, lifetimeDays: body.expiresInDays, now };
      return answer(await createDeployToken(deployTokens, randomBytes, request), (created) => ({
        ...deployTokenView(created.record, now),
        token: created.token,
      }));
    },

    revokeDeployToken: async ({ project, parameters: { tokenId } }) => doneOr(await revokeDeployToken(deployTokens, project.id, tokenId)),
  };
}
