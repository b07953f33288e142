// A modal dialog with a form: the browser's own dialog, which keeps the focus inside, and then returns it. It leads to a new sign-in if needed.

import type { UseMutationResult } from '@tanstack/react-query';
import { useBlocker } from '@tanstack/react-router';
import { type ReactNode, type SyntheticEvent, useEffect, useId, useLayoutEffect, useRef, useState } from 'react';
import { useApplication, useDialogs } from '../context.tsx';
import { needsSignIn } from '../failures.ts';
import { Button } from '../ui/button.tsx';
import { Input } from '../ui/field.tsx';
import { Icon } from '../ui/icon.tsx';
import { Field, Refusal } from './refusal.tsx';
import { Breakable } from './text.tsx';

export interface DialogProps {
  readonly header: string;
  /** The subject of the dialog, such as a key, on its own line in the header. @default none */
  readonly about?: string;
  /** @default closes the page's dialog */
  readonly close?: () => void;
  /** The main action, triggered by its button or by Enter. @default none: the dialog is only for reading */
  readonly action?: {
    readonly text: string;
    readonly run: (close: () => void) => void;
    readonly busy?: boolean;
    readonly disabled?: boolean;
    /** Whether the action can't be undone, or makes something stop working. @default false */
    readonly isDangerous?: boolean;
  };
  /** The text that must be typed before an action that can't be undone. @default nothing */
  readonly confirm?: string;
  /** Why the action failed. */
  readonly failure?: Error | null;
  /** Whether only the dialog's buttons close it, not a click outside or a key, because its content can't be shown again. @default false */
  readonly stays?: boolean;
  /** Whether it contains lines of code. @default false */
  readonly wide?: boolean;
  readonly children: ReactNode;
}

/** What gets the focus first: the first field, the first button of the content, or the button that changes nothing. */
const FIRST = ['.body :is(input, select, textarea)', '.body button', 'footer button'];

/** A text as the page shows it, with single spaces. */
const shown = (text: string) => text.trim().replace(/\s+/g, ' ');

/** A modal dialog. */
export function Dialog({ header, about, close: closeOwn, action, confirm, failure = null, stays = false, wide = false, children }: DialogProps) {
  const id = useId();
  const dialogs = useDialogs();
  const close = closeOwn ?? dialogs.close;
  const [typed, setTyped] = useState('');
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const { current } = dialog;
    current?.showModal();
    const first = FIRST.map((selector) => current?.querySelector<HTMLElement>(selector)).find((each) => each);
    first?.focus();
    return () => current?.close();
  }, []);
  const { session } = useApplication();
  const signInAgain = { text: 'Sign in again', run: () => void session.signInAgain(), busy: false, disabled: false, isDangerous: false };
  const main = needsSignIn(failure) ? signInAgain : action;
  const isOff = main?.disabled === true || (main === action && confirm !== undefined && shown(typed) !== shown(confirm));
  // Chromium closes a dialog at the second Escape even if the first was prevented, unless `closedby` forbids it.
  const closed = ({ target }: SyntheticEvent) => {
    const { current } = dialog;
    if (target !== current || current === null || current.open) return;
    if (stays) current.showModal();
    else close();
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape does the same as a click outside
    <dialog
      ref={dialog}
      className={wide ? 'wide' : undefined}
      aria-labelledby={id}
      closedby={stays ? 'none' : 'closerequest'}
      onClose={closed}
      onClick={(event) => {
        // The form fills the dialog, so a click outside the form is outside the dialog.
        if (event.target === dialog.current && !stays) close();
      }}
    >
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (main !== undefined && main.busy !== true && !isOff) main.run(close);
        }}
      >
        <header>
          <h2 id={id}>
            <Breakable text={header} />
            {about !== undefined && <small className="hint muted">{about}</small>}
          </h2>
          <button type="button" className="button plain" aria-label="Close" onClick={close}>
            <Icon name="close" />
          </button>
        </header>
        <div className="body">
          <Refusal failure={failure}>
            {children}
            {confirm !== undefined && (
              <Field label={`To confirm, type ${confirm}`}>
                <Input value={typed} change={setTyped} />
              </Field>
            )}
          </Refusal>
        </div>
        <footer className="row">
          {!stays && <Button onClick={close}>{main === undefined ? 'Close' : 'Cancel'}</Button>}
          {main !== undefined && (
            <Button kind={main.isDangerous === true ? 'danger' : 'primary'} submit busy={main.busy ?? false} disabled={isOff}>
              {main.text}
            </Button>
          )}
        </footer>
      </form>
    </dialog>
  );
}

/** Returns the action and the failure of a dialog that makes a change. @param done called with the response. @default closes the dialog */
export function changing<Input, Output>(
  text: string,
  { mutate, isPending, error }: Pick<UseMutationResult<Output, Error, Input>, 'mutate' | 'isPending' | 'error'>,
  input: Input,
  { done, ...more }: Pick<NonNullable<DialogProps['action']>, 'disabled' | 'isDangerous'> & { readonly done?: (output: Output) => void } = {},
): Pick<DialogProps, 'action' | 'failure'> {
  return { action: { text, run: (close) => mutate(input, { onSuccess: done ?? close }), busy: isPending, ...more }, failure: error };
}

/** Asks before the user leaves: the browser's question on closing, a dialog for links. @param asks whether to ask @param text what would be lost */
export function LeaveDialog({ asks, header, text }: { readonly asks: boolean; readonly header: string; readonly text: string }) {
  const { status, proceed, reset } = useBlocker({ shouldBlockFn: () => asks, enableBeforeUnload: () => asks, withResolver: true });
  if (status !== 'blocked') return null;
  return (
    <Dialog header={header} close={reset} action={{ text: 'Leave', run: proceed, isDangerous: true }}>
      <p>{text}</p>
    </Dialog>
  );
}

/** Returns state that this tab keeps until the form closes, even through a new sign-in. @param field its name, unique on the page */
export function useDraft<T>(field: string, initial: T): [T, (value: T) => void] {
  const key = `petstore.draft:${location.pathname}:${field}`;
  const [value, setValue] = useState<T>(() => JSON.parse(sessionStorage.getItem(key) ?? 'null') ?? initial);
  useEffect(() => () => sessionStorage.removeItem(key), [key]);
  const change = (next: T) => {
    sessionStorage.setItem(key, JSON.stringify(next));
    setValue(next);
  };
  return [value, change];
}
