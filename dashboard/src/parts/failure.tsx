// What failed, and what to do about it.

import Alert from '@cloudscape-design/components/alert';
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Spinner from '@cloudscape-design/components/spinner';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { inWords } from '../failures.ts';

export function Failure({ error, retry }: { readonly error: Error; readonly retry?: () => void }) {
  const again = retry === undefined ? <Button href="/">Start page</Button> : <Button onClick={retry}>Try again</Button>;
  return (
    <Alert type="error" header="That did not work" action={again}>
      {inWords(error)}
    </Alert>
  );
}

/** What was read: its content, or that it is being read, or why it could not be. */
export function Loaded<T>({ of, children }: { readonly of: UseQueryResult<T>; readonly children: (data: T) => ReactNode }) {
  if (of.data !== undefined) return <>{children(of.data)}</>;
  if (of.error !== null) return <Failure error={of.error} retry={() => void of.refetch()} />;
  return <Loading />;
}

export function Loading() {
  return (
    <Box textAlign="center" padding="xxl">
      <span role="status">
        <Spinner size="large" /> Loading
      </span>
    </Box>
  );
}
