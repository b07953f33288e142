// Creates an account: the first one, or another.

import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Container from '@cloudscape-design/components/container';
import FormField from '@cloudscape-design/components/form-field';
import Input from '@cloudscape-design/components/input';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { unwrap } from '../api.ts';
import { changeFailureText } from '../failures.ts';
import { Page } from '../parts/page.tsx';
import { useChange } from '../queries.ts';

/** The page that creates an account. */
export function NewAccountPage() {
  const [name, setName] = useState('');
  const navigate = useNavigate();
  const create = useChange((api, value: string) => unwrap(api.POST('/dashboard/v1/accounts', { body: { name: value } })), {
    stale: [['me']],
    showsFailure: true,
  });
  return (
    <Page title="Create account">
      <Container>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            create.mutate(name, {
              onSuccess: ({ accountId }) => void navigate({ to: '/accounts/$accountId/projects', params: { accountId } }),
            });
          }}
        >
          <SpaceBetween size="m">
            <Box>Projects, keys and usage belong to an account. A new account is on the Free plan. The operator can change your plan.</Box>
            <FormField
              label="Account name"
              description="For example, the name of your shop."
              errorText={create.error && changeFailureText(create.error)}
            >
              <Input value={name} onChange={({ detail }) => setName(detail.value)} autoComplete="organization" />
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
