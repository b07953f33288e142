// Creates an account: the first one, or another.

import { useNavigate } from '@tanstack/react-router';
import { useDraft } from '../parts/dialog.tsx';
import { Page } from '../parts/page.tsx';
import { Field, Refusal } from '../parts/refusal.tsx';
import { useCreation } from '../queries.ts';
import { Section } from '../ui/blocks.tsx';
import { Button } from '../ui/button.tsx';
import { Input } from '../ui/field.tsx';

/** The page that creates an account. */
export function NewAccountPage() {
  const [name, setName] = useDraft('account', '');
  const navigate = useNavigate();
  const create = useCreation('/accounts', {}, { reads: 'user' });
  return (
    <Page title="Create account">
      <Section>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            create.mutate(
              { name },
              {
                onSuccess: ({ accountId }) => void navigate({ to: '/accounts/$accountId/projects', params: { accountId } }),
              },
            );
          }}
        >
          <Refusal failure={create.error}>
            <p>Projects, keys and usage belong to an account. A new account is on the Free plan. You can ask for another one on the Plan page.</p>
            <Field name="name" label="Account name" description="For example, the name of your shop.">
              <Input value={name} change={setName} autoComplete="organization" />
            </Field>
            <Button kind="primary" submit busy={create.isPending} disabled={name.trim() === ''}>
              Create account
            </Button>
          </Refusal>
        </form>
      </Section>
    </Page>
  );
}
