// A project's deployments: roll back, pin, delete.

import { useState } from 'react';
import { DEPLOYMENTS_KEPT } from '../../../core/publishing/kept-deployments.ts';
import { usePages } from '../pages-of.ts';
import { useRequest } from '../queries.ts';
import { type Deployment, filesText, sizeText } from '../shapes.ts';
import { Notice, Status } from '../ui/blocks.tsx';
import { Button } from '../ui/button.tsx';
import { changing, Dialog } from './dialog.tsx';
import { Loaded } from './failure.tsx';
import { ItemTable } from './item-table.tsx';
import { localTime } from './text.tsx';

/** The table of a project's deployments. */
export function Deployments({ projectId }: { readonly projectId: string }) {
  const deployments = usePages('/projects/{projectId}/deployments', { projectId });
  const [dialog, setDialog] = useState<{ readonly kind: 'back' | 'delete'; readonly of: Deployment }>();
  const close = () => setDialog(undefined);
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
              { header: 'Action', cell: (of) => <Actions projectId={projectId} of={of} open={(kind) => setDialog({ kind, of })} /> },
            ]}
            empty={<p>No deployments yet.</p>}
          />
          {dialog?.kind === 'back' && <RollBack projectId={projectId} deployment={dialog.of} close={close} />}
          {dialog?.kind === 'delete' && <DeleteDeployment projectId={projectId} deployment={dialog.of} close={close} />}
        </>
      )}
    </Loaded>
  );
}

function State({ of: { current, pinned } }: { readonly of: Deployment }) {
  const kept = pinned ? 'pinned' : 'kept';
  return <Status kind={current ? 'success' : 'stopped'}>{current ? (pinned ? 'served, pinned' : 'served') : kept}</Status>;
}

interface ActionsProps {
  readonly projectId: string;
  readonly of: Deployment;
  readonly open: (dialog: 'back' | 'delete') => void;
}

function Actions({ projectId, of, open }: ActionsProps) {
  const { current, pinned, deploymentId, createdAt } = of;
  const pin = useRequest(
    pinned ? 'DELETE' : 'PUT',
    '/projects/{projectId}/deployments/{deploymentId}/pin',
    { projectId, deploymentId },
    {
      announcesFailure: true,
      successMessage: pinned ? 'Unpinned.' : 'Pinned. It is kept until you unpin it.',
    },
  );
  const which = `the deployment of ${localTime(createdAt)}`;
  return (
    <div className="row">
      {!current && (
        <Button kind="link" label={`Roll back to ${which}`} onClick={() => open('back')}>
          Roll back
        </Button>
      )}
      <Button kind="link" label={`${pinned ? 'Unpin' : 'Pin'} ${which}`} busy={pin.isPending} onClick={() => pin.mutate(undefined)}>
        {pinned ? 'Unpin' : 'Pin'}
      </Button>
      {!current && !pinned && (
        <Button kind="link" label={`Delete ${which}`} onClick={() => open('delete')}>
          Delete
        </Button>
      )}
    </div>
  );
}

interface DeploymentProps {
  readonly projectId: string;
  readonly deployment: Deployment;
  readonly close: () => void;
}

function RollBack({ projectId, deployment: { deploymentId, createdAt }, close }: DeploymentProps) {
  const back = useRequest(
    'POST',
    '/projects/{projectId}/rollback',
    { projectId },
    { successMessage: 'Rolled back. Visitors get this deployment from now on.' },
  );
  return (
    <Dialog close={close} header="Roll back" {...changing('Roll back', back, { deploymentId }, close)}>
      <p>Visitors get the deployment of {localTime(createdAt)} at once. What is served now is kept, and you can roll back to it.</p>
    </Dialog>
  );
}

function DeleteDeployment({ projectId, deployment: { deploymentId, createdAt }, close }: DeploymentProps) {
  const remove = useRequest(
    'DELETE',
    '/projects/{projectId}/deployments/{deploymentId}',
    { projectId, deploymentId },
    { successMessage: 'Deleted.' },
  );
  return (
    <Dialog close={close} header="Delete deployment" {...changing('Delete', remove, undefined, close)}>
      <Notice kind="warning">
        The deployment of {localTime(createdAt)} ({deploymentId}) and its files are deleted. This can't be undone.
      </Notice>
    </Dialog>
  );
}
