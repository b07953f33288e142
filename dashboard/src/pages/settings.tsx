// A project's settings: its plan, its primary domain, its redirects and its access log, as a form and as JSON; and its deploy tokens.

import Alert from '@cloudscape-design/components/alert';
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Container from '@cloudscape-design/components/container';
import FormField from '@cloudscape-design/components/form-field';
import Header from '@cloudscape-design/components/header';
import KeyValuePairs from '@cloudscape-design/components/key-value-pairs';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Textarea from '@cloudscape-design/components/textarea';
import { type ChangeEvent, useRef, useState } from 'react';
import { changesBetween } from '../../../core/domains/configuration-changes.ts';
import { parseConfiguration, textOf } from '../configuration-draft.ts';
import { ConfigurationForm } from '../parts/configuration-form.tsx';
import { DeployTokens } from '../parts/deploy-tokens.tsx';
import { LeaveDialog } from '../parts/dialog.tsx';
import { download } from '../parts/download.ts';
import { Loaded, OfProject } from '../parts/failure.tsx';
import { breadcrumbsOf, Page } from '../parts/page.tsx';
import { Refusal } from '../parts/refusal.tsx';
import { useAccount, useAllDomains, useConfiguration, useMe, useSaveConfiguration } from '../queries.ts';
import type { Project, Configuration as StoredConfiguration } from '../shapes.ts';

/** The page with a project's settings. */
export function SettingsPage() {
  return (
    <OfProject>
      {(project) => (
        <Page title="Settings" breadcrumbs={breadcrumbsOf(project)}>
          <SpaceBetween size="l">
            <Plan project={project} />
            <Domains key={project.projectId} projectId={project.projectId} />
          </SpaceBetween>
        </Page>
      )}
    </OfProject>
  );
}

function Domains({ projectId }: { readonly projectId: string }) {
  const configuration = useConfiguration(projectId);
  return (
    <Loaded of={configuration}>
      {(stored) => (
        <SpaceBetween size="l">
          <Configuration projectId={projectId} stored={stored} />
          {/* Last, and not earlier: what loads above it would move it. */}
          <DeployTokens projectId={projectId} />
        </SpaceBetween>
      )}
    </Loaded>
  );
}

function Plan({ project: { accountId } }: { readonly project: Project }) {
  const account = useAccount(accountId);
  const withDomains = useMe().data?.platform.plans.find(({ domains }) => domains > 0);
  return (
    <Container
      header={
        <Header
          variant="h2"
          description={`Set per account, for all its projects. ${withDomains ? `Custom domains need ${withDomains.label} or a larger plan. ` : ''}You can ask the operator for another plan.`}
          actions={
            <SpaceBetween direction="horizontal" size="xs">
              <Button href={`/accounts/${accountId}/usage`}>Usage</Button>
              <Button href={`/accounts/${accountId}/plan`}>Plans</Button>
            </SpaceBetween>
          }
        >
          Plan
        </Header>
      }
    >
      <KeyValuePairs
        columns={4}
        items={[
          { label: 'Account', value: account?.name },
          { label: 'Plan', value: account?.plan },
          { label: 'Requests per minute', value: account?.limits.perMinute.toLocaleString() },
          { label: 'Requests per day', value: account?.limits.perDay.toLocaleString() },
        ]}
      />
    </Container>
  );
}

/** The text is what is saved; the form only edits the text. */
function Configuration({ projectId, stored }: { readonly projectId: string; readonly stored: StoredConfiguration }) {
  const domains = useAllDomains(projectId);
  // What was stored when the draft was begun; it differs from what is stored once another user saves.
  const [base, setBase] = useState(stored);
  const [text, setText] = useState(textOf(stored));
  const isChanged = text !== textOf(base);
  useConfiguration(projectId, isChanged);
  const draft = parseConfiguration(text);
  const put = useSaveConfiguration(projectId, { showsFailure: true });
  const keepMine = () => {
    setBase(stored);
    put.reset();
  };
  const take = (value: StoredConfiguration) => {
    setBase(value);
    setText(textOf(value));
    put.reset();
  };
  if (stored !== base && !isChanged) {
    setBase(stored);
    setText(textOf(stored));
  }
  const saved = (sent: string) => (value: StoredConfiguration) => {
    setBase(value);
    // What was typed meanwhile stays.
    setText((typed) => (typed === sent ? textOf(value) : typed));
    put.reset();
  };
  const save = () => put.mutate({ read: base, next: JSON.parse(text) }, { onSuccess: saved(text) });
  const theirs = changesBetween(base, stored).join('; ') || 'the redirects are in another order';
  return (
    <SpaceBetween size="l">
      {textOf(stored) !== textOf(base) && (
        <Alert
          type="warning"
          header="Another user has saved changes"
          action={
            <SpaceBetween direction="horizontal" size="xs">
              <Button onClick={() => take(stored)}>Load their version</Button>
              <Button onClick={keepMine}>Keep mine</Button>
            </SpaceBetween>
          }
        >
          Since you began: {theirs}. If you keep yours and save it, it replaces theirs.
        </Alert>
      )}
      <Container
        header={
          <Header
            variant="h2"
            description="All names must be domains of this project; the primary domain and all redirect targets must be live."
            actions={
              <SpaceBetween direction="horizontal" size="xs">
                <ImportExport projectId={projectId} text={text} setText={setText} />
                <Button onClick={() => take(stored)} disabled={!isChanged}>
                  Discard
                </Button>
                <Button variant="primary" onClick={save} loading={put.isPending} disabled={draft === undefined || !isChanged}>
                  Save
                </Button>
              </SpaceBetween>
            }
          >
            Primary domain, redirects and logs
          </Header>
        }
      >
        {draft === undefined ? (
          <Box>The JSON below is not a valid configuration yet.</Box>
        ) : (
          <Refusal failure={put.error} header="Not saved">
            <ConfigurationForm draft={draft} change={(next) => setText(textOf(next))} hosts={(domains.data ?? []).map(({ host }) => host)} />
          </Refusal>
        )}
      </Container>
      <Container
        header={
          <Header variant="h2" description="The same configuration as JSON, for export and import.">
            As JSON
          </Header>
        }
      >
        <FormField label="Configuration" stretch errorText={draft === undefined && 'This is not a valid configuration.'}>
          <Textarea rows={14} spellcheck={false} value={text} onChange={({ detail }) => setText(detail.value)} />
        </FormField>
      </Container>
      <LeaveDialog asks={isChanged} header="Leave without saving?" text="Your changes will be lost." />
    </SpaceBetween>
  );
}

function ImportExport({ projectId, text, setText }: { readonly projectId: string; readonly text: string; readonly setText: (text: string) => void }) {
  const input = useRef<HTMLInputElement>(null);
  const read = async ({ target }: ChangeEvent<HTMLInputElement>) => {
    const [file] = target.files ?? [];
    if (file !== undefined) setText(await file.text());
    target.value = '';
  };
  return (
    <SpaceBetween direction="horizontal" size="xs">
      <input ref={input} type="file" accept="application/json" aria-label="File to import" hidden onChange={(event) => void read(event)} />
      <Button onClick={() => input.current?.click()} iconName="upload">
        Import
      </Button>
      <Button onClick={() => download(`${projectId}.json`, 'application/json', text)} iconName="download">
        Export
      </Button>
    </SpaceBetween>
  );
}
