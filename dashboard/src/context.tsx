// What every page uses: the API, the session, messages to the user, and the dialog over the page.

import { createContext, type ReactNode, useContext, useMemo, useState } from 'react';
import type { Api } from './api.ts';
import type { Session } from './session.ts';

export interface Message {
  readonly id: string;
  readonly type: 'success' | 'info' | 'error';
  readonly content: string;
}

export interface Application {
  readonly api: Api;
  readonly session: Session;
  readonly messages: readonly Message[];
  /** Shows a message: a success for a few seconds, a failure until it is dismissed. */
  notify(type: Message['type'], content: string): void;
  dismiss(id: string): void;
}

const ApplicationContext = createContext<Application | undefined>(undefined);

export const ApplicationProvider = ApplicationContext.Provider;

/** Returns the dashboard's context. Throws outside the application. */
export function useApplication(): Application {
  const application = useContext(ApplicationContext);
  if (application === undefined) throw new Error('used outside the application');
  return application;
}

/** The dialog over a page. At most one is open at a time, until it is closed or the user leaves the page. */
interface Dialogs {
  readonly open: (dialog: ReactNode) => void;
  readonly close: () => void;
}

const DialogsContext = createContext<Dialogs>({ open: () => {}, close: () => {} });

/** Returns the functions that open and close a dialog. */
export const useDialogs = () => useContext(DialogsContext);

/** The current page, with the dialog that it has opened. @param pathname of the page */
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
