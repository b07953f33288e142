// Projects' own addresses on AWS: a project's target is in the edge map like a domain, and the same function serves it.

import { expect, test } from 'vitest';
import { projectTarget } from '../../../core/domains/project-target.ts';
import { allPages } from '../../../testing/pages.ts';
import { nextNumber, sampleProject } from '../../../testing/projects.ts';
import { makeAwsWorld } from '../../support/edge-worlds.ts';

const EDGE = 'edge.test';

async function makeWorld(targetsBelow?: string) {
  const { map, ask, serve } = (await makeAwsWorld(targetsBelow)).asMap;
  const project = sampleProject({ currentDeploymentId: `dpl_${nextNumber()}` });
  const target = projectTarget(project.token, EDGE);
  const answer = async () => (await ask([target]))[0];
  const page = { kind: 'page', projectId: project.id, deploymentId: project.currentDeploymentId };
  return { map, serve, project, target, answer, page };
}

test('a project is served at its target from its first deployment on, without a domain, until it is deleted', async () => {
  const { map, project, target, answer, page } = await makeWorld(EDGE);
  expect(await answer()).toEqual({ kind: 'refused' });
  await map.publish({ ...project, currentDeploymentId: undefined }, []);
  expect(await answer()).toEqual({ kind: 'nothing_published' });
  await map.publish(project, []);
  expect(await answer()).toEqual(page);
  expect(await allPages(map.entries)).toEqual(
    expect.arrayContaining([
      { host: target, projectId: project.id, isTarget: true },
      { host: undefined, projectId: project.id },
    ]),
  );
  await map.forget?.(project);
  expect(await answer()).toEqual({ kind: 'refused' });
  expect(await allPages(map.entries)).toEqual([]);
});

test('a redirect of the project never concerns its target', async () => {
  const { map, serve, project, target, answer, page } = await makeWorld(EDGE);
  await serve(project, 'www.shop.test');
  const redirects = [{ from: 'shop.test', to: 'www.shop.test', status: 301 as const }];
  await map.publish({ ...project, configuration: { domains: { redirects } } }, ['www.shop.test']);
  expect(await answer()).toEqual(page);
  await map.detach({ host: target, projectId: 'prj_other' });
  expect(await answer()).toEqual(page);
});

test('a project from before gets its target once, and nothing else is written', async () => {
  const { map, serve, project, answer, page } = await makeWorld(EDGE);
  await serve(project, 'www.shop.test');
  await map.detach({ host: projectTarget(project.token, EDGE), projectId: project.id });
  expect(await answer()).toEqual({ kind: 'refused' });
  await map.serveTarget?.(project);
  expect(await answer()).toEqual(page);
  const bytes = await map.bytes?.();
  await map.serveTarget?.(project);
  expect(await map.bytes?.()).toBe(bytes);
});

test('without the setting, no target is served', async () => {
  const { map, project, answer } = await makeWorld();
  await map.publish(project, []);
  await map.serveTarget?.(project);
  expect(await answer()).toEqual({ kind: 'refused' });
});
