// The start: on to the first account's projects, or the first account.

import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Container from '@cloudscape-design/components/container';
import FormField from '@cloudscape-design/components/form-field';
import Input from '@cloudscape-design/components/input';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { Navigate } from '@tanstack/react-router';
import { useState } from 'react';
import { unwrap } from '../api.ts';
import { Loaded } from '../parts/failure.tsx';
import { Page } from '../parts/page.tsx';
import { useChange, useMe } from '../queries.ts';

export function Home() {
  const me = useMe();
  return (
    <Loaded of={me}>
      {({ accounts: [account] }) =>
        account === undefined ? <FirstAccount /> : <Navigate to="/accounts/$accountId/projects" params={{ accountId: account.accountId }} replace />
      }
    </Loaded>
  );
}

function FirstAccount() {
  const [name, setName] = useState('');
  const create = useChange((api, value: string) => unwrap(api.POST('/dashboard/v1/accounts', { body: { name: value } })), [['me']]);
  return (
    <Page title="Welcome">
      <Container>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            create.mutate(name);
          }}
        >
          <SpaceBetween size="m">
            <Box>Projects, keys and usage belong to an account. Yours starts on the plan Free; the platform's operator moves it to another.</Box>
            <FormField label="Name of your account" description="Such as the name of your shop.">
              <Input value={name} onChange={({ detail }) => setName(detail.value)} />
            </FormField>
            <Button variant="primary" formAction="submit" loading={create.isPending} disabled={name.trim() === ''}>
              Create account
            </Button>
          </SpaceBetween>
        </form>
      </Container>
    </Page>
  );
}
