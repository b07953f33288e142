// Creates an account: the first one, or another.

import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Container from '@cloudscape-design/components/container';
import Input from '@cloudscape-design/components/input';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { unwrap } from '../api.ts';
import { Page } from '../parts/page.tsx';
import { Field, Refusal } from '../parts/refusal.tsx';
import { useChange } from '../queries.ts';

/** The page that creates an account. */
export function NewAccountPage() {
  const [name, setName] = useState('');
  const navigate = useNavigate();
  const create = useChange((api, value: string) => unwrap(api.POST('/accounts', { body: { name: value } })), {
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
          <Refusal failure={create.error}>
            <Box>Projects, keys and usage belong to an account. A new account is on the Free plan. The operator can change your plan.</Box>
            <Field name="name" label="Account name" description="For example, the name of your shop.">
              <Input value={name} onChange={({ detail }) => setName(detail.value)} autoComplete="organization" />
            </Field>
            <Button variant="primary" formAction="submit" loading={create.isPending} disabled={name.trim() === ''}>
              Create account
            </Button>
          </Refusal>
        </form>
      </Container>
    </Page>
  );
}
