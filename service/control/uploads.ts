// Deployments that owners upload themselves.

import { beginUpload, cancelUpload, publishUpload, uploadTargets } from '../../core/projects/uploads.ts';
import { refused } from '../../core/refusal.ts';
import { type Answerer, ok } from './answer.ts';
import type { ControlPorts, OwnedLookups } from './context.ts';
import { CONTROL_OPERATIONS, CONTROL_PREFIX, DEPLOY_PREFIX } from './operations.ts';
import { deploymentView, uploadView } from './views.ts';

/** The handlers for uploads. */
export function uploadHandlers(answer: Answerer, ports: ControlPorts, owned: OwnedLookups) {
  const { projects, randomBytes } = ports;
  return {
    beginUpload: answer(CONTROL_OPERATIONS.beginUpload, async (asked) => {
      const found = await owned.project(asked);
      if (!found.ok) return found;
      const begun = await beginUpload(ports, found.project, asked.body.files, randomBytes, asked.now);
      return begun.ok ? ok(uploadView(begun.upload)) : begun;
    }),

    listUploadTargets: answer(CONTROL_OPERATIONS.listUploadTargets, async (asked) => {
      const found = await owned.project(asked);
      if (!found.ok) return found;
      const deployment = { projectId: found.project.id, id: asked.parameters.deploymentId ?? '' };
      const listed = await uploadTargets(ports, deployment, asked.query.after);
      if (!listed.ok) return listed;
      const { items, next } = listed.page;
      const prefix = asked.caller.deploysTo === undefined ? CONTROL_PREFIX : DEPLOY_PREFIX;
      return ok({
        targets: items.map((target) => ({ ...target, url: target.url.startsWith('/') ? `${prefix}${target.url}` : target.url })),
        next: next ?? null,
      });
    }),

    cancelUpload: answer(CONTROL_OPERATIONS.cancelUpload, async (asked) => {
      const found = await owned.project(asked);
      if (!found.ok) return found;
      const canceled = await cancelUpload(ports, { projectId: found.project.id, id: asked.parameters.deploymentId ?? '' }, asked.now);
      return canceled.ok ? ok({ done: true as const }) : canceled;
    }),

    publishUpload: answer(CONTROL_OPERATIONS.publishUpload, async (asked) => {
      const found = await owned.project(asked);
      if (!found.ok) return found;
      const { deploymentId = '' } = asked.parameters;
      const published = await publishUpload(ports, found.project, deploymentId, asked.now);
      if (!published.ok) return published;
      const deployment = await projects.getDeployment({ projectId: found.project.id, id: deploymentId });
      return deployment === undefined
        ? refused('conflict', `deployment ${deploymentId} was published, but the project was deleted meanwhile`)
        : ok(deploymentView(deployment, published.project));
    }),
  };
}
