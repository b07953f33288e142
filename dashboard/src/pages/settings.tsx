// Settings of a project: its primary domain and its redirects, as a form and as JSON.

import AttributeEditor from '@cloudscape-design/components/attribute-editor';
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Container from '@cloudscape-design/components/container';
import FormField from '@cloudscape-design/components/form-field';
import Header from '@cloudscape-design/components/header';
import Select from '@cloudscape-design/components/select';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Textarea from '@cloudscape-design/components/textarea';
import { useParams } from '@tanstack/react-router';
import { type ChangeEvent, useRef, useState } from 'react';
import { unwrap } from '../api.ts';
import { addRedirect, type DomainConfiguration, parseConfiguration, removeRedirect, setPrimary, setRedirect } from '../configuration-draft.ts';
import { Loaded } from '../parts/failure.tsx';
import { Page } from '../parts/page.tsx';
import { type Domain, useChange, useConfiguration, useDomains, useMe, useProject } from '../queries.ts';

const STATUSES = [301, 302, 307, 308].map((status) => ({ value: String(status), label: String(status) }));
const NO_PRIMARY = { value: '', label: 'none' };

export function SettingsPage() {
  const { projectId = '' } = useParams({ strict: false });
  const project = useProject(projectId);
  const configuration = useConfiguration(projectId);
  const domains = useDomains(projectId);
  const me = useMe();
  return (
    <Loaded of={project}>
      {(data) => (
        <Page title="Settings" project={data} way={[{ text: data.name, href: `/projects/${projectId}` }]}>
          <SpaceBetween size="l">
            <Container header={<Header variant="h2">Plan</Header>}>
              <Box>
                {me.data?.accounts.find(({ accountId }) => accountId === data.accountId)?.plan}. Custom domains need the plan Pro or above; the
                platform's operator changes it.
              </Box>
            </Container>
            <Loaded of={configuration}>
              {(value) => <Configuration key={JSON.stringify(value)} projectId={projectId} value={value} domains={domains.data ?? []} />}
            </Loaded>
          </SpaceBetween>
        </Page>
      )}
    </Loaded>
  );
}

interface ConfigurationProps {
  readonly projectId: string;
  readonly value: DomainConfiguration;
  readonly domains: readonly Domain[];
}

/** The text is what is saved; the form is another way to write it. */
function Configuration({ projectId, value, domains }: ConfigurationProps) {
  const [text, setText] = useState(JSON.stringify(value, null, 2));
  const draft = parseConfiguration(text);
  const change = (next: DomainConfiguration) => setText(JSON.stringify(next, null, 2));
  const put = useChange(
    (api, body: unknown) =>
      unwrap(api.PUT('/dashboard/v1/projects/{projectId}/configuration', { params: { path: { projectId } }, body: body as never })),
    [['configuration', projectId]],
    'Saved; served from the next request on.',
  );
  const save = (
    <Button variant="primary" onClick={() => put.mutate(JSON.parse(text))} loading={put.isPending} disabled={draft === undefined}>
      Save
    </Button>
  );
  return (
    <SpaceBetween size="l">
      <Container header={<Header variant="h2">Primary domain and redirects</Header>}>
        {draft === undefined ? (
          <Box>The JSON below is not a configuration yet.</Box>
        ) : (
          <ConfigurationForm draft={draft} change={change} domains={domains} />
        )}
      </Container>
      <Container
        header={
          <Header
            variant="h2"
            description="The same, as it is stored. All domains must be of this project."
            actions={
              <SpaceBetween direction="horizontal" size="xs">
                <ImportExport projectId={projectId} text={text} setText={setText} />
                {save}
              </SpaceBetween>
            }
          >
            As JSON
          </Header>
        }
      >
        <FormField label="Configuration" stretch errorText={draft === undefined ? 'This is not JSON of a configuration.' : put.error?.message}>
          <Textarea rows={14} spellcheck={false} value={text} onChange={({ detail }) => setText(detail.value)} />
        </FormField>
      </Container>
    </SpaceBetween>
  );
}

interface FormProps {
  readonly draft: DomainConfiguration;
  readonly change: (next: DomainConfiguration) => void;
  readonly domains: readonly Domain[];
}

function ConfigurationForm({ draft, change, domains }: FormProps) {
  const { primary, redirects } = draft.domains;
  const hosts = domains.map(({ host }) => ({ value: host, label: host }));
  const chosen = (host: string) => (host === '' ? null : { value: host, label: host });
  return (
    <SpaceBetween size="l">
      <FormField label="Primary domain">
        <Select
          selectedOption={primary === undefined ? NO_PRIMARY : { value: primary, label: primary }}
          options={[NO_PRIMARY, ...hosts]}
          onChange={({ detail }) => change(setPrimary(draft, detail.selectedOption.value))}
        />
      </FormField>
      <AttributeEditor
        items={redirects}
        addButtonText="Add redirect"
        removeButtonText="Remove"
        empty="No redirects."
        onAddButtonClick={() => change(addRedirect(draft))}
        onRemoveButtonClick={({ detail }) => change(removeRedirect(draft, detail.itemIndex))}
        definition={[
          {
            label: 'From',
            control: ({ from }, index) => (
              <Select
                placeholder="A domain"
                selectedOption={chosen(from)}
                options={hosts}
                onChange={({ detail }) => change(setRedirect(draft, index, { from: detail.selectedOption.value ?? '' }))}
              />
            ),
          },
          {
            label: 'To',
            control: ({ to }, index) => (
              <Select
                placeholder="A live domain"
                selectedOption={chosen(to)}
                options={hosts}
                onChange={({ detail }) => change(setRedirect(draft, index, { to: detail.selectedOption.value ?? '' }))}
              />
            ),
          },
          {
            label: 'Status',
            control: ({ status }, index) => (
              <Select
                selectedOption={{ value: String(status), label: String(status) }}
                options={STATUSES}
                onChange={({ detail }) => change(setRedirect(draft, index, { status: Number(detail.selectedOption.value) }))}
              />
            ),
          },
        ]}
      />
    </SpaceBetween>
  );
}

function ImportExport({ projectId, text, setText }: { readonly projectId: string; readonly text: string; readonly setText: (text: string) => void }) {
  const input = useRef<HTMLInputElement>(null);
  const download = () => {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
    link.download = `${projectId}.json`;
    link.click();
    URL.revokeObjectURL(link.href);
  };
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
      <Button onClick={download} iconName="download">
        Export
      </Button>
    </SpaceBetween>
  );
}
