// Runs the contract suites on both edges, and on their maps alone.

import { test } from 'vitest';
import { edgeContract } from '../../../testing/edge.ts';
import { edgeMapContract } from '../../../testing/edge-map.ts';
import { makeAwsWorld, startEmbeddedWorld } from '../../support/edge-worlds.ts';

edgeContract(test, startEmbeddedWorld, { name: 'embedded' });
edgeMapContract(test, startEmbeddedWorld, { name: 'embedded, with its edge', declares: ['projects', 'bytes'] });
edgeMapContract(test, async () => (await startEmbeddedWorld()).asMap, { name: 'SQLite', declares: ['projects', 'bytes'] });

edgeContract(test, makeAwsWorld, { name: 'CloudFront' });
edgeMapContract(test, makeAwsWorld, { name: 'CloudFront, with its edge', declares: ['bytes'] });
edgeMapContract(test, async () => (await makeAwsWorld()).asMap, { name: 'KeyValueStore' });
edgeMapContract(test, async () => (await makeAwsWorld('edge.test')).asMap, { name: 'KeyValueStore, with targets' });
