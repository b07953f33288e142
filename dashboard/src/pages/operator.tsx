// What operators see of the whole installation: requests waiting for them, what is late or in trouble, and all accounts.

import { type FormEvent, useState } from 'react';
import { taskFor } from '../advice.ts';
import { usePages } from '../pages-of.ts';
import { ChangePlan, CustomerDetails, Decide, Resume, Suspend, titleOf } from '../parts/customer-dialogs.tsx';
import { DomainState } from '../parts/domain-state.tsx';
import { Loaded } from '../parts/failure.tsx';
import { ItemTable } from '../parts/item-table.tsx';
import { Page } from '../parts/page.tsx';
import { AsciiHost, Breakable } from '../parts/text.tsx';
import { useMe, useRead } from '../queries.ts';
import type { Customer, Installation } from '../shapes.ts';
import { localDay, localTime } from '../times.ts';
import { Facts, Notice, Section, Status } from '../ui/blocks.tsx';
import { Button } from '../ui/button.tsx';

const REFRESH_MS = 30_000;

/** The operator's page. */
export function OperatorPage() {
  const me = useMe();
  return (
    <Page title="Operator" description="The whole installation, with the accounts of all customers.">
      <Loaded of={me}>
        {({ operator, secondFactor }) => {
          if (!operator) return <Notice kind="warning">This page is for operators. The installation's settings name them.</Notice>;
          if (secondFactor === false)
            return (
              <Notice kind="warning" title="Sign in with a second factor" action={<Button href="/security">Sign-in and security</Button>}>
                What you can do here affects every customer. Set up a passkey or an authenticator app, then sign out, and sign in again with it.
              </Notice>
            );
          return (
            <div className="stack large">
              <State />
              <Requests />
              <Trouble />
              <Customers />
            </div>
          );
        }}
      </Loaded>
    </Page>
  );
}

/** Labels for what the service checks. */
const CHECKS: Readonly<Record<string, string>> = {
  accounts: 'Account data',
  storage: 'Storage',
  space: 'Disk space',
  file_removals: 'Removal of files',
  authority: 'Certificate authority',
};
/** Queues for which the page shows more than the check's result. */
const COUNTED: readonly string[] = ['domains', 'notifications'];
const KINDS = { ok: 'success', warning: 'warning', failed: 'error' } as const;

function State() {
  const read = useRead('/operator/installation', {}, { interval: () => REFRESH_MS });
  return (
    <Section title="Installation">
      <Loaded of={read}>
        {({ checks, accounts, domainWork, mail }) => (
          <Facts
            items={[
              ...checkFacts(checks ?? []),
              {
                label: 'All accounts',
                value: `${accounts.all.toLocaleString()}${accounts.suspended > 0 ? `, ${accounts.suspended} suspended` : ''}`,
              },
              { label: 'Domain jobs', value: <Late of={domainWork} /> },
              { label: 'Email', value: mail === null ? 'Off' : <Late of={mail} /> },
            ]}
          />
        )}
      </Loaded>
    </Section>
  );
}

/** Returns the checks that are not ok, or a line saying that all passed. */
function checkFacts(checks: NonNullable<Installation['checks']>) {
  const own = checks.filter(({ name }) => !COUNTED.includes(name));
  const wrong = own.filter(({ state }) => state !== 'ok');
  if (wrong.length === 0) return own.length === 0 ? [] : [{ label: 'Checks', value: <Status kind="success">all passed</Status> }];
  return wrong.map(({ name, state, reason }) => ({
    label: CHECKS[name] ?? name,
    value: <Status kind={KINDS[state]}>{reason ?? state}</Status>,
  }));
}

/** The service counts up to this many. */
const MOST = 100;

function Late({ of: { count, since } }: { readonly of: Installation['domainWork'] }) {
  if (since === null) return <Status kind="success">on time</Status>;
  return <Status kind="warning">{`${count}${count === MOST ? ' or more' : ''} late since ${localTime(since)}`}</Status>;
}

const useCustomers = (query: { readonly only?: 'plan_request'; readonly search?: string }) => usePages('/operator/accounts', {}, { query });

function usePlanLabels(): (plan: Customer['plan']) => string {
  const plans = useMe().data?.platform.plans ?? [];
  return (plan) => plans.find((each) => each.plan === plan)?.label ?? plan;
}

/** Open requests for another plan. */
function Requests() {
  const requests = useCustomers({ only: 'plan_request' });
  const labelOf = usePlanLabels();
  return (
    <Loaded of={requests}>
      {(items) => (
        <ItemTable
          title="Plan requests"
          items={items}
          more={requests.more}
          id={({ accountId }) => accountId}
          nameOf={titleOf}
          menu={(customer) => [
            { text: 'Approve', isMain: true, dialog: <Decide customer={customer} approved /> },
            { text: 'Decline', risky: true, dialog: <Decide customer={customer} approved={false} /> },
          ]}
          columns={[
            {
              ...ACCOUNT,
              cell: (customer) => (
                <>
                  {ACCOUNT.cell(customer)}
                  {customer.planRequest !== null && customer.planRequest.note !== '' && (
                    <p>
                      “<Breakable text={customer.planRequest.note} />”
                    </p>
                  )}
                </>
              ),
            },
            { header: 'From', text: ({ plan }) => labelOf(plan) },
            { header: 'To', text: ({ planRequest }) => (planRequest === null ? '' : labelOf(planRequest.plan)) },
            { header: 'Asked', at: ({ planRequest }) => planRequest?.requestedAt },
          ]}
          empty={<p>No open requests.</p>}
        />
      )}
    </Loaded>
  );
}

/** Domains in trouble, which their owners or the operator must fix. */
function Trouble() {
  // No limit parameter: for each page, the service reads a bounded number of domains, possibly none of them in trouble.
  const domains = usePages('/operator/domains', {}, { query: { limit: undefined } });
  return (
    <Loaded of={domains}>
      {(items) => (
        <ItemTable
          title="Domains in trouble"
          items={items}
          more={domains.more}
          id={({ domainId }) => domainId}
          columns={[
            {
              header: 'Domain',
              cell: (domain) => (
                <>
                  <Breakable text={domain.displayHost} />
                  <AsciiHost domain={domain} />
                  <small>
                    <Breakable text={`${domain.projectName}, ${domain.accountName}`} />
                  </small>
                </>
              ),
              text: ({ host, displayHost, accountName }) => `${displayHost} ${host} ${accountName}`,
            },
            { header: 'State', cell: (domain) => <DomainState domain={domain} />, text: ({ stateLabel }) => stateLabel },
            { header: 'Since', at: ({ lastFailure, since }) => lastFailure?.since ?? since },
            { header: 'What was found', text: ({ lastFailure, advice }) => lastFailure?.seen ?? advice?.seen ?? '' },
            { header: 'What to do', text: taskFor },
          ]}
          empty={<p>{domains.more === undefined ? 'All records and certificates are fine.' : 'None so far; there are more to check.'}</p>}
        />
      )}
    </Loaded>
  );
}

/** All accounts. The service does the search, because there may be too many to read all of them. */
function Customers() {
  const [typed, setTyped] = useState('');
  const [search, setSearch] = useState('');
  const labelOf = usePlanLabels();
  const customers = useCustomers(search === '' ? {} : { search });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setSearch(typed.trim());
  };
  return (
    <Loaded of={customers}>
      {(items) => (
        <ItemTable
          title="Accounts"
          actions={
            <search>
              <form className="row search" onSubmit={submit}>
                <input
                  type="search"
                  aria-label="Find accounts"
                  placeholder="Name, id, email or domain"
                  maxLength={320}
                  value={typed}
                  onChange={({ target }) => setTyped(target.value)}
                />
                <Button submit>Find</Button>
              </form>
            </search>
          }
          items={items}
          more={customers.more}
          id={({ accountId }) => accountId}
          nameOf={titleOf}
          menu={(customer) => [
            { text: 'Details', dialog: <CustomerDetails customer={customer} /> },
            { text: 'Change plan', dialog: <ChangePlan customer={customer} /> },
            customer.suspension === null
              ? { text: 'Suspend', risky: true, dialog: <Suspend customer={customer} /> }
              : { text: 'Resume', dialog: <Resume customer={customer} /> },
          ]}
          columns={[
            ACCOUNT,
            {
              header: 'Plan',
              cell: ({ plan, limits }) => (
                <>
                  {labelOf(plan)}
                  <small>
                    {limits.perMinute.toLocaleString()} a minute, {limits.perDay.toLocaleString()} a day
                  </small>
                </>
              ),
              text: ({ plan }) => labelOf(plan),
            },
            {
              header: 'State',
              cell: ({ suspension }) =>
                suspension === null ? (
                  <Status kind="success">in use</Status>
                ) : (
                  <>
                    <Status kind="stopped">suspended</Status>
                    <small>
                      {localDay(suspension.since)}: <Breakable text={suspension.reason} />
                    </small>
                  </>
                ),
              text: ({ suspension }) => (suspension === null ? 'in use' : 'suspended'),
            },
            { header: 'Created', at: ({ createdAt }) => createdAt },
          ]}
          empty={<p>{search === '' ? 'No accounts.' : 'No account matches.'}</p>}
        />
      )}
    </Loaded>
  );
}

const ACCOUNT = {
  header: 'Account',
  cell: ({ name, accountId, suspension }: Customer) => (
    <>
      <Breakable text={name} />
      <small className="hint muted">
        {accountId}
        {suspension !== null && ', suspended'}
      </small>
    </>
  ),
  text: ({ name, accountId }: Customer) => `${name} ${accountId}`,
};
