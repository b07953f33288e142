// What was changed in an account, by whom and from where: the audit log.

import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import { useParams } from '@tanstack/react-router';
import { ACTIONS } from '../../../core/audit/actions.ts';
import { Loaded } from '../parts/failure.tsx';
import { ItemTable } from '../parts/item-table.tsx';
import { Page } from '../parts/page.tsx';
import { Breakable, localTime } from '../parts/text.tsx';
import { useAccount, useActivity, useSaveActivity } from '../queries.ts';
import type { AuditEntry } from '../shapes.ts';

/** The page with an account's audit log, which its owners see. */
export function ActivityPage() {
  const { accountId = '' } = useParams({ strict: false });
  const account = useAccount(accountId);
  return (
    <Page
      title="Activity"
      description="Changes of the last 400 days: who made them, when, and from where. Requests to the catalogue API are not listed."
    >
      {account?.role === 'member' ? <Box>Only owners of the account see this.</Box> : <Entries accountId={accountId} />}
    </Page>
  );
}

function Entries({ accountId }: { readonly accountId: string }) {
  const entries = useActivity(accountId);
  const save = useSaveActivity(accountId);
  return (
    <Loaded of={entries}>
      {(items) => (
        <ItemTable
          title="Changes"
          items={items}
          more={entries.more}
          id={({ entryId }) => entryId}
          actions={
            <Button iconName="download" loading={save.isPending} onClick={() => save.mutate(undefined)}>
              Download as JSON
            </Button>
          }
          columns={[
            { header: 'What', cell: (entry) => ACTIONS[entry.action], text: (entry) => ACTIONS[entry.action] },
            {
              header: 'Details',
              cell: (entry) => (
                <>
                  <Breakable text={factsOf(entry)} />
                  <Box variant="small" display="block">
                    <Breakable text={entry.subject} />
                  </Box>
                </>
              ),
              text: (entry) => `${factsOf(entry)} ${entry.subject}`,
            },
            { header: 'Who', cell: (entry) => <Breakable text={actorOf(entry)} />, text: actorOf },
            { header: 'From', cell: ({ actor }) => actor.address ?? '–', text: ({ actor }) => actor.address ?? '' },
            { header: 'When', cell: ({ at }) => localTime(at), text: ({ at }) => at },
          ]}
          empty={<Box>No changes.</Box>}
        />
      )}
    </Loaded>
  );
}

const ACTORS: Readonly<Record<AuditEntry['actor']['kind'], string>> = {
  user: 'a user',
  deploy_token: 'a deploy token',
  operator: 'the operator',
  visitor: 'someone not signed in',
  workflow: 'the service: domains',
  sweep: 'the service: clean-up',
  service: 'the service',
};

function actorOf({ actor }: AuditEntry): string {
  return actor.email ?? actor.id ?? ACTORS[actor.kind];
}

/** Facts in words, such as `role: owner, invitation: inv_…`. */
function factsOf({ details }: AuditEntry): string {
  return Object.entries(details)
    .map(([name, value]) => `${name.replace(/(?=[A-Z])/g, ' ').toLowerCase()}: ${value}`)
    .join(', ');
}
