// A dialog over the page, with a form in it. When it goes, the focus is back where it was: on the button that opened it.

import Alert from '@cloudscape-design/components/alert';
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Modal from '@cloudscape-design/components/modal';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { type ReactNode, useEffect, useId, useState } from 'react';
import { changeInWords } from '../failures.ts';

export interface DialogProps {
  readonly header: string;
  readonly close: () => void;
  /** What the dialog is for: its main button, also by Enter. */
  readonly action: { readonly text: string; readonly run: () => void; readonly busy?: boolean; readonly disabled?: boolean };
  /** Why the action failed. */
  readonly failure?: Error | null;
  /** What it shows is not to be had again: only its own button closes it, no click beside it and no key. @default false */
  readonly stays?: boolean;
  readonly children: ReactNode;
}

export function Dialog({ header, close, action, failure = null, stays = false, children }: DialogProps) {
  const form = useId();
  // Read before the dialog takes the focus.
  const [opener] = useState(() => document.activeElement);
  useEffect(
    () => () => {
      if (opener instanceof HTMLElement) setTimeout(() => opener.focus());
    },
    [opener],
  );
  const { text, run, busy = false, disabled = false } = action;
  return (
    <Modal
      visible
      header={header}
      onDismiss={({ detail }) => {
        if (!stays || detail.reason === 'closeButton') close();
      }}
      footer={
        <Box float="right">
          <SpaceBetween direction="horizontal" size="xs">
            {!stays && (
              <Button variant="link" onClick={close}>
                Cancel
              </Button>
            )}
            <Button variant="primary" form={form} formAction="submit" loading={busy} disabled={disabled}>
              {text}
            </Button>
          </SpaceBetween>
        </Box>
      }
    >
      <form
        id={form}
        onSubmit={(event) => {
          event.preventDefault();
          if (!busy && !disabled) run();
        }}
      >
        <SpaceBetween size="m">
          {children}
          {failure !== null && <Alert type="error">{changeInWords(failure)}</Alert>}
        </SpaceBetween>
      </form>
    </Modal>
  );
}
