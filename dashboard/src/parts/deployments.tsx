// A project's deployments: roll back, pin, delete.

import { useState } from 'react';
import { DEPLOYMENTS_KEPT } from '../../../core/publishing/kept-deployments.ts';
import { unwrap } from '../api.ts';
import { useChange, useDeployments } from '../queries.ts';
import { type Deployment, filesText, sizeText } from '../shapes.ts';
import { Notice, Status } from '../ui/blocks.tsx';
import { Button } from '../ui/button.tsx';
import { changing, Dialog } from './dialog.tsx';
import { Loaded } from './failure.tsx';
import { ItemTable } from './item-table.tsx';
import { localTime } from './text.tsx';

/** The table of a project's deployments. */
export function Deployments({ projectId }: { readonly projectId: string }) {
  const deployments = useDeployments(projectId);
  const [deleting, setDeleting] = useState<Deployment>();
  return (
    <Loaded of={deployments}>
      {(items) => (
        <>
          <ItemTable
            title="Deployments"
            description={`What this project has served. The last ${DEPLOYMENTS_KEPT} are kept, and those that you pin; older ones are deleted when you publish.`}
            items={items}
            more={deployments.more}
            id={({ deploymentId }) => deploymentId}
            columns={[
              {
                header: 'Published',
                cell: ({ createdAt, deploymentId }) => (
                  <>
                    {localTime(createdAt)}
                    <small className="hint muted">{deploymentId}</small>
                  </>
                ),
                text: ({ createdAt, deploymentId }) => `${createdAt} ${deploymentId}`,
              },
              { header: 'State', cell: (deployment) => <State of={deployment} /> },
              { header: 'Contents', cell: ({ files, bytes }) => `${filesText(files)}, ${sizeText(bytes)}`, text: ({ bytes }) => String(bytes) },
              { header: 'Action', cell: (deployment) => <Actions projectId={projectId} of={deployment} remove={() => setDeleting(deployment)} /> },
            ]}
            empty={<p>No deployments yet.</p>}
          />
          {deleting && <DeleteDeployment projectId={projectId} deployment={deleting} close={() => setDeleting(undefined)} />}
        </>
      )}
    </Loaded>
  );
}

function State({ of: { current, pinned } }: { readonly of: Deployment }) {
  const kept = pinned ? 'pinned' : 'kept';
  return <Status kind={current ? 'success' : 'stopped'}>{current ? (pinned ? 'served, pinned' : 'served') : kept}</Status>;
}

function Actions({ projectId, of, remove }: { readonly projectId: string; readonly of: Deployment; readonly remove: () => void }) {
  const { current, pinned, deploymentId, createdAt } = of;
  const back = useChange((api) => unwrap(api.POST('/projects/{projectId}/rollback', { params: { path: { projectId } }, body: { deploymentId } })), {
    stale: [
      ['deployments', projectId],
      ['project', projectId],
    ],
    successMessage: 'Rolled back. Visitors get this deployment from now on.',
  });
  const params = { params: { path: { projectId, deploymentId } } };
  const pin = useChange(
    (api, pinIt: boolean) =>
      unwrap(
        pinIt
          ? api.PUT('/projects/{projectId}/deployments/{deploymentId}/pin', params)
          : api.DELETE('/projects/{projectId}/deployments/{deploymentId}/pin', params),
      ),
    { stale: [['deployments', projectId]], successMessage: pinned ? 'Unpinned.' : 'Pinned. It is kept until you unpin it.' },
  );
  const which = `the deployment of ${localTime(createdAt)}`;
  return (
    <div className="row">
      {!current && (
        <Button kind="link" label={`Roll back to ${which}`} busy={back.isPending} onClick={() => back.mutate(undefined)}>
          Roll back
        </Button>
      )}
      <Button kind="link" label={`${pinned ? 'Unpin' : 'Pin'} ${which}`} busy={pin.isPending} onClick={() => pin.mutate(!pinned)}>
        {pinned ? 'Unpin' : 'Pin'}
      </Button>
      {!current && !pinned && (
        <Button kind="link" label={`Delete ${which}`} onClick={remove}>
          Delete
        </Button>
      )}
    </div>
  );
}

interface DeleteProps {
  readonly projectId: string;
  readonly deployment: Deployment;
  readonly close: () => void;
}

function DeleteDeployment({ projectId, deployment: { deploymentId, createdAt }, close }: DeleteProps) {
  const remove = useChange(
    (api) => unwrap(api.DELETE('/projects/{projectId}/deployments/{deploymentId}', { params: { path: { projectId, deploymentId } } })),
    { stale: [['deployments', projectId]], successMessage: 'Deleted.', showsFailure: true },
  );
  return (
    <Dialog close={close} header="Delete deployment" {...changing('Delete', remove, undefined, close)}>
      <Notice kind="warning">
        The deployment of {localTime(createdAt)} ({deploymentId}) and its files are deleted. This can't be undone.
      </Notice>
    </Dialog>
  );
}
