// Writes the clients' types from the OpenAPI documents: `npm run generate`. A test holds files and documents equal.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript';
import ts from 'typescript';
import { openApiDocument } from '../service/catalogue/openapi.ts';
import { controlOpenApi } from '../service/control/openapi.ts';

/** Files and the documents that they are made from: the catalogue API's client, and the dashboard. */
export const GENERATED: readonly { readonly file: string; readonly document: () => object }[] = [
  { file: join(import.meta.dirname, 'generated.ts'), document: openApiDocument },
  { file: join(import.meta.dirname, '../dashboard/src/generated.ts'), document: controlOpenApi },
];

const HEAD = '// Generated from the OpenAPI document by client/generate.ts. Do not edit: run `npm run generate`.\n\n';

/** The types of a document. An int64 that may exceed 2^53 is a bigint. */
export async function generateTypes(document: object): Promise<string> {
  const nodes = await openapiTS(document as unknown as OpenAPI3, {
    alphabetize: true,
    defaultNonNullable: false,
    transform: (schema) =>
      schema.format === 'int64' && !('maximum' in schema) ? ts.factory.createKeywordTypeNode(ts.SyntaxKind.BigIntKeyword) : undefined,
  });
  return HEAD + astToString(nodes);
}

if (import.meta.main) for (const { file, document } of GENERATED) writeFileSync(file, await generateTypes(document()));
