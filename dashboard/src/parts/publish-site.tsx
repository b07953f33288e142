// Publishing a site: the user chooses a folder, files or a zip, reviews what will be sent, and sends it.

import { type ReactNode, useEffect, useRef } from 'react';
import { type Amount, percentOf } from '../../../core/publishing/progress.ts';
import type { Phase } from '../../../core/publishing/publishing.ts';
import { readFailureText } from '../failures.ts';
import { usePages } from '../pages-of.ts';
import { checkSelection, type DeploymentLimits, type Selection } from '../publish/site-files.ts';
import { type PublishActions, usePublishing } from '../publish/use-publishing.ts';
import { useAccount, useAddressOf, useConfiguration, useDomains, useMe } from '../queries.ts';
import { filesText, isPlaceholder, type Project, sizeText } from '../shapes.ts';
import { addressesOf } from '../stages.ts';
import { Announced, Notice, Section } from '../ui/blocks.tsx';
import { Button, ExternalLink } from '../ui/button.tsx';
import { ChooseFiles, useNoStrayDrops } from './choose-files.tsx';
import { LeaveDialog } from './dialog.tsx';
import { Breakable } from './text.tsx';

const PHASES: Readonly<Record<Phase, string>> = { preparing: 'Reading the files', sending: 'Sending', publishing: 'Publishing' };
/** Maximum number of problems shown; the others are counted. */
const MOST_PROBLEMS = 5;

/** Publishes a site in a project. */
export function PublishSite({ project }: { readonly project: Project }) {
  const { projectId, accountId } = project;
  const account = useAccount(accountId);
  const plan = useMe().data?.platform.plans.find((each) => each.plan === account?.plan);
  const actions = usePublishing(projectId);
  useNoStrayDrops();
  const { state } = actions;
  const isFirst = usePages('/projects/{projectId}/deployments', { projectId }).data?.every((each) => isPlaceholder(each, project)) === true;
  const area = useRef<HTMLElement>(null);
  const shown = useRef(state.name);
  useEffect(() => {
    // The button that was used is gone. Without this, the focus would return to the top of the page.
    if (shown.current !== state.name && document.activeElement === document.body) area.current?.focus({ preventScroll: true });
    shown.current = state.name;
  }, [state.name]);
  const description = plan && `${plan.label} plan: at most ${limitsText(plan.deployment)}.`;
  return (
    <Section title="Publish" description={description}>
      <section ref={area} className="publish" tabIndex={-1} aria-label="Publish">
        <Step actions={actions} limits={plan?.deployment} project={project} isFirst={isFirst} />
      </section>
      <LeaveDialog
        asks={state.name === 'running'}
        header="Stop sending?"
        text="Files are still being sent or published. To continue later in this tab, choose the same files again."
      />
    </Section>
  );
}

interface StepProps {
  readonly actions: PublishActions;
  readonly limits: DeploymentLimits | undefined;
  readonly project: Project;
  readonly isFirst: boolean;
}

function Step({ actions, limits, project, isFirst }: StepProps) {
  const { state, start, cancel, discard } = actions;
  switch (state.name) {
    case 'empty':
      return (
        <div className="stack">
          {state.failure !== undefined && <Notice kind="error">{state.failure.message}</Notice>}
          <ChooseFiles choose={actions.choose} isFirst={isFirst} />
        </div>
      );
    case 'listing':
      return (
        <span role="status">
          <span className="spinner" /> Listing the files
        </span>
      );
    case 'chosen':
      return <Chosen selection={state.selection} limits={limits} publish={start} discard={discard} />;
    case 'running':
      return (
        <div className="stack">
          <div className="progress">
            <span>{PHASES[state.phase]}</span>
            <small className="muted">{amountText(state)}</small>
            <progress aria-label={PHASES[state.phase]} max={100} value={percentOf(state.done, amountOf(state.selection))} />
          </div>
          {/* Publishing itself can't be stopped. */}
          {state.phase !== 'publishing' && <Button onClick={cancel}>Cancel</Button>}
        </div>
      );
    case 'failed':
      return (
        <div className="stack">
          <Notice
            kind="error"
            title="Not published"
            action={
              <div className="row">
                <Button onClick={start}>Continue</Button>
                <Button onClick={discard}>Choose again</Button>
              </div>
            }
          >
            <Announced>{readFailureText(state.failure)}</Announced>
          </Notice>
          {state.phase !== 'preparing' && <small>{amountText(state)} sent so far. Continue sends the rest.</small>}
        </div>
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
    <div className="stack">
      <Announced>
        <p>
          {filesText(selection.files.length)}, {sizeText(selection.bytes)}
          {folder !== undefined && <>, from the folder {folder}</>}
          {skipped > 0 && <>; {skipped === 1 ? '1 hidden file is' : `${skipped.toLocaleString()} hidden files are`} left out</>}
        </p>
      </Announced>
      {warning !== undefined && <Notice kind="warning">{warning}</Notice>}
      {problems.length > 0 && (
        <Notice kind="error" title="This can't be published">
          <Problems lines={problems} />
        </Notice>
      )}
      <div className="row">
        <Button kind="primary" onClick={publish} disabled={limits === undefined || problems.length > 0}>
          Publish
        </Button>
        <Button onClick={discard}>Choose again</Button>
      </div>
    </div>
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

function Published({ project, selection, again }: { readonly project: Project; readonly selection: Selection; readonly again: () => void }) {
  const { projectId, target, url } = project;
  const domains = useDomains(projectId);
  const configuration = useConfiguration(projectId);
  const addressOf = useAddressOf();
  const [host] = addressesOf(domains.data ?? [], configuration.data?.domains.primary);
  const where: ReactNode =
    host === undefined && url === null ? (
      <a href={`/projects/${projectId}/domains`}>Add a domain to show the site</a>
    ) : (
      <ExternalLink href={host === undefined ? (url ?? '') : addressOf(host)}>
        <Breakable text={host ?? target} />
      </ExternalLink>
    );
  return (
    <Notice kind="success" title="Published" action={<Button onClick={again}>Publish again</Button>}>
      <Announced>
        {filesText(selection.files.length)}, served from now on. {where}
      </Announced>
    </Notice>
  );
}

function limitsText({ files, fileBytes, bytes }: DeploymentLimits): string {
  return `${files.toLocaleString()} files, ${sizeText(fileBytes)} each, ${sizeText(bytes)} in total`;
}

function amountOf({ files, bytes }: Selection): Amount {
  return { files: files.length, bytes };
}

function amountText({ done, selection }: { readonly done: Amount; readonly selection: Selection }): string {
  const all = amountOf(selection);
  return `${done.files.toLocaleString()} of ${filesText(all.files)}, ${sizeText(done.bytes)} of ${sizeText(all.bytes)}`;
}
