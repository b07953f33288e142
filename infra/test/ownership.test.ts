// What shows to which stage a resource belongs, in an account with several: its names and its tags.

import { afterAll, describe, expect, test } from 'vitest';
import { makeFolder } from '../../test/support/folders.ts';
import { everySetting, THREE_STAGES } from '../../test/support/stage-settings.ts';
import { deployedStage } from './support/deployed-templates.ts';
import { makeApp, makeStages } from './support/synthesis.ts';

const folder = makeFolder();
afterAll(() => folder.remove());

// biome-ignore lint/suspicious/noExplicitAny: properties of any resource
type Json = any;

const stages = makeStages(makeApp(folder.path), everySetting(THREE_STAGES), THREE_STAGES).map((stage) => {
  const resolved = deployedStage(stage);
  return [stage.stageName, resolved.types().flatMap((type) => resolved.resources(type).map((each) => ({ ...each, type })))] as const;
});

function* textsIn(value: Json, path: string): Generator<readonly [path: string, text: string]> {
  if (typeof value === 'string') yield [path, value];
  else if (value !== null && typeof value === 'object') for (const [key, each] of Object.entries(value)) yield* textsIn(each, `${path}.${key}`);
}

describe.each(stages)('%s', (name, resources) => {
  // The second stage with a name could not be deployed, or would change what belongs to the first one.
  test('every name that begins like the service goes on with the stage', () => {
    const names = resources.flatMap(({ id, properties }) => [...textsIn(properties, id)]).filter(([path]) => /Name$/.test(path));
    const ours = names.filter(([, text]) => text.startsWith('petstore-'));
    expect(ours.length).toBeGreaterThan(40);
    expect(ours.filter(([, text]) => !`${text}-`.startsWith(`petstore-${name}-`))).toEqual([]);
  });

  // The budget, and whoever looks for costs, count what has them.
  test('whatever has tags has those of the service and of the stage', () => {
    const tagged = resources.flatMap(({ id, properties: { Tags, ResourceTags, UserPoolTags, Replicas = [] } }) =>
      [Tags, ResourceTags, UserPoolTags, ...Replicas.map((replica: Json) => replica.Tags)]
        .filter((tags) => tags !== undefined)
        .map((tags: Json) => [id, Array.isArray(tags) ? Object.fromEntries(tags.map(({ Key, Value }) => [Key, Value])) : tags] as const),
    );
    expect(tagged.length).toBeGreaterThan(60);
    for (const [id, tags] of tagged) expect(tags, id).toMatchObject({ service: 'petstore', stage: name });
  });
});
