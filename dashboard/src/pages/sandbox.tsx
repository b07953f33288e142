// The sandbox's DNS, which takes the place of a DNS provider's page for a real domain.

import { useState } from 'react';
import { useDraft } from '../parts/dialog.tsx';
import { Loaded } from '../parts/failure.tsx';
import { ItemTable } from '../parts/item-table.tsx';
import { Page } from '../parts/page.tsx';
import { Field, Refusal } from '../parts/refusal.tsx';
import { useChange, useRead, useRequest } from '../queries.ts';
import type { SandboxRecord } from '../shapes.ts';
import { Section } from '../ui/blocks.tsx';
import { Button } from '../ui/button.tsx';
import { Input, Select } from '../ui/field.tsx';

type Type = SandboxRecord['type'];

const TYPES = (['CNAME', 'ALIAS', 'A', 'AAAA', 'TXT', 'CAA'] as const satisfies readonly Type[]).map((value) => ({ value, label: value }));

/** The page with the sandbox's records. */
export function SandboxPage() {
  const records = useRead('/sandbox/records', {});
  const unset = useChange(
    (api, { name, type, value }: SandboxRecord) => api.send('DELETE', '/sandbox/records', {}, { query: { name, type, value } }),
    { announcesFailure: true, successMessage: 'Record removed.' },
  );
  return (
    <Page title="Sandbox DNS" description="A DNS provider for testing: names under .test, served over real DNS on this machine.">
      <div className="stack large">
        <SetRecord />
        <Loaded of={records}>
          {(items) => (
            <ItemTable
              title="Records"
              items={items}
              id={({ name, type, value }) => `${name} ${type} ${value}`}
              nameOf={({ name, type }) => `${name} ${type}`}
              menu={(record) => [{ text: 'Remove', risky: true, run: () => unset.mutate(record) }]}
              columns={[
                { header: 'Name', cell: ({ name }) => <code className="breakable">{name}</code>, text: ({ name }) => name },
                { header: 'Type', text: ({ type }) => type },
                { header: 'Value', cell: ({ value }) => <code className="breakable">{value}</code>, text: ({ value }) => value },
                { header: 'TTL (seconds)', text: ({ ttl }) => String(ttl) },
              ]}
              empty={<p>No records. Set the records that a domain needs.</p>}
            />
          )}
        </Loaded>
      </div>
    </Page>
  );
}

function SetRecord() {
  const [name, setName] = useDraft('record', '');
  const [type, setType] = useState<Type>('CNAME');
  const [value, setValue] = useDraft('record-value', '');
  const set = useRequest('PUT', '/sandbox/records', {}, { successMessage: 'Record set.' });
  return (
    <Section title="Set a record">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          set.mutate({ name, type, value });
        }}
      >
        <Refusal failure={set.error}>
          <div className="fields">
            <Field name="name" label="Name">
              <Input value={name} change={setName} placeholder="www.my-shop.test" />
            </Field>
            <Field name="type" label="Type">
              <Select value={type} options={TYPES} change={setType} />
            </Field>
            <Field name="value" label="Value">
              <Input value={value} change={setValue} />
            </Field>
          </div>
          <Button kind="primary" submit busy={set.isPending} disabled={name === '' || value === ''}>
            Set record
          </Button>
        </Refusal>
      </form>
    </Section>
  );
}
