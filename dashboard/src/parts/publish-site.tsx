// Publishing a site: choose a folder, files or a zip, see what will be sent, and send it.

import Alert from '@cloudscape-design/components/alert';
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Container from '@cloudscape-design/components/container';
import { useFilesDragging } from '@cloudscape-design/components/file-dropzone';
import Header from '@cloudscape-design/components/header';
import Link from '@cloudscape-design/components/link';
import LiveRegion from '@cloudscape-design/components/live-region';
import ProgressBar from '@cloudscape-design/components/progress-bar';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Spinner from '@cloudscape-design/components/spinner';
import { type ReactNode, useEffect, useRef } from 'react';
import { type Amount, percentOf } from '../../../core/publishing/progress.ts';
import type { Phase } from '../../../core/publishing/publishing.ts';
import { readFailureText } from '../failures.ts';
import { checkSelection, type DeploymentLimits, type Selection } from '../publish/site-files.ts';
import { type PublishActions, usePublishing } from '../publish/use-publishing.ts';
import { useAccount, useAddressOf, useConfiguration, useDomains, useMe } from '../queries.ts';
import { type Project, sizeText } from '../shapes.ts';
import { addressesOf } from '../stages.ts';
import { ChooseFiles } from './choose-files.tsx';
import { LeaveDialog } from './dialog.tsx';
import { Breakable } from './text.tsx';

const PHASES: Readonly<Record<Phase, string>> = { preparing: 'Reading the files', sending: 'Sending', publishing: 'Publishing' };
/** Problems shown; the others are counted. */
const MOST_PROBLEMS = 5;

/** Publishes a site in a project. */
export function PublishSite({ project }: { readonly project: Project }) {
  const { projectId, accountId } = project;
  const account = useAccount(accountId);
  const plan = useMe().data?.platform.plans.find((each) => each.plan === account?.plan);
  const actions = usePublishing(projectId);
  // What is dropped beside the area would replace the page.
  useFilesDragging();
  const { state } = actions;
  const area = useRef<HTMLElement>(null);
  const shown = useRef(state.name);
  useEffect(() => {
    // The button that was used is gone: without this, the focus would return to the top of the page.
    if (shown.current !== state.name && document.activeElement === document.body) area.current?.focus({ preventScroll: true });
    shown.current = state.name;
  }, [state.name]);
  const description = plan && `${plan.label} plan: at most ${limitsText(plan.deployment)}.`;
  return (
    <Container
      header={
        <Header variant="h2" description={description}>
          Publish
        </Header>
      }
    >
      <section ref={area} className="publish" tabIndex={-1} aria-label="Publish">
        <Step actions={actions} limits={plan?.deployment} project={project} />
      </section>
      <LeaveDialog
        asks={state.name === 'running'}
        header="Stop sending?"
        text="Files are still being sent, and nothing is published yet. To continue later in this tab, choose the same files again."
      />
    </Container>
  );
}

interface StepProps {
  readonly actions: PublishActions;
  readonly limits: DeploymentLimits | undefined;
  readonly project: Project;
}

function Step({ actions, limits, project }: StepProps) {
  const { state, start, cancel, discard } = actions;
  switch (state.name) {
    case 'empty':
      return (
        <SpaceBetween size="m">
          {state.failure !== undefined && <Alert type="error">{state.failure.message}</Alert>}
          <ChooseFiles choose={actions.choose} />
        </SpaceBetween>
      );
    case 'listing':
      return (
        <span role="status">
          <Spinner /> Listing the files
        </span>
      );
    case 'chosen':
      return <Chosen selection={state.selection} limits={limits} publish={start} discard={discard} />;
    case 'running':
      return (
        <SpaceBetween size="s">
          <Moving phase={state.phase} done={state.done} selection={state.selection} />
          <Button onClick={cancel}>Cancel</Button>
        </SpaceBetween>
      );
    case 'failed':
      return (
        <SpaceBetween size="s">
          <Alert
            type="error"
            header="Not published"
            action={
              <SpaceBetween direction="horizontal" size="xs">
                <Button onClick={start}>Continue</Button>
                <Button onClick={discard}>Choose again</Button>
              </SpaceBetween>
            }
          >
            <LiveRegion>{readFailureText(state.failure)}</LiveRegion>
          </Alert>
          {state.phase !== 'preparing' && (
            <Box variant="small">{amountText(state.done, amountOf(state.selection))} are sent; Continue sends the others.</Box>
          )}
        </SpaceBetween>
      );
    case 'published':
      return <Published project={project} selection={state.selection} again={discard} />;
  }
}

interface ChosenProps {
  readonly selection: Selection;
  readonly limits: DeploymentLimits | undefined;
  readonly publish: () => void;
  readonly discard: () => void;
}

function Chosen({ selection, limits, publish, discard }: ChosenProps) {
  const { problems, warning } = limits === undefined ? { problems: [], warning: undefined } : checkSelection(selection, limits);
  const { folder, skipped } = selection;
  return (
    <SpaceBetween size="s">
      <LiveRegion>
        <Box>
          {filesText(selection.files.length)}, {sizeText(selection.bytes)}
          {folder !== undefined && <>, from the folder {folder}</>}
          {skipped > 0 && <>; {skipped === 1 ? '1 hidden file is' : `${skipped.toLocaleString()} hidden files are`} left out</>}
        </Box>
      </LiveRegion>
      {warning !== undefined && <Alert type="warning">{warning}</Alert>}
      {problems.length > 0 && (
        <Alert type="error" header="This can't be published">
          <Problems lines={problems} />
        </Alert>
      )}
      <SpaceBetween direction="horizontal" size="xs">
        <Button variant="primary" onClick={publish} disabled={limits === undefined || problems.length > 0}>
          Publish
        </Button>
        <Button onClick={discard}>Choose again</Button>
      </SpaceBetween>
    </SpaceBetween>
  );
}

function Problems({ lines }: { readonly lines: readonly string[] }) {
  const more = lines.length - MOST_PROBLEMS;
  return (
    <ul>
      {lines.slice(0, MOST_PROBLEMS).map((line) => (
        <li key={line}>{line}</li>
      ))}
      {more > 0 && <li>and {more.toLocaleString()} more</li>}
    </ul>
  );
}

function Moving({ phase, done, selection }: { readonly phase: Phase; readonly done: Amount; readonly selection: Selection }) {
  const all = amountOf(selection);
  return <ProgressBar value={percentOf(done, all)} label={PHASES[phase]} additionalInfo={amountText(done, all)} />;
}

function Published({ project, selection, again }: { readonly project: Project; readonly selection: Selection; readonly again: () => void }) {
  const { projectId, target, url } = project;
  const domains = useDomains(projectId);
  const configuration = useConfiguration(projectId);
  const addressOf = useAddressOf();
  const [host] = addressesOf(domains.data ?? [], configuration.data?.domains.primary);
  const where: ReactNode =
    host === undefined && url === null ? (
      <Link href={`/projects/${projectId}/domains`}>Add a domain to show the site</Link>
    ) : (
      <Link external href={host === undefined ? (url ?? '') : addressOf(host)}>
        <Breakable text={host ?? target} />
      </Link>
    );
  return (
    <Alert type="success" header="Published" action={<Button onClick={again}>Publish again</Button>}>
      <LiveRegion>
        {filesText(selection.files.length)}, served from now on. {where}
      </LiveRegion>
    </Alert>
  );
}

function limitsText({ files, fileBytes, bytes }: DeploymentLimits): string {
  return `${files.toLocaleString()} files, ${sizeText(fileBytes)} each, ${sizeText(bytes)} in total`;
}

function amountOf({ files, bytes }: Selection): Amount {
  return { files: files.length, bytes };
}

function amountText(done: Amount, all: Amount): string {
  return `${done.files.toLocaleString()} of ${filesText(all.files)}, ${sizeText(done.bytes)} of ${sizeText(all.bytes)}`;
}

function filesText(files: number): string {
  return files === 1 ? '1 file' : `${files.toLocaleString()} files`;
}
