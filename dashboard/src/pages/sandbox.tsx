// The sandbox's DNS: the counterpart of a DNS provider's page for a real domain.

import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Container from '@cloudscape-design/components/container';
import Grid from '@cloudscape-design/components/grid';
import Header from '@cloudscape-design/components/header';
import Input from '@cloudscape-design/components/input';
import Select from '@cloudscape-design/components/select';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useState } from 'react';
import { unwrap } from '../api.ts';
import { Loaded } from '../parts/failure.tsx';
import { ItemTable } from '../parts/item-table.tsx';
import { Page } from '../parts/page.tsx';
import { Field, Refusal } from '../parts/refusal.tsx';
import { useChange, useSandboxRecords } from '../queries.ts';
import type { SandboxRecord } from '../shapes.ts';

type Type = SandboxRecord['type'];

const TYPES = (['CNAME', 'ALIAS', 'A', 'AAAA', 'TXT', 'CAA'] as const satisfies readonly Type[]).map((value) => ({ value, label: value }));

/** The page with the sandbox's records. */
export function SandboxPage() {
  const records = useSandboxRecords();
  const unset = useChange(
    (api, { name, type, value }: SandboxRecord) => unwrap(api.DELETE('/sandbox/records', { params: { query: { name, type, value } } })),
    { stale: [['sandbox']], successMessage: 'Record removed.' },
  );
  return (
    <Page title="Sandbox DNS" description="A DNS provider for testing: names below .test, served over real DNS on this machine.">
      <SpaceBetween size="l">
        <SetRecord />
        <Loaded of={records}>
          {(items) => (
            <ItemTable
              title="Records"
              items={items}
              id={({ name, type, value }) => `${name} ${type} ${value}`}
              columns={[
                { header: 'Name', cell: ({ name }) => name, text: ({ name }) => name },
                { header: 'Type', cell: ({ type }) => type, text: ({ type }) => type },
                { header: 'Value', cell: ({ value }) => value, text: ({ value }) => value },
                { header: 'TTL (seconds)', cell: ({ ttl }) => ttl, text: ({ ttl }) => String(ttl) },
                {
                  header: 'Action',
                  cell: (record) => (
                    <Button variant="inline-link" ariaLabel={`Remove ${record.name} ${record.type}`} onClick={() => unset.mutate(record)}>
                      Remove
                    </Button>
                  ),
                },
              ]}
              empty={<Box>No records. Set the records that a domain needs.</Box>}
            />
          )}
        </Loaded>
      </SpaceBetween>
    </Page>
  );
}

function SetRecord() {
  const [name, setName] = useState('');
  const [type, setType] = useState<{ value: Type; label: string }>({ value: 'CNAME', label: 'CNAME' });
  const [value, setValue] = useState('');
  const set = useChange((api) => unwrap(api.PUT('/sandbox/records', { body: { name, type: type.value, value } })), {
    stale: [['sandbox']],
    successMessage: 'Record set.',
    showsFailure: true,
  });
  return (
    <Container header={<Header variant="h2">Set a record</Header>}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          set.mutate(undefined);
        }}
      >
        <Refusal failure={set.error}>
          <Grid gridDefinition={[{ colspan: { default: 12, s: 4 } }, { colspan: { default: 12, s: 3 } }, { colspan: { default: 12, s: 5 } }]}>
            <Field name="name" label="Name">
              <Input value={name} onChange={({ detail }) => setName(detail.value)} placeholder="www.my-shop.test" autoComplete="off" />
            </Field>
            <Field name="type" label="Type">
              <Select selectedOption={type} options={TYPES} onChange={({ detail }) => setType(detail.selectedOption as (typeof TYPES)[number])} />
            </Field>
            <Field name="value" label="Value">
              <Input value={value} onChange={({ detail }) => setValue(detail.value)} autoComplete="off" />
            </Field>
          </Grid>
          <Button variant="primary" formAction="submit" loading={set.isPending} disabled={name === '' || value === ''}>
            Set record
          </Button>
        </Refusal>
      </form>
    </Container>
  );
}
