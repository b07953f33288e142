// An account's plan: what each plan gives, what is used, and the request for another one.

import Alert from '@cloudscape-design/components/alert';
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import FormField from '@cloudscape-design/components/form-field';
import Input from '@cloudscape-design/components/input';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { unwrap } from '../api.ts';
import { DeleteAccount } from '../parts/delete-account.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Loaded } from '../parts/failure.tsx';
import { ItemTable } from '../parts/item-table.tsx';
import { Page } from '../parts/page.tsx';
import { localTime } from '../parts/text.tsx';
import { useChange, useMe, useRead } from '../queries.ts';
import { type Account, type AccountDetail, type Plan, sizeText } from '../shapes.ts';

const staleOf = (accountId: string) => [['me'], ['account', accountId]];
const OWNERS = 'Only an owner of the account can ask for a plan.';

/** The page with an account's plan. */
export function PlanPage() {
  const { accountId = '' } = useParams({ strict: false });
  const account = useRead(['account', accountId], (api) => unwrap(api.GET('/accounts/{accountId}', { params: { path: { accountId } } })));
  const plans = useMe().data?.platform.plans ?? [];
  const [wanted, setWanted] = useState<Plan>();
  return (
    <Page title="Plan" description="One plan covers an account and all of its projects. To change it, ask the operator.">
      <Loaded of={account}>
        {(current) => (
          <SpaceBetween size="l">
            <Request account={current} plans={plans} />
            <Plans account={current} plans={plans} ask={setWanted} />
            {current.role === 'owner' && <DeleteAccount account={current} />}
            {wanted !== undefined && <AskForPlan account={current} plan={wanted} close={() => setWanted(undefined)} />}
          </SpaceBetween>
        )}
      </Loaded>
    </Page>
  );
}

interface OfAccount {
  readonly account: Account;
  readonly plans: readonly Plan[];
}

function Plans({ account, plans, ask }: OfAccount & { readonly account: AccountDetail; readonly ask: (plan: Plan) => void }) {
  const { accountId } = account;
  // Once: the page with the usage is live.
  const usage = useRead(['usage of plan', accountId], (api) =>
    unwrap(api.GET('/accounts/{accountId}/usage', { params: { path: { accountId } } })),
  ).data;
  const mayAsk = account.role === 'owner';
  const requested = account.planRequest?.decision === null ? account.planRequest.plan : undefined;
  // What an account has may differ from its plan: enterprise quotas are agreed, and a plan's limits may have changed since.
  const limitsOf = (plan: Plan) => (plan.plan === account.plan ? account.limits : plan.limits);
  const used = (plan: Plan, text: string, count: number | undefined) =>
    plan.plan === account.plan && count !== undefined ? `${count.toLocaleString()} of ${text}` : text;
  return (
    <ItemTable
      title="Compare plans"
      description={mayAsk ? undefined : OWNERS}
      plain
      items={plans}
      id={({ plan }) => plan}
      columns={[
        {
          header: 'Plan',
          cell: (plan) => (
            <Box fontWeight={plan.plan === account.plan ? 'bold' : 'normal'}>{plan.plan === account.plan ? `${plan.label} (yours)` : plan.label}</Box>
          ),
        },
        { header: 'Requests a minute', cell: (plan) => limitsOf(plan)?.perMinute.toLocaleString() ?? 'as agreed' },
        {
          header: 'Requests a day',
          cell: (plan) => used(plan, limitsOf(plan)?.perDay.toLocaleString() ?? 'as agreed', usage?.day.used),
        },
        { header: 'Projects', cell: (plan) => used(plan, plan.projects.toLocaleString(), account.used.projects) },
        {
          header: 'Custom domains',
          // An account may still have some after a change to a plan without any.
          cell: (plan) => {
            const none = plan.domains === 0 && (plan.plan !== account.plan || account.used.domains === 0);
            return none ? 'none' : used(plan, plan.domains.toLocaleString(), account.used.domains);
          },
        },
        { header: 'Largest deployment', cell: ({ deployment }) => `${deployment.files.toLocaleString()} files, ${sizeText(deployment.bytes)}` },
        {
          header: 'Action',
          cell: (plan) =>
            plan.plan === requested
              ? 'Requested'
              : plan.plan !== account.plan &&
                mayAsk && (
                  <Button variant="inline-link" onClick={() => ask(plan)}>
                    Ask for {plan.label}
                  </Button>
                ),
        },
      ]}
      empty={null}
    />
  );
}

/** The request, while it is open and once it is decided. */
function Request({ account: { accountId, planRequest, role }, plans }: OfAccount) {
  const withdraw = useChange((api) => unwrap(api.DELETE('/accounts/{accountId}/plan-request', { params: { path: { accountId } } })), {
    stale: staleOf(accountId),
  });
  if (planRequest === null) return null;
  const { plan, note, requestedAt, decision } = planRequest;
  const label = plans.find((each) => each.plan === plan)?.label ?? plan;
  const action =
    role === 'owner' ? (
      <Button loading={withdraw.isPending} onClick={() => withdraw.mutate(undefined)}>
        {decision === null ? 'Withdraw' : 'Dismiss'}
      </Button>
    ) : undefined;
  if (decision === null)
    return (
      <Alert type="info" header={`You have asked for ${label}`} action={action}>
        Sent {localTime(requestedAt)}
        {note === '' ? '' : `, with your note: ${note}`}. The decision will be shown here, and emailed to you if this service sends emails.
      </Alert>
    );
  return (
    <Alert
      type={decision.approved ? 'success' : 'warning'}
      header={decision.approved ? `You are on ${label} now` : `Your request for ${label} was declined`}
      action={action}
    >
      {decision.reason === '' ? `Decided at ${localTime(decision.at)}.` : `Message from the operator: ${decision.reason}`}
    </Alert>
  );
}

function AskForPlan({ account: { accountId, name }, plan, close }: { readonly account: Account; readonly plan: Plan; readonly close: () => void }) {
  const [note, setNote] = useState('');
  const ask = useChange(
    (api, body: { plan: Plan['plan']; note: string }) =>
      unwrap(api.PUT('/accounts/{accountId}/plan-request', { params: { path: { accountId } }, body })),
    { stale: staleOf(accountId), successMessage: 'Request sent.', showsFailure: true },
  );
  return (
    <Dialog
      close={close}
      header={`Ask for ${plan.label} for ${name}`}
      action={{ text: 'Ask', run: () => ask.mutate({ plan: plan.plan, note: note.trim() }, { onSuccess: close }), busy: ask.isPending }}
      failure={ask.error}
    >
      <SpaceBetween size="m">
        {plan.domains === 0 && <Alert type="warning">{plan.label} has no custom domains: those of this account would be suspended.</Alert>}
        <FormField label="Note" description="What the operator should know. You can leave it empty.">
          <Input autoFocus value={note} onChange={({ detail }) => setNote(detail.value)} autoComplete="off" />
        </FormField>
      </SpaceBetween>
    </Dialog>
  );
}
