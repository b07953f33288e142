// Runs the contract suites on both edges, and on their maps alone.

import { edgeContract } from '../../contracts/edge.ts';
import { edgeMapContract } from '../../contracts/edge-map.ts';
import { makeAwsWorld, startEmbeddedWorld } from '../../support/edge-worlds.ts';

edgeContract('embedded', startEmbeddedWorld);
edgeMapContract('embedded, with its edge', startEmbeddedWorld);
edgeMapContract('SQLite', async () => (await startEmbeddedWorld()).asMap);

edgeContract('CloudFront', makeAwsWorld);
edgeMapContract('CloudFront, with its edge', makeAwsWorld);
edgeMapContract('KeyValueStore', async () => (await makeAwsWorld()).asMap);
edgeMapContract('KeyValueStore, with targets', async () => (await makeAwsWorld('edge.test')).asMap);
