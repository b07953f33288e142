// A domain: the record to set, what was seen of it, how far it is, and what can be done.

import Alert from '@cloudscape-design/components/alert';
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Container from '@cloudscape-design/components/container';
import CopyToClipboard from '@cloudscape-design/components/copy-to-clipboard';
import FormField from '@cloudscape-design/components/form-field';
import Header from '@cloudscape-design/components/header';
import Input from '@cloudscape-design/components/input';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Table from '@cloudscape-design/components/table';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { unwrap } from '../api.ts';
import { Dialog } from '../parts/dialog.tsx';
import { DomainState } from '../parts/domain-state.tsx';
import { Loaded } from '../parts/failure.tsx';
import { Page } from '../parts/page.tsx';
import { Timeline } from '../parts/timeline.tsx';
import { type Domain, useChange, useDomain, useProject } from '../queries.ts';
import { canVerify, isCertificateLate, sentence } from '../stages.ts';

const ACTORS: Readonly<Record<string, string>> = {
  owner: 'You, where the name is registered',
  dns_provider: 'Your DNS provider',
  platform: 'We, the platform',
  nobody: 'Nobody: it takes time',
};
export function DomainPage() {
  const { projectId = '', domainId = '' } = useParams({ strict: false });
  const project = useProject(projectId);
  const domain = useDomain(projectId, domainId);
  const [removing, setRemoving] = useState(false);
  const path = { projectId, domainId };
  const stale = [
    ['domain', domainId],
    ['domains', projectId],
  ];
  const verify = useChange((api) => unwrap(api.POST('/dashboard/v1/projects/{projectId}/domains/{domainId}/verify', { params: { path } })), stale);
  const publish = useChange(
    (api) => unwrap(api.POST('/dashboard/v1/projects/{projectId}/domains/{domainId}/publish', { params: { path } })),
    stale,
    'The records are set. Verify goes on from here.',
  );
  return (
    <Loaded of={project}>
      {(data) => (
        <Loaded of={domain}>
          {(found) => (
            <Page
              title={found.host}
              project={data}
              way={[
                { text: data.name, href: `/projects/${projectId}` },
                { text: 'Domains', href: `/projects/${projectId}/domains` },
              ]}
              description={<DomainState domain={found} />}
              actions={
                <SpaceBetween direction="horizontal" size="xs">
                  <Button onClick={() => setRemoving(true)}>Remove</Button>
                  <Button
                    variant="primary"
                    onClick={() => verify.mutate(undefined)}
                    loading={verify.isPending}
                    disabled={!canVerify(found, Date.now())}
                  >
                    {found.state === 'awaiting_dns' || found.state === 'verifying' ? 'Verify' : 'Re-verify'}
                  </Button>
                </SpaceBetween>
              }
            >
              <SpaceBetween size="l">
                <Advice domain={found} />
                <Records domain={found} publish={() => publish.mutate(undefined)} publishing={publish.isPending} />
                <Container header={<Header variant="h2">Progress</Header>}>
                  <Timeline domain={found} />
                </Container>
              </SpaceBetween>
              {removing && <RemoveDomain domain={found} close={() => setRemoving(false)} />}
            </Page>
          )}
        </Loaded>
      )}
    </Loaded>
  );
}

/** What was seen beside what is needed, and who must act. */
function Advice({ domain }: { readonly domain: Domain }) {
  const { diagnosis, failure, detail, reason } = domain;
  if (isCertificateLate(domain, Date.now()))
    return (
      <Alert type="warning" header="The certificate has not come within 30 minutes">
        Check that the domain still verifies and that CAA records at your DNS provider do not block the certificate authority, then choose Re-verify.
      </Alert>
    );
  if (failure !== undefined)
    return (
      <Alert type="error" header={`No certificate: ${failure.replaceAll('_', ' ')}`}>
        {detail}
      </Alert>
    );
  if (reason !== undefined)
    return (
      <Alert type="warning" header="Not served">
        The {reason.replaceAll('_', ' ')} of this project does not allow domains any more. Choose Re-verify when that has changed.
      </Alert>
    );
  if (diagnosis === null || diagnosis.code === 'ok' || diagnosis.code === 'ok_flattened') return null;
  return (
    <Alert type={diagnosis.actor === 'nobody' ? 'info' : 'warning'} header={sentence(diagnosis.fix)}>
      <Box>
        <strong>Seen:</strong> {sentence(diagnosis.seen)}
      </Box>
      <Box>
        <strong>Who must act:</strong> {ACTORS[diagnosis.actor]}
      </Box>
    </Alert>
  );
}

function Records({ domain, publish, publishing }: { readonly domain: Domain; readonly publish: () => void; readonly publishing: boolean }) {
  const { records } = domain;
  const apex = records.some(({ type }) => type === 'ALIAS');
  const copy = (what: string, text: string) => (
    <CopyToClipboard
      variant="inline"
      textToCopy={text}
      copyButtonAriaLabel={`Copy the ${what} ${text}`}
      copySuccessText="Copied"
      copyErrorText="Copying failed"
    />
  );
  return (
    <Table
      header={
        <Header
          variant="h2"
          description={
            apex
              ? 'A domain without subdomain needs ALIAS, ANAME or flattening instead of a CNAME. Cloudflare, DNSimple, Netlify, Porkbun and Route 53 know one of them; many others do not: use a subdomain such as www there.'
              : 'Set this where the name is registered. It can take up to 48 hours until everybody sees it.'
          }
          actions={
            <Button onClick={publish} loading={publishing} disabled={domain.state === 'live' || domain.state === 'removing'}>
              Publish for me
            </Button>
          }
        >
          {records.length === 1 ? 'The record to set' : 'The records to set'}
        </Header>
      }
      items={records}
      trackBy={({ type, name }) => `${type} ${name}`}
      columnDefinitions={[
        { id: 'type', header: 'Type', isRowHeader: true, cell: ({ type }) => type },
        { id: 'name', header: 'Name', cell: ({ name }) => copy('name', name) },
        { id: 'value', header: 'Value', cell: ({ value }) => copy('value', value) },
        { id: 'ttl', header: 'TTL (seconds)', cell: ({ ttl }) => copy('TTL', String(ttl)) },
      ]}
    />
  );
}

function RemoveDomain({ domain, close }: { readonly domain: Domain; readonly close: () => void }) {
  const { projectId, domainId, host } = domain;
  const [typed, setTyped] = useState('');
  const navigate = useNavigate();
  const remove = useChange(
    (api) => unwrap(api.DELETE('/dashboard/v1/projects/{projectId}/domains/{domainId}', { params: { path: { projectId, domainId } } })),
    [['domains', projectId]],
    `${host} is not served any more.`,
  );
  return (
    <Dialog
      close={close}
      header={`Remove ${host}`}
      footer={
        <Box float="right">
          <SpaceBetween direction="horizontal" size="xs">
            <Button variant="link" onClick={close}>
              Cancel
            </Button>
            <Button
              variant="primary"
              disabled={typed !== host}
              loading={remove.isPending}
              onClick={() =>
                remove.mutate(undefined, { onSuccess: () => void navigate({ to: '/projects/$projectId/domains', params: { projectId } }) })
              }
            >
              Remove
            </Button>
          </SpaceBetween>
        </Box>
      }
    >
      <SpaceBetween size="m">
        <Alert type="warning">
          Visitors of {host} are turned away at once, and its certificate is given up. Records that you have set yourself stay where they are: remove
          them too.
        </Alert>
        <FormField label={`To confirm, type ${host}`}>
          <Input value={typed} onChange={({ detail }) => setTyped(detail.value)} autoComplete="off" />
        </FormField>
      </SpaceBetween>
    </Dialog>
  );
}
