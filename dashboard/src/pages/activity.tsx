// What was changed in an account, by whom and from where: the audit log.

import { useParams } from '@tanstack/react-router';
import { actorOf, type Names, sentenceOf } from '../activity.ts';
import { unwrap } from '../api.ts';
import { recognizedIn } from '../key-rows.ts';
import { Loaded } from '../parts/failure.tsx';
import { ItemTable } from '../parts/item-table.tsx';
import { Page } from '../parts/page.tsx';
import { localMinute } from '../parts/text.tsx';
import { useAccount, useActivity, useKeys, useMe, useProjects, useRead, useRevokedKeys, useSaveActivity } from '../queries.ts';
import type { AuditEntry } from '../shapes.ts';
import { Button } from '../ui/button.tsx';

/** The page with an account's audit log, which its owners see. */
export function ActivityPage() {
  const { accountId = '' } = useParams({ strict: false });
  const account = useAccount(accountId);
  return (
    <Page
      title="Activity"
      description="Changes of the last 400 days: who made them, when, and from where. Requests to the catalogue API are not listed."
    >
      {account?.role === 'member' ? <p>Only owners of the account see this.</p> : <Entries accountId={accountId} />}
    </Page>
  );
}

function Entries({ accountId }: { readonly accountId: string }) {
  const entries = useActivity(accountId);
  const save = useSaveActivity(accountId);
  const me = useMe().data?.userId;
  const names = useNames(accountId);
  const sentence = (entry: AuditEntry) => sentenceOf(entry, names, me);
  return (
    <Loaded of={entries}>
      {(items) => (
        <ItemTable
          title="Changes"
          items={items}
          more={entries.more}
          id={({ entryId }) => entryId}
          actions={
            <Button icon="download" busy={save.isPending} onClick={() => save.mutate(undefined)}>
              Download as JSON
            </Button>
          }
          columns={[
            {
              header: 'What',
              cell: sentence,
              text: (entry) => `${sentence(entry)} ${entry.subject} ${actorOf(entry, undefined)}`,
            },
            { header: 'From', cell: ({ actor }) => actor.address ?? '–', text: ({ actor }) => actor.address ?? '' },
            { header: 'When', cell: ({ at }) => localMinute(at), text: ({ at }) => at },
          ]}
          empty={<p>No changes.</p>}
        />
      )}
    </Loaded>
  );
}

/** The names of what an account has, by id. */
function useNames(accountId: string): Names {
  const keys = [...(useKeys(accountId).data ?? []), ...(useRevokedKeys(accountId).data ?? [])];
  const projects = useProjects(accountId).data ?? [];
  const members =
    useRead(['members', accountId], (api) => unwrap(api.GET('/accounts/{accountId}/members', { params: { path: { accountId } } }))).data ?? [];
  return new Map([
    ...keys.map((key) => [key.keyId, `${key.name} (${recognizedIn(key)})`] as const),
    ...projects.map(({ projectId, name }) => [projectId, name] as const),
    ...members.flatMap(({ userId, email }) => (email === null ? [] : [[userId, email] as const])),
  ]);
}
