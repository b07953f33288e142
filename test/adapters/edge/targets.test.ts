// Projects' own addresses on AWS: a project's target is in the edge map like a domain, and the same function serves it.

import { expect, test } from 'vitest';
import { projectTarget } from '../../../core/domains/records.ts';
import { currentOf, nextNumber, sampleProject } from '../../../testing/projects.ts';
import { allPages } from '../../../testing/suite.ts';
import { makeAwsWorld } from '../../support/edge-worlds.ts';

const EDGE = 'edge.test';
const NOTHING = async () => undefined;

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
  await map.publish(project, currentOf({ ...project, currentDeploymentId: undefined }));
  expect(await answer()).toEqual({ kind: 'nothing_published' });
  await map.publish(project, currentOf(project));
  expect(await answer()).toEqual(page);
  expect(await allPages(map.entries)).toEqual(
    expect.arrayContaining([
      { host: target, projectId: project.id, isTarget: true },
      { host: undefined, projectId: project.id, content: { deploymentId: project.currentDeploymentId } },
    ]),
  );
  await map.publish(project, NOTHING);
  expect(await answer()).toEqual({ kind: 'refused' });
  expect(await allPages(map.entries)).toEqual([]);
});

test('a redirect of the project never concerns its target', async () => {
  const { map, serve, project, target, answer, page } = await makeWorld(EDGE);
  await serve({ id: 'dom_1', host: 'www.shop.test', projectId: project.id }, currentOf(project, ['www.shop.test']));
  const redirects = [{ from: 'shop.test', to: 'www.shop.test', status: 301 as const }];
  await map.publish(project, currentOf({ ...project, configuration: { domains: { redirects } } }, ['www.shop.test']));
  expect(await answer()).toEqual(page);
  await map.publish({ id: 'prj_other' }, NOTHING, [target]);
  expect(await answer()).toEqual(page);
});

test('without the setting, no target is served', async () => {
  const { map, project, answer } = await makeWorld();
  await map.publish(project, currentOf(project));
  expect(await answer()).toEqual({ kind: 'refused' });
});
