// Publishing on a project's page: the state, and what the user can do.

import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useReducer, useRef } from 'react';
import type { LocalFile } from '../../../core/publishing/progress.ts';
import { createPublishing, type Publishing } from '../../../core/publishing/publishing.ts';
import { useApplication } from '../context.tsx';
import { publishingPorts } from './service.ts';
import { type Selection, selectionOf } from './site-files.ts';
import { EMPTY, nextState } from './state.ts';

/** Minimum interval between two updates of the page, in milliseconds. */
const UPDATE_MS = 200;

export type PublishActions = ReturnType<typeof usePublishing>;

/** Returns the state of publishing in a project, which ends when the component unmounts. */
export function usePublishing(projectId: string) {
  const application = useApplication();
  const client = useQueryClient();
  const [state, send] = useReducer(nextState, EMPTY);
  const choice = useRef(0);
  const running = useRef<AbortController>(undefined);
  const publishing = useRef<{ readonly selection: Selection; readonly run: Publishing['run'] }>(undefined);
  useEffect(() => () => running.current?.abort(), []);

  return {
    state,
    /** Lists the chosen files. */
    choose: async (found: Promise<readonly LocalFile[]>) => {
      choice.current += 1;
      const mine = choice.current;
      send({ name: 'listing' });
      try {
        const selection = selectionOf(await found);
        if (mine === choice.current) send({ name: 'chosen', selection });
      } catch (error) {
        if (mine === choice.current) send({ name: 'unreadable', failure: error as Error });
      }
    },
    /** Publishes, or continues. */
    start: async () => {
      // A second click may arrive before the page has changed.
      if ((state.name !== 'chosen' && state.name !== 'failed') || running.current?.signal.aborted === false) return;
      const { selection } = state;
      if (publishing.current?.selection !== selection)
        publishing.current = { selection, ...createPublishing(publishingPorts(application, projectId), selection.files) };
      const controller = new AbortController();
      running.current = controller;
      send({ name: 'started' });
      let updatedAt = 0;
      let lastPhase: string | undefined;
      try {
        await publishing.current.run((phase, done) => {
          if (controller.signal.aborted || (phase === lastPhase && performance.now() - updatedAt < UPDATE_MS)) return;
          updatedAt = performance.now();
          lastPhase = phase;
          send({ name: 'moved', phase, done });
        }, controller.signal);
        send({ name: 'published' });
      } catch (error) {
        if (!controller.signal.aborted) send({ name: 'failed', failure: error as Error });
      } finally {
        if (running.current === controller) running.current = undefined;
        // Although it failed, it may be published: an answer may have been lost.
        await client.invalidateQueries();
      }
    },
    /** Stops sending; `start` resumes. */
    cancel: () => {
      running.current?.abort();
      send({ name: 'canceled' });
    },
    /** Forgets the choice. */
    discard: () => send({ name: 'discarded' }),
  };
}
