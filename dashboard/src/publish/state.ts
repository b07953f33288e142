// The states of publishing on a project's page.

import type { Amount } from '../../../core/publishing/progress.ts';
import type { Phase } from '../../../core/publishing/publishing.ts';
import type { Selection } from './site-files.ts';

export type PublishState =
  | { readonly name: 'empty'; readonly failure: Error | undefined }
  | { readonly name: 'listing' }
  | { readonly name: 'chosen'; readonly selection: Selection }
  | { readonly name: 'running'; readonly selection: Selection; readonly phase: Phase; readonly done: Amount }
  | { readonly name: 'failed'; readonly selection: Selection; readonly phase: Phase; readonly done: Amount; readonly failure: Error }
  | { readonly name: 'published'; readonly selection: Selection };

export type PublishEvent =
  | { readonly name: 'listing' }
  | { readonly name: 'unreadable'; readonly failure: Error }
  | { readonly name: 'chosen'; readonly selection: Selection }
  | { readonly name: 'started' }
  | { readonly name: 'moved'; readonly phase: Phase; readonly done: Amount }
  | { readonly name: 'failed'; readonly failure: Error }
  | { readonly name: 'published' }
  | { readonly name: 'canceled' }
  | { readonly name: 'discarded' };

export const EMPTY: PublishState = { name: 'empty', failure: undefined };
const NOTHING: Amount = { files: 0, bytes: 0 };

/** Returns the state after an event. An event that does not apply, such as progress after a cancellation, changes nothing. */
export function nextState(state: PublishState, event: PublishEvent): PublishState {
  const isRunning = state.name === 'running';
  switch (event.name) {
    case 'listing':
      return isRunning ? state : { name: 'listing' };
    case 'unreadable':
      return state.name === 'listing' ? { name: 'empty', failure: event.failure } : state;
    case 'chosen':
      return state.name === 'listing' ? { name: 'chosen', selection: event.selection } : state;
    case 'started':
      if (state.name === 'failed') return { name: 'running', selection: state.selection, phase: state.phase, done: state.done };
      return state.name === 'chosen' ? { name: 'running', selection: state.selection, phase: 'preparing', done: NOTHING } : state;
    case 'moved':
      return isRunning ? { ...state, phase: event.phase, done: event.done } : state;
    case 'failed':
      return isRunning ? { ...state, name: 'failed', failure: event.failure } : state;
    case 'published':
      return isRunning ? { name: 'published', selection: state.selection } : state;
    case 'canceled':
      return isRunning ? { name: 'chosen', selection: state.selection } : state;
    case 'discarded':
      return isRunning ? state : EMPTY;
  }
}
