// Writes client/generated.ts from the OpenAPI document: `npm run generate`. A test holds the file and the document equal.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript';
import ts from 'typescript';
import { openApiDocument } from '../core/http/openapi.ts';

export const GENERATED_FILE = join(import.meta.dirname, 'generated.ts');

const HEAD = '// Generated from the OpenAPI document by client/generate.ts. Do not edit: run `npm run generate`.\n\n';

/** The types of the document. An int64 that may exceed 2^53 is a bigint. */
export async function generateTypes(): Promise<string> {
  const nodes = await openapiTS(openApiDocument() as unknown as OpenAPI3, {
    alphabetize: true,
    defaultNonNullable: false,
    transform: (schema) =>
      schema.format === 'int64' && !('maximum' in schema) ? ts.factory.createKeywordTypeNode(ts.SyntaxKind.BigIntKeyword) : undefined,
  });
  return HEAD + astToString(nodes);
}

if (import.meta.main) writeFileSync(GENERATED_FILE, await generateTypes());
