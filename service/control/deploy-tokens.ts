// Tokens with which pipelines publish a project's files.

import { createDeployToken, revokeDeployToken } from '../../core/access/deploy-tokens.ts';
import { type Answerer, ok } from './answer.ts';
import type { ControlPorts, OwnedLookups } from './context.ts';
import { CONTROL_OPERATIONS } from './operations.ts';
import { deployTokenView } from './views.ts';

/** The handlers for deploy tokens. */
export function deployTokenHandlers(answer: Answerer, { deployTokens, randomBytes }: ControlPorts, owned: OwnedLookups) {
  return {
    listDeployTokens: answer(CONTROL_OPERATIONS.listDeployTokens, async (asked) => {
      const found = await owned.project(asked);
      if (!found.ok) return found;
      return ok((await deployTokens.listTokens(found.project.id)).map((token) => deployTokenView(token, asked.now)));
    }),

    createDeployToken: answer(CONTROL_OPERATIONS.createDeployToken, async (asked) => {
      const found = await owned.project(asked);
      if (!found.ok) return found;
      const { caller, body, now } = asked;
      const request = { projectId: found.project.id, name: body.name, createdBy: caller.id, lifetimeDays: body.expiresInDays, now };
      const created = await createDeployToken(deployTokens, randomBytes, request);
      return created.ok ? ok({ ...deployTokenView(created.record, now), token: created.token }) : created;
    }),

    revokeDeployToken: answer(CONTROL_OPERATIONS.revokeDeployToken, async (asked) => {
      const found = await owned.project(asked);
      if (!found.ok) return found;
      const revoked = await revokeDeployToken(deployTokens, found.project.id, asked.parameters.tokenId ?? '');
      return revoked.ok ? ok({ done: true as const }) : revoked;
    }),
  };
}
