// A project's settings: its primary domain, its redirects and its access log, as a form and as JSON; and its deploy tokens.

import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { changesBetween } from '../../../core/domains/configuration-changes.ts';
import { download } from '../api.ts';
import { type DomainConfiguration, parseConfiguration, textOf } from '../configuration-draft.ts';
import { FileButton } from '../parts/choose-files.tsx';
import { ConfigurationForm } from '../parts/configuration-form.tsx';
import { DeployTokens } from '../parts/deploy-tokens.tsx';
import { LeaveDialog } from '../parts/dialog.tsx';
import { Loaded, OfProject } from '../parts/failure.tsx';
import { breadcrumbsOf, Page } from '../parts/page.tsx';
import { Field, Refusal } from '../parts/refusal.tsx';
import { useAllDomains, useConfiguration, useSaveConfiguration } from '../queries.ts';
import type { Configuration as StoredConfiguration } from '../shapes.ts';
import { Fold, Notice, Section } from '../ui/blocks.tsx';
import { Button } from '../ui/button.tsx';
import { TextArea } from '../ui/field.tsx';

/** The page with a project's settings. */
export function SettingsPage() {
  const { projectId = '' } = useParams({ strict: false });
  const configuration = useConfiguration(projectId);
  return (
    <OfProject>
      {(project) => (
        <Page title="Redirects and tokens" breadcrumbs={breadcrumbsOf(project)}>
          <Loaded of={configuration}>
            {(stored) => (
              <div className="stack large">
                <Configuration key={projectId} projectId={projectId} stored={stored} />
                {/* Last, because anything that loads above it would move it. */}
                <DeployTokens projectId={projectId} />
              </div>
            )}
          </Loaded>
        </Page>
      )}
    </OfProject>
  );
}

/** The text is what is saved; the form only edits it. */
function Configuration({ projectId, stored }: { readonly projectId: string; readonly stored: StoredConfiguration }) {
  const domains = useAllDomains(projectId);
  // The configuration that the draft started from. It differs from the stored one once another user saves.
  const [base, setBase] = useState(stored);
  const [text, setText] = useState(textOf(stored));
  const isChanged = text !== textOf(base);
  useConfiguration(projectId, isChanged);
  const draft = parseConfiguration(text);
  const put = useSaveConfiguration(projectId, base);
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
    // Keeps what was typed meanwhile.
    setText((typed) => (typed === sent ? textOf(value) : typed));
    put.reset();
  };
  const save = () => put.mutate(JSON.parse(text), { onSuccess: saved(text) });
  const change = (next: DomainConfiguration) => {
    // Reported problems refer to redirects by position.
    if (put.isError && next.domains.redirects.length !== draft?.domains.redirects.length) put.reset();
    setText(textOf(next));
  };
  const theirs = changesBetween(base, stored).join('; ') || 'the redirects are in another order';
  return (
    <div className="stack large">
      {textOf(stored) !== textOf(base) && (
        <Notice
          kind="warning"
          title="Another user has saved changes"
          action={
            <div className="row">
              <Button onClick={() => take(stored)}>Load their version</Button>
              <Button onClick={keepMine}>Keep mine</Button>
            </div>
          }
        >
          Since you began: {theirs}. If you keep yours and save it, it replaces theirs.
        </Notice>
      )}
      <Section
        title="Primary domain, redirects and logs"
        description="All names must be domains of this project; the primary domain and all redirect targets must be live."
      >
        {draft === undefined ? (
          <p>The JSON below is not a valid configuration yet.</p>
        ) : (
          <Refusal failure={put.error} header="Not saved">
            <ConfigurationForm draft={draft} change={change} hosts={(domains.data ?? []).map(({ host }) => host)} />
          </Refusal>
        )}
        <footer className="row">
          <Button kind="primary" onClick={save} busy={put.isPending} disabled={draft === undefined || !isChanged}>
            Save
          </Button>
          <Button onClick={() => take(stored)} disabled={!isChanged}>
            Discard
          </Button>
        </footer>
      </Section>
      <Fold title="As JSON">
        <div className="stack">
          <p className="muted">The same configuration as JSON, for export and import.</p>
          <div className="row">
            <FileButton text="Import" label="File to import" accept="application/json" choose={([file]) => void file?.text().then(setText)} />
            <Button onClick={() => download(`${projectId}.json`, 'application/json', text)} icon="download">
              Export
            </Button>
          </div>
          <Field label="Configuration" error={draft === undefined && 'This is not a valid configuration.'}>
            <TextArea rows={14} spellCheck={false} value={text} change={setText} />
          </Field>
        </div>
      </Fold>
      <LeaveDialog asks={isChanged} header="Leave without saving?" text="Your changes will be lost." />
    </div>
  );
}
