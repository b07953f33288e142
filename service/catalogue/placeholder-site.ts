// A new project's placeholder site: the catalogue API's reference, as two plain files.

import { openApiJson } from './openapi.ts';
import { CATALOGUE_PREFIX } from './operations.ts';

interface OperationObject {
  readonly summary: string;
  readonly description: string;
  readonly deprecated?: boolean;
  readonly parameters?: readonly { readonly name?: string; readonly in?: string; readonly description?: string; readonly required?: boolean }[];
  readonly responses: Readonly<Record<string, ResponseObject>>;
}

interface ResponseObject {
  readonly $ref?: string;
  readonly description?: string;
}

interface Document {
  readonly info: { readonly title: string; readonly version: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  readonly components: { readonly responses: Readonly<Record<string, ResponseObject>> };
}

/** File contents by name. */
export function placeholderSite(projectName: string): ReadonlyMap<string, string> {
  return new Map([
    ['index.html', page(projectName, JSON.parse(openApiJson()))],
    ['openapi.json', openApiJson()],
  ]);
}

function page(projectName: string, { info, paths, components }: Document): string {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => operation.responses !== undefined)
      .map(([method, operation]) => section(method, `${CATALOGUE_PREFIX}${path}`, operation, components.responses)),
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(projectName)}: ${escaped(info.title)}</title>
<style>
:root { color-scheme: light dark; }
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem; }
code { font-size: 1.05em; }
table { border-collapse: collapse; }
th, td { text-align: left; padding: .2rem 1rem .2rem 0; vertical-align: top; }
</style>
</head>
<body>
<h1>${escaped(projectName)}</h1>
<p>${escaped(info.title)} ${escaped(info.version)} (<a href="/openapi.json">OpenAPI document</a>). Your first deployment replaces this page.</p>
${operations.join('\n')}
</body>
</html>
`;
}

function section(
  method: string,
  path: string,
  { summary, description, deprecated, parameters = [], responses }: OperationObject,
  shared: Document['components']['responses'],
): string {
  const named = parameters.filter(({ name }) => name !== undefined);
  const rows = named.map(
    (parameter) =>
      `<tr><td><code>${escaped(parameter.name)}</code></td><td>${escaped(parameter.in)}</td><td>${escaped(parameter.description)}</td></tr>`,
  );
  const answers = Object.entries(responses).map(
    ([status, { $ref = '', description = shared[$ref.replace('#/components/responses/', '')]?.description }]) =>
      `<tr><td>${escaped(status)}</td><td>${escaped(description)}</td></tr>`,
  );
  return `<section>
<h2><code>${escaped(method.toUpperCase())} ${escaped(path)}</code>${deprecated ? ' (deprecated)' : ''}</h2>
<p><strong>${escaped(summary)}</strong> ${escaped(description)}</p>
${rows.length === 0 ? '' : `<table><tr><th>Parameter</th><th>In</th><th>Meaning</th></tr>${rows.join('')}</table>`}
<table><tr><th>Status</th><th>Meaning</th></tr>${answers.join('')}</table>
</section>`;
}

function escaped(text: string | undefined): string {
  return (text ?? '').replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');
}
