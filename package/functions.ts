// `petstore-platform/functions`: the Lambda functions' bundles, and the catalogue's handler for functions with other stores.

import '../platforms/node-version.ts';

export { BUNDLES_FOLDER, bundleFolder, FUNCTION_NAMES, type FunctionName } from '../functions/bundle/bundles.ts';
export { type CatalogueDependencies, createCatalogue } from '../service/catalogue/create-catalogue.ts';
