// A stage without a catalogue: a gate, or custom domains on their own.

import { describe, expect, test } from 'vitest';
import { createDynamoDbClients } from '../../adapters/store/dynamodb/calls.ts';
import { createStageStores } from '../../platforms/aws/stage-stores.ts';
import { PlatformError } from '../../platforms/platform.ts';

describe('a stage without a catalogue', () => {
  const { pets } = createStageStores(createDynamoDbClients({ region: 'eu-central-1' }), { usage: 'usage', control: 'control', pets: undefined });

  test.each([
    ['list', () => pets.list({ after: 0, status: undefined, limit: 1 })],
    ['get', () => pets.get(1)],
    ['createAll', () => pets.createAll([], 0)],
  ])('says so when its animals are needed: %s', async (_, use) => {
    const error = await use().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(PlatformError);
    expect(String(error)).toContain('this stage has no catalogue');
  });
});
