// Settings of a project: the configuration of its domains, as a form and as JSON.

import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Container from '@cloudscape-design/components/container';
import FormField from '@cloudscape-design/components/form-field';
import Header from '@cloudscape-design/components/header';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Textarea from '@cloudscape-design/components/textarea';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { unwrap } from '../api.ts';
import { Loaded } from '../parts/failure.tsx';
import { Page } from '../parts/page.tsx';
import { useChange, useConfiguration, useMe, useProject } from '../queries.ts';

export function SettingsPage() {
  const { projectId = '' } = useParams({ strict: false });
  const project = useProject(projectId);
  const configuration = useConfiguration(projectId);
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
            <Loaded of={configuration}>{(value) => <Configuration key={JSON.stringify(value)} projectId={projectId} value={value} />}</Loaded>
          </SpaceBetween>
        </Page>
      )}
    </Loaded>
  );
}

function Configuration({ projectId, value }: { readonly projectId: string; readonly value: unknown }) {
  const [text, setText] = useState(JSON.stringify(value, null, 2));
  const parsed = parse(text);
  const put = useChange(
    (api, body: unknown) =>
      unwrap(api.PUT('/dashboard/v1/projects/{projectId}/configuration', { params: { path: { projectId } }, body: body as never })),
    [['configuration', projectId]],
    'Saved; served from the next request on.',
  );
  const download = () => {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
    link.download = `${projectId}.json`;
    link.click();
    URL.revokeObjectURL(link.href);
  };
  return (
    <Container
      header={
        <Header
          variant="h2"
          description="The primary domain, and domains that lead to another one. All of them must be domains of this project."
          actions={
            <SpaceBetween direction="horizontal" size="xs">
              <Button onClick={download} iconName="download">
                Export
              </Button>
              <Button variant="primary" onClick={() => put.mutate(parsed)} loading={put.isPending} disabled={parsed === undefined}>
                Save
              </Button>
            </SpaceBetween>
          }
        >
          Domains as JSON
        </Header>
      }
    >
      <FormField
        label="Configuration"
        stretch
        errorText={parsed === undefined ? 'This is not JSON.' : put.error?.message}
        constraintText={'Such as {"domains":{"primary":"www.example.com","redirects":[{"from":"example.com","to":"www.example.com","status":301}]}}'}
      >
        <Textarea rows={14} spellcheck={false} value={text} onChange={({ detail }) => setText(detail.value)} />
      </FormField>
    </Container>
  );
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
