// Generates the clients' types from the OpenAPI documents: `npm run generate`. A test checks that the files are up to date.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript';
import ts from 'typescript';
import { openApiDocument } from '../service/catalogue/openapi.ts';
import { controlOpenApi } from '../service/control/openapi.ts';

/** The generated files and their documents: the catalogue API's client, and the dashboard. */
export const GENERATED: readonly { readonly file: string; readonly document: () => object }[] = [
  { file: join(import.meta.dirname, 'generated.ts'), document: openApiDocument },
  { file: join(import.meta.dirname, '../dashboard/src/generated.ts'), document: controlOpenApi },
];

const HEAD = '// Generated from the OpenAPI document by client/generate.ts. Do not edit: run `npm run generate`.\n\n';

/** Generates a document's types, and the names of members that are bigints: int64 values that may exceed 2^53. */
export async function generateTypes(document: object): Promise<string> {
  const bigints = new Set<string>();
  const nodes = await openapiTS(document as OpenAPI3, {
    alphabetize: true,
    defaultNonNullable: false,
    transform: (schema, { path = '' }) => {
      if (schema.format !== 'int64' || 'maximum' in schema) return undefined;
      bigints.add(path.slice(path.lastIndexOf('/') + 1));
      return ts.factory.createKeywordTypeNode(ts.SyntaxKind.BigIntKeyword);
    },
  });
  const names = [...bigints].toSorted().map((name) => JSON.stringify(name));
  const list =
    names.length === 0
      ? ''
      : `\n/** Members that are bigints. */\nexport const BIGINT_MEMBERS: ReadonlySet<string> = new Set([${names.join(', ')}]);\n`;
  return HEAD + astToString(nodes) + list;
}

if (import.meta.main) for (const { file, document } of GENERATED) writeFileSync(file, await generateTypes(document()));
