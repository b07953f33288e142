// Projects, with their deployments and configuration.

import { pageByAge } from '../../core/list-page.ts';
import { configureProject, createProject, deleteDeployment, deleteProject, renameProject, rollBack } from '../../core/projects/actions.ts';
import type { Project } from '../../core/projects/project.ts';
import { pinDeployment, unpinDeployment } from '../../core/projects/retention.ts';
import { placeholderSite } from '../catalogue/placeholder-site.ts';
import { type Answerer, ok, okPage } from './answer.ts';
import type { ControlPorts, OwnedLookups } from './context.ts';
import { CONTROL_OPERATIONS } from './operations.ts';
import { configurationView, deploymentView, projectViewWithUrl } from './views.ts';

/** The handlers for projects, deployments and configurations. */
export function projectHandlers(answer: Answerer, ports: ControlPorts, owned: OwnedLookups) {
  const { projects, rules, randomBytes } = ports;
  const viewOf = (project: Project) => projectViewWithUrl(project, rules, ports.httpsPort);
  return {
    listProjects: answer(CONTROL_OPERATIONS.listProjects, async (asked) => {
      const found = await owned.account(asked);
      return found.ok ? okPage(pageByAge(await projects.listProjects(found.account.id), 'oldest first', asked.query), viewOf) : found;
    }),

    createProject: answer(CONTROL_OPERATIONS.createProject, async (asked) => {
      const found = await owned.account(asked);
      if (!found.ok) return found;
      const made = await createProject(ports, { accountId: found.account.id, name: asked.body.name }, randomBytes, asked.now, placeholderSite);
      return made.ok ? ok(viewOf(made.project)) : made;
    }),

    getProject: answer(CONTROL_OPERATIONS.getProject, async (asked) => {
      const found = await owned.project(asked);
      return found.ok ? ok(viewOf(found.project)) : found;
    }),

    renameProject: answer(CONTROL_OPERATIONS.renameProject, async (asked) => {
      const found = await owned.project(asked);
      if (!found.ok) return found;
      const changed = asked.precondition?.(viewOf(found.project));
      if (changed !== undefined) return changed;
      const renamed = await renameProject(ports, found.project, asked.body.name, asked.precondition && found.project);
      return renamed.ok ? ok(viewOf(renamed.project)) : renamed;
    }),

    deleteProject: answer(CONTROL_OPERATIONS.deleteProject, async (asked) => {
      const found = await owned.project(asked);
      if (!found.ok) return found;
      const changed = asked.precondition?.(viewOf(found.project));
      if (changed !== undefined) return changed;
      const deleted = await deleteProject(ports, found.project, asked.now, asked.precondition && found.project);
      return deleted.ok ? ok({ done: true as const }) : deleted;
    }),

    deleteDeployment: answer(CONTROL_OPERATIONS.deleteDeployment, async (asked) => {
      const found = await owned.project(asked);
      if (!found.ok) return found;
      const deleted = await deleteDeployment(ports, found.project, asked.parameters.deploymentId ?? '', asked.now);
      return deleted.ok ? ok({ done: true as const }) : deleted;
    }),

    listDeployments: answer(CONTROL_OPERATIONS.listDeployments, async (asked) => {
      const found = await owned.project(asked);
      if (!found.ok) return found;
      const page = pageByAge(await projects.listDeployments(found.project.id), 'newest first', asked.query);
      return okPage(page, (deployment) => deploymentView(deployment, found.project));
    }),

    rollBack: answer(CONTROL_OPERATIONS.rollBack, async (asked) => {
      const found = await owned.project(asked);
      if (!found.ok) return found;
      const back = await rollBack(ports, found.project, asked.body.deploymentId, asked.now);
      return back.ok ? ok(viewOf(back.project)) : back;
    }),

    pinDeployment: answer(CONTROL_OPERATIONS.pinDeployment, async (asked) => {
      const found = await owned.project(asked);
      if (!found.ok) return found;
      const pinned = await pinDeployment(ports, { projectId: found.project.id, id: asked.parameters.deploymentId ?? '' });
      return pinned.ok ? ok(deploymentView(pinned.deployment, found.project)) : pinned;
    }),

    unpinDeployment: answer(CONTROL_OPERATIONS.unpinDeployment, async (asked) => {
      const found = await owned.project(asked);
      if (!found.ok) return found;
      const unpinned = await unpinDeployment(ports, { projectId: found.project.id, id: asked.parameters.deploymentId ?? '' });
      return unpinned.ok ? ok(deploymentView(unpinned.deployment, found.project)) : unpinned;
    }),

    getConfiguration: answer(CONTROL_OPERATIONS.getConfiguration, async (asked) => {
      const found = await owned.project(asked);
      return found.ok ? ok(configurationView(found.project)) : found;
    }),

    putConfiguration: answer(CONTROL_OPERATIONS.putConfiguration, async (asked) => {
      const found = await owned.project(asked);
      if (!found.ok) return found;
      const changed = asked.precondition?.(configurationView(found.project));
      if (changed !== undefined) return changed;
      const configured = await configureProject(ports, found.project.id, asked.body, rules.policy, asked.precondition && found.project);
      return configured.ok ? ok(configurationView(configured.project)) : configured;
    }),
  };
}
