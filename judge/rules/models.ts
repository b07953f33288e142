// The service models in models/, which generate.py extracts from botocore.

import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { ServiceModel } from './service-model.ts';

const FOLDER = join(import.meta.dirname, 'models');

/** The models by botocore's name for the service. */
export const MODELS: ReadonlyMap<string, ServiceModel> = new Map(
  globSync(join(FOLDER, '*.json')).map((file) => [basename(file, '.json'), read(file)]),
);

/** The model of an SDK client's service, with its name. @param serviceId such as `Route 53` @throws Error if models/ has none */
export function modelOf(serviceId: string): readonly [service: string, model: ServiceModel] {
  const found = [...MODELS].find(([, { metadata }]) => metadata.serviceId === serviceId);
  if (found === undefined) throw new Error(`no model of ${serviceId} in ${FOLDER}; generate.py adds one`);
  return found;
}

function read(file: string): ServiceModel {
  return JSON.parse(readFileSync(file, 'utf8'));
}
