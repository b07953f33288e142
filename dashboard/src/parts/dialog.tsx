// A modal dialog with a form. When it closes, the focus returns to the button that opened it. If its action needs a new sign-in, it leads there.

import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Modal from '@cloudscape-design/components/modal';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useBlocker } from '@tanstack/react-router';
import { type ReactNode, useEffect, useId, useState } from 'react';
import { useApplication } from '../context.tsx';
import { needsSignIn } from '../failures.ts';
import { Refusal } from './refusal.tsx';
import { Breakable } from './text.tsx';

export interface DialogProps {
  readonly header: string;
  readonly close: () => void;
  /** The main action, triggered by its button or by Enter. @default none: the dialog only shows something */
  readonly action?: { readonly text: string; readonly run: () => void; readonly busy?: boolean; readonly disabled?: boolean };
  /** Why the action failed. */
  readonly failure?: Error | null;
  /**
   * Whether the dialog shows something that can't be shown again, so that only its own button closes it, not a click outside or a key. @default
   * false
   */
  readonly stays?: boolean;
  /** Whether it holds lines of code. @default false */
  readonly wide?: boolean;
  readonly children: ReactNode;
}

/** A modal dialog. */
export function Dialog({ header, close, action, failure = null, stays = false, wide = false, children }: DialogProps) {
  const form = useId();
  // Read before the dialog takes the focus.
  const [opener] = useState(() => document.activeElement);
  useEffect(
    () => () => {
      if (opener instanceof HTMLElement) setTimeout(() => opener.focus());
    },
    [opener],
  );
  const { session } = useApplication();
  const signInAgain = { text: 'Sign in again', run: () => void session.signInAgain(), busy: false, disabled: false };
  const main = needsSignIn(failure) ? signInAgain : action;
  const content = <Refusal failure={failure}>{children}</Refusal>;
  return (
    <Modal
      visible
      size={wide ? 'large' : 'medium'}
      header={<Breakable text={header} />}
      onDismiss={({ detail }) => {
        if (!stays || detail.reason === 'closeButton') close();
      }}
      footer={
        <Box float="right">
          <SpaceBetween direction="horizontal" size="xs">
            {!stays && (
              <Button variant="link" onClick={close}>
                {main === undefined ? 'Close' : 'Cancel'}
              </Button>
            )}
            {main !== undefined && (
              <Button variant="primary" form={form} formAction="submit" loading={main.busy ?? false} disabled={main.disabled ?? false}>
                {main.text}
              </Button>
            )}
          </SpaceBetween>
        </Box>
      }
    >
      {main === undefined ? (
        content
      ) : (
        <form
          id={form}
          onSubmit={(event) => {
            event.preventDefault();
            if (main.busy !== true && main.disabled !== true) main.run();
          }}
        >
          {content}
        </form>
      )}
    </Modal>
  );
}

// Asks before the user leaves the page: the browser's own question if the page closes, a dialog for links within the dashboard.

export interface LeaveDialogProps {
  /** Whether to ask. */
  readonly asks: boolean;
  readonly header: string;
  /** What would be lost. */
  readonly text: string;
}

/** Asks before the user leaves the page. */
export function LeaveDialog({ asks, header, text }: LeaveDialogProps) {
  const { status, proceed, reset } = useBlocker({ shouldBlockFn: () => asks, enableBeforeUnload: () => asks, withResolver: true });
  if (status !== 'blocked') return null;
  return (
    <Dialog header={header} close={reset} action={{ text: 'Leave', run: proceed }}>
      <Box>{text}</Box>
    </Dialog>
  );
}
