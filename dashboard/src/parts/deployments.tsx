// A project's deployments: roll back, pin, delete.

import { DEPLOYMENTS_KEPT } from '../../../core/publishing/kept-deployments.ts';
import { useApplication } from '../context.tsx';
import { usePages } from '../pages-of.ts';
import { useChange, useRequest } from '../queries.ts';
import { type Deployment, filesText, isPlaceholder, type Project, sizeText } from '../shapes.ts';
import { localMinute, localTime } from '../times.ts';
import { Notice, Status } from '../ui/blocks.tsx';
import { changing, Dialog } from './dialog.tsx';
import { Loaded } from './failure.tsx';
import { ItemTable } from './item-table.tsx';
import { Ago } from './text.tsx';

/** The table of a project's deployments. */
export function Deployments({ project }: { readonly project: Project }) {
  const { projectId } = project;
  const { notify } = useApplication();
  const pin = useChange(
    async (api, { deploymentId, pinned }: Deployment) => {
      await api.send(pinned ? 'DELETE' : 'PUT', '/projects/{projectId}/deployments/{deploymentId}/pin', { projectId, deploymentId });
      notify('success', pinned ? 'Unpinned.' : 'Pinned. It is kept until you unpin it.');
    },
    { announcesFailure: true },
  );
  const deployments = usePages('/projects/{projectId}/deployments', { projectId });
  return (
    <Loaded of={deployments}>
      {(items) => (
        <ItemTable
          title="Deployments"
          description={`What this project has served. The last ${DEPLOYMENTS_KEPT} and those that you pin are kept; older ones are deleted when you publish.`}
          items={items}
          more={deployments.more}
          id={({ deploymentId }) => deploymentId}
          nameOf={({ createdAt }) => `the deployment of ${localTime(createdAt)}`}
          menu={(of) => [
            ...(of.current
              ? []
              : [
                  {
                    text: 'Roll back',
                    isMain: true,
                    dialog: (
                      <RollBack
                        projectId={projectId}
                        of={of}
                        name={isPlaceholder(of, project) ? 'the placeholder' : `the deployment of ${localMinute(of.createdAt)}`}
                      />
                    ),
                  },
                ]),
            { text: of.pinned ? 'Unpin' : 'Pin', run: () => pin.mutate(of) },
            ...(of.current || of.pinned ? [] : [{ text: 'Delete', risky: true, dialog: <DeleteDeployment projectId={projectId} of={of} /> }]),
          ]}
          columns={[
            {
              header: 'Published',
              cell: ({ createdAt, deploymentId }) => (
                <>
                  {isPlaceholder({ createdAt }, project) ? 'Placeholder' : <Ago at={createdAt} />}
                  <small className="hint muted">{deploymentId}</small>
                </>
              ),
              text: ({ createdAt, deploymentId }) => `${createdAt} ${deploymentId}`,
            },
            { header: 'State', cell: (deployment) => <State of={deployment} /> },
            { header: 'Contents', cell: ({ files, bytes }) => `${filesText(files)}, ${sizeText(bytes)}`, text: ({ bytes }) => String(bytes) },
          ]}
          empty={<p>No deployments yet.</p>}
        />
      )}
    </Loaded>
  );
}

function State({ of: { current, pinned } }: { readonly of: Deployment }) {
  const kept = pinned ? 'pinned' : 'kept';
  return <Status kind={current ? 'success' : 'stopped'}>{current ? (pinned ? 'live, pinned' : 'live') : kept}</Status>;
}

interface DeploymentProps {
  readonly projectId: string;
  readonly of: Deployment;
}

function RollBack({ projectId, of: { deploymentId }, name }: DeploymentProps & { readonly name: string }) {
  const successMessage = 'Rolled back. Visitors get this deployment from now on.';
  const back = useRequest('POST', '/projects/{projectId}/rollback', { projectId }, { successMessage });
  return (
    <Dialog header="Roll back" {...changing('Roll back', back, { deploymentId })}>
      <p>Visitors get {name} at once. What is served now is kept, and you can roll back to it.</p>
    </Dialog>
  );
}

function DeleteDeployment({ projectId, of: { deploymentId, createdAt } }: DeploymentProps) {
  const at = { projectId, deploymentId };
  const remove = useRequest('DELETE', '/projects/{projectId}/deployments/{deploymentId}', at, { successMessage: 'Deleted.' });
  return (
    <Dialog header="Delete deployment" {...changing('Delete', remove, undefined, { isDangerous: true })}>
      <Notice kind="warning">
        The deployment of {localTime(createdAt)} ({deploymentId}) and its files are deleted. This can't be undone.
      </Notice>
    </Dialog>
  );
}
