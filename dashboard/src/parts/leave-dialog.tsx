// Asks before the user leaves the page: the browser's own question if the page closes, a dialog for links within the dashboard.

import Box from '@cloudscape-design/components/box';
import { useBlocker } from '@tanstack/react-router';
import { Dialog } from './dialog.tsx';

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
