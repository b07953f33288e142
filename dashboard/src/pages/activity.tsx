// What was changed in an account, by whom and from where: the audit log.

import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { actorOf, type Names, sentenceOf } from '../activity.ts';
import { download } from '../api.ts';
import { recognizedIn } from '../key-rows.ts';
import { allPages, usePages } from '../pages-of.ts';
import { Loaded } from '../parts/failure.tsx';
import { ItemTable } from '../parts/item-table.tsx';
import { Page } from '../parts/page.tsx';
import { useAccount, useChange, useKeys, useMe, useMembers, useProjects, useRevokedKeys } from '../queries.ts';
import type { AuditEntry } from '../shapes.ts';
import { localDay, localTimeOfDay } from '../times.ts';
import { Button } from '../ui/button.tsx';
import { Select } from '../ui/field.tsx';

const PATH = '/accounts/{accountId}/audit';

/** The choices, each with the subjects that it covers: a subject is the part of an action's name before the dot. */
const CHOICES: Readonly<Record<string, readonly string[]>> = {
  'All changes': [],
  Account: ['account'],
  Domains: ['domain', 'sandbox_record'],
  Keys: ['key'],
  Members: ['member', 'invitation'],
  Projects: ['project', 'deployment', 'deploy_token', 'files'],
};

/** The page with an account's audit log, which its owners see. */
export function ActivityPage() {
  const { accountId = '' } = useParams({ strict: false });
  const account = useAccount(accountId);
  return (
    <Page
      title="Activity"
      description="Changes in the last 400 days: who made them, when, and from where. Requests to the catalogue API are not listed."
    >
      {account?.role === 'member' ? <p>Only owners of the account see this.</p> : <Entries accountId={accountId} />}
    </Page>
  );
}

function Entries({ accountId }: { readonly accountId: string }) {
  const entries = usePages(PATH, { accountId });
  const save = useChange(
    async (api) => download(`activity-${accountId}.json`, 'application/json', JSON.stringify(await allPages(api, PATH, { accountId }), null, 2)),
    { reads: 'nothing', announcesFailure: true },
  );
  const me = useMe().data?.userId;
  const names = useNames(accountId);
  const [choice, setChoice] = useState('All changes');
  const chosen = CHOICES[choice] ?? [];
  const choose = (next: string) => {
    void entries.more?.loadAll();
    setChoice(next);
  };
  const sentence = (entry: AuditEntry) => sentenceOf(entry, names, me);
  return (
    <Loaded of={entries}>
      {(items) => (
        <ItemTable
          title="Changes"
          items={items.filter(({ action }) => chosen.length === 0 || chosen.includes(action.replace(/\..*/, '')))}
          more={entries.more}
          id={({ entryId }) => entryId}
          actions={
            <div className="row">
              <div>
                <Select label="Show" value={choice} options={Object.keys(CHOICES).map((each) => ({ value: each, label: each }))} change={choose} />
              </div>
              <Button icon="download" busy={save.isPending} onClick={() => save.mutate(undefined)}>
                Download as JSON
              </Button>
            </div>
          }
          group={({ at }) => localDay(at)}
          columns={[
            {
              header: 'What',
              cell: sentence,
              text: (entry) => `${sentence(entry)} ${entry.subject} ${actorOf(entry, undefined)}`,
            },
            { header: 'From', text: ({ actor }) => actor.address ?? '' },
            { header: 'When', isShort: true, cell: ({ at }) => localTimeOfDay(at), text: ({ at }) => at },
          ]}
          empty={<p>No changes.</p>}
        />
      )}
    </Loaded>
  );
}

function useNames(accountId: string): Names {
  const keys = [...(useKeys(accountId).data ?? []), ...(useRevokedKeys(accountId).data ?? [])];
  const projects = useProjects(accountId).data ?? [];
  const members = useMembers(accountId).data ?? [];
  return new Map([
    ...keys.map((key) => [key.keyId, `${key.name} (${recognizedIn(key)})`] as const),
    ...projects.map(({ projectId, name }) => [projectId, name] as const),
    ...members.flatMap(({ userId, email }) => (email === null ? [] : [[userId, email] as const])),
  ]);
}
