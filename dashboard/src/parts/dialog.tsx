// A dialog over the page. When it goes, the focus is back where it was: on the button that opened it.

import Modal, { type ModalProps } from '@cloudscape-design/components/modal';
import { useEffect, useState } from 'react';

export interface DialogProps {
  readonly header: string;
  readonly close: () => void;
  readonly footer: ModalProps['footer'];
  readonly children: ModalProps['children'];
}

export function Dialog({ header, close, footer, children }: DialogProps) {
  // Read before the dialog takes the focus.
  const [opener] = useState(() => document.activeElement);
  useEffect(
    () => () => {
      if (opener instanceof HTMLElement) setTimeout(() => opener.focus());
    },
    [opener],
  );
  return (
    <Modal visible onDismiss={close} header={header} closeAriaLabel="Close" footer={footer}>
      {children}
    </Modal>
  );
}
