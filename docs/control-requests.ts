// A curl command for each operation of the control API, from its table and its examples.

import { QUERY_EXAMPLES } from '../service/control/examples.ts';
import { CONTROL_TAGS, type ControlRow } from '../service/control/operation.ts';
import { CONTROL_OPERATIONS } from '../service/control/operations.ts';

const OPERATIONS = Object.entries<ControlRow>(CONTROL_OPERATIONS);

/** Fields of request and response bodies with values that differ between installations, and the variables that replace them. */
const VARIABLES: Readonly<Record<string, string>> = { deploymentId: 'DEPLOYMENT_ID', sessionId: 'SESSION_ID', token: 'INVITATION_TOKEN' };

/** The commands, by tag. */
export function controlRequests(): string {
  const sections = Object.keys(CONTROL_TAGS).map((tag) => {
    const operations = OPERATIONS.filter(([, row]) => row.tag === tag);
    const parts = operations.map(([id, row]) => `\`${id}\`: ${row.summary}\n\n\`\`\`sh\n${command(row)}\n\`\`\`\n`);
    return `## ${tag.charAt(0).toUpperCase()}${tag.slice(1)}\n\n${parts.join('\n')}`;
  });
  return `\n${sections.join('\n')}\n`;
}

function command({ method, path, query, example, open = false, creates = false }: ControlRow): string {
  const url = `$API${path.replace(/\{(\w+)\}/g, (_, name: string) => `$${variable(name)}`)}`;
  const required = Object.entries(query?.shape ?? {}).filter(([, schema]) => !schema.safeParse(undefined).success);
  const lines = [
    ['curl -sS --fail-with-body', ...(method === 'GET' ? [] : [`-X ${method}`]), `"${url}"`, ...(open ? [] : ['-H "Authorization: Bearer $TOKEN"'])],
    creates ? ['-H "Idempotency-Key: $(openssl rand -hex 16)"'] : [],
    example.body === undefined ? [] : ["-H 'Content-Type: application/json'", `-d ${quoted(example.body as object)}`],
    required.length === 0 ? [] : ['-G', ...required.map(([name]) => `--data-urlencode '${name}=${QUERY_EXAMPLES[name]}'`)],
  ];
  return lines
    .filter((words) => words.length > 0)
    .map((words) => words.join(' '))
    .join(' \\\n  ');
}

/** `projectId` is PROJECT_ID. */
function variable(parameter: string): string {
  return parameter.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
}

/** JSON as one word for a shell: in single quotes, or in double quotes if there are variables in it. */
function quoted(body: object): string {
  const members = Object.entries(body).map(([name, value]) => [name, name in VARIABLES ? `$${VARIABLES[name]}` : value]);
  const json = JSON.stringify(Object.fromEntries(members));
  return Object.keys(body).some((name) => name in VARIABLES) ? `"${json.replace(/["\\`]/g, '\\$&')}"` : `'${json.replaceAll("'", "'\\''")}'`;
}
