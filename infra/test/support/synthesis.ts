// Synthesizes the stages in memory: with the flags from cdk.json and without bundling, so that templates take milliseconds and asset keys are
// stable.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type App, Stack } from 'aws-cdk-lib';
import { BUNDLING_STACKS } from 'aws-cdk-lib/cx-api';
import { createCheckedApp } from '../../checked-app.ts';
import { PetstorePlatform } from '../../petstore-platform.ts';
import { readStages } from '../../stages.ts';
import { MUTATION_VARIABLE, type Mutation, mutated } from '../mutants/mutation.ts';

const { context } = JSON.parse(readFileSync(join(import.meta.dirname, '../../../cdk.json'), 'utf8')) as { context: Record<string, unknown> };

/** The edges of both stages; only production's has a known zone. */
export const EDGES = { STAGING_EDGE_NAME: 'edge.shop.dev', PRODUCTION_EDGE_NAME: 'edge.petshop.dev', PRODUCTION_EDGE_ZONE: 'petshop.dev:Z123' };

/** An application without stages. @param outdir output folder of `app.synth()` */
export function makeApp(outdir: string): App {
  return createCheckedApp({ outdir, context: { ...context, [BUNDLING_STACKS]: [] } });
}

/** The stages for these settings. @param wanted names of stages; staging and production if empty */
export function makeStages(app: App, environment: Readonly<Record<string, string>>, wanted: readonly string[] = []): PetstorePlatform[] {
  const read = readStages(environment, wanted);
  if (!read.ok) throw new Error(read.problems.join('\n'));
  const stages = read.stages.map((stage) => new PetstorePlatform(app, stage.name, stage));
  const mutation = process.env[MUTATION_VARIABLE];
  if (mutation !== undefined) for (const stage of stages) mutate(stage, JSON.parse(mutation));
  return stages;
}

/** Adds a fault to a stage's templates, for a run that shows whether a test sees it. */
function mutate(stage: PetstorePlatform, mutation: Mutation): void {
  const stack = stage.node.children.filter(Stack.isStack).find(({ node }) => node.id === mutation.stack);
  if (stack === undefined) return;
  const rendering = stack as unknown as { _toCloudFormation(): object };
  const template = rendering._toCloudFormation.bind(stack);
  rendering._toCloudFormation = () => mutated(template(), mutation);
}
