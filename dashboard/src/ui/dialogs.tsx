// The dialog over a page: one at a time, until it is closed or the page is left.

import { createContext, type ReactNode, useContext, useMemo, useState } from 'react';

interface Dialogs {
  readonly open: (dialog: ReactNode) => void;
  readonly close: () => void;
}

const DialogsContext = createContext<Dialogs>({ open: () => {}, close: () => {} });

/** Returns what opens a dialog, and closes it. */
export const useDialogs = () => useContext(DialogsContext);

/** Pages, with the dialog that one of them has opened. @param pathname of the page */
export function WithDialogs({ pathname, children }: { readonly pathname: string; readonly children: ReactNode }) {
  const [shown, setShown] = useState<{ readonly on: string; readonly dialog: ReactNode }>();
  const dialogs = useMemo(() => ({ open: (dialog: ReactNode) => setShown({ on: pathname, dialog }), close: () => setShown(undefined) }), [pathname]);
  return (
    <DialogsContext value={dialogs}>
      {children}
      {shown?.on === pathname && shown.dialog}
    </DialogsContext>
  );
}
