// What could not be read, and what to do about it.

import Alert from '@cloudscape-design/components/alert';
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Spinner from '@cloudscape-design/components/spinner';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { follow } from '../shell.tsx';

export function Failure({ error, retry }: { readonly error: Error; readonly retry?: () => void }) {
  return (
    <Alert
      type="error"
      header="That did not work"
      action={
        retry === undefined ? (
          <Button href="/" onFollow={follow}>
            Start page
          </Button>
        ) : (
          <Button onClick={retry}>Try again</Button>
        )
      }
    >
      {error.message}
    </Alert>
  );
}

/** The page of a read: its content, or that it is being read, or why it could not be. */
export function Loaded<T>({ of, children }: { readonly of: UseQueryResult<T>; readonly children: (data: T) => ReactNode }) {
  if (of.data !== undefined) return <>{children(of.data)}</>;
  if (of.error !== null) return <Failure error={of.error} retry={() => void of.refetch()} />;
  return (
    <Box textAlign="center" padding="xxl">
      <Spinner size="large" /> <span>Loading</span>
    </Box>
  );
}
