// Projects, and their configuration.

import * as z from 'zod';
import { configurationSchema } from '../../../core/domains/configuration.ts';
import { REDIRECT_STATUSES } from '../../../core/domains/redirects.ts';
import { pageByAge } from '../../../core/page.ts';
import { configureProject, createProject, deleteProject, renameProject } from '../../../core/projects/actions.ts';
import type { Project } from '../../../core/projects/project.ts';
import type { SitePorts } from '../context.ts';
import * as example from '../examples.ts';
import { answer, doneOr, type Implementations, ok, okPage, type ResourceRows, resource } from '../operation.ts';
import { host, name, pageQuery, project, REPORTS_NOTHING } from '../shapes.ts';
import { configurationView, projectViewWithUrl } from '../views.ts';

const configuration = z
  .object({
    domains: z.object({
      primary: host.optional().describe('The main domain of the project'),
      redirects: z.array(z.object({ from: host, to: host, status: z.literal(REDIRECT_STATUSES) })),
    }),
    logs: z
      .object({ access: z.literal(true).describe("Visits are in the operator's access log, with the visitors' addresses; always true") })
      .optional()
      .describe('What is recorded about visitors; nothing if omitted'),
  })
  .meta({ id: 'ProjectConfiguration', description: "The project's primary domain, its redirects, and what is recorded about visitors" });
/** Only for the OpenAPI document, because the rules for a configuration go beyond its shape. Derived only when the document is generated. */
const configurationJson = () => z.toJSONSchema(configurationSchema, { io: 'input', target: 'draft-2020-12' });
const configurationInput = z.unknown().meta({
  id: 'ProjectConfigurationInput',
  get type() {
    return configurationJson().type;
  },
  get properties() {
    return configurationJson().properties;
  },
  get required() {
    return configurationJson().required;
  },
  get additionalProperties() {
    return configurationJson().additionalProperties;
  },
});
const projectInput = z.strictObject({ name }).meta({ id: 'ProjectInput' });

const configurationExample = { domains: { primary: example.host, redirects: [{ from: example.apex, to: example.host, status: 301 as const }] } };

export const PROJECT_OPERATIONS = resource('projects', {
  listProjects: {
    route: 'GET /accounts/{accountId}/projects',
    summary: 'Projects, oldest first.',
    description: "The account's projects, oldest first.",
    response: 'The projects.',
    query: pageQuery,
    paged: true,
    result: z.array(project),
    example: { response: [example.project] },
  },
  createProject: {
    route: 'POST /accounts/{accountId}/projects',
    summary: 'Creates a project, which serves the API reference until its first deployment.',
    description: 'Publish its files with an upload. The plan limits the number of projects; at the limit, returns 409.',
    response: 'The new project.',
    creates: true,
    body: projectInput,
    result: project,
    example: { body: { name: 'Shop' }, response: example.project },
  },
  getProject: {
    route: 'GET /projects/{projectId}',
    summary: 'A project.',
    description: 'A project, with the target that its domains point to.',
    response: 'The project.',
    deploys: true,
    result: project,
    example: { response: example.project },
  },
  renameProject: {
    route: 'PUT /projects/{projectId}',
    summary: "Changes a project's display name.",
    description: 'Only the name changes; the id and the target stay.',
    response: 'The project.',
    body: projectInput,
    result: project,
    example: { body: { name: 'Shop' }, response: example.project },
  },
  deleteProject: {
    route: 'DELETE /projects/{projectId}',
    summary: 'Deletes a project without domains, and its deployments.',
    description: 'Its deployments are deleted with it. While it has domains, returns 409: remove them first.',
    response: 'The project is deleted.',
    errors: ['conflict'],
    role: 'owner',
    ...REPORTS_NOTHING,
  },
  getConfiguration: {
    route: 'GET /projects/{projectId}/configuration',
    summary: 'The primary domain and the redirects.',
    description: "The project's primary domain and its redirects.",
    response: 'The configuration.',
    result: configuration,
    example: { response: configurationExample },
  },
  putConfiguration: {
    route: 'PUT /projects/{projectId}/configuration',
    summary: 'Replaces the configuration.',
    description:
      'All names must be domains of the project; the primary domain and all redirect targets must be live. Redirects must not form a loop. An invalid configuration is refused as a whole with 400; the message has a line for each fault, with its path, such as `domains.redirects[0].to`.',
    response: 'The stored configuration.',
    body: configurationInput,
    result: configuration,
    example: { body: configurationExample, response: configurationExample },
  },
} as const satisfies ResourceRows);

/** Implements the operations on projects. */
export function projectHandlers(ports: SitePorts): Implementations<typeof PROJECT_OPERATIONS> {
  const { projects, rules, randomBytes, httpsPort } = ports;
  const viewOf = (project: Project) => projectViewWithUrl(project, rules, httpsPort);
  return {
    listProjects: async ({ account, query }) => okPage(pageByAge(await projects.listProjects(account.id), 'oldest first', query), viewOf),

    createProject: async ({ account, body: { name }, now }) => {
      // This import loads all of the catalogue's schemas, which no other operation needs.
      const { placeholderSite } = await import('../../catalogue/placeholder-site.ts');
      return answer(await createProject(ports, { accountId: account.id, name }, randomBytes, now, placeholderSite), (made) => viewOf(made.project));
    },

    getProject: async ({ project }) => ok(viewOf(project)),

    renameProject: async ({ project, body, precondition }) =>
      answer(await renameProject(ports, project, body.name, precondition && project), (renamed) => viewOf(renamed.project)),

    deleteProject: async ({ project, now, precondition }) => doneOr(await deleteProject(ports, project, now, precondition && project)),

    getConfiguration: async ({ project }) => ok(configurationView(project)),

    putConfiguration: async ({ project, body, precondition }) =>
      answer(await configureProject(ports, project.id, body, rules.policy, precondition && project), (configured) =>
        configurationView(configured.project),
      ),
  };
}
