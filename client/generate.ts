// Generates the clients' types from the OpenAPI documents: `npm run generate`. A test checks that the files are up to date.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript';
import ts from 'typescript';
import { openApiDocument } from '../service/catalogue/openapi.ts';
import { controlOpenApi } from '../service/control/openapi.ts';
import { type ApiDocument, documentView } from './document-view.ts';
import { operationTable } from './operation-table.ts';

/** A generated file. */
export interface GeneratedFile {
  readonly file: string;
  readonly document: () => object;
  /** Whether the file has a table of the operations, for a client that has a method for each. */
  readonly table: boolean;
}

/** A file for each API's client; the dashboard also uses the control API's types. */
export const GENERATED: readonly GeneratedFile[] = [
  { file: join(import.meta.dirname, 'generated.ts'), document: openApiDocument, table: false },
  { file: join(import.meta.dirname, 'control-generated.ts'), document: controlOpenApi, table: true },
];

const HEAD = '// Generated from the OpenAPI document by client/generate.ts. Do not edit: run `npm run generate`.\n\n';

/**
 * Generates a document's types; for the catalogue, also the names of properties that are bigints (int64 values that may exceed 2^53); for the control
 * API, also its operations.
 *
 * @throws Error if the control API has such a property, because its client reads JSON with JSON.parse
 */
export async function generateTypes({ document, table }: GeneratedFile): Promise<string> {
  const bigints = new Set<string>();
  const whole = document() as ApiDocument;
  const nodes = await openapiTS(documentView(whole) as unknown as OpenAPI3, {
    alphabetize: true,
    defaultNonNullable: false,
    transform: (schema, { path = '' }) => {
      if (schema.format !== 'int64' || 'maximum' in schema) return undefined;
      bigints.add(path.slice(path.lastIndexOf('/') + 1));
      return ts.factory.createKeywordTypeNode(ts.SyntaxKind.BigIntKeyword);
    },
  });
  const names = [...bigints].toSorted().map((name) => JSON.stringify(name));
  if (table && names.length > 0) throw new Error(`int64 in the control API: ${names.join(', ')}`);
  const list = `\n/** Members that are bigints. */\nexport const BIGINT_MEMBERS: ReadonlySet<string> = new Set([${names.join(', ')}]);\n`;
  return HEAD + astToString(nodes) + (table ? operationTable(whole) : list);
}

if (import.meta.main) for (const each of GENERATED) writeFileSync(each.file, await generateTypes(each));
