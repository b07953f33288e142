// The page for unknown URLs.

import { Failure } from '../parts/failure.tsx';
import { Page } from '../parts/page.tsx';

/** The page for unknown URLs. */
export function NotFound() {
  return (
    <Page title="Not found">
      <Failure error={new Error('This page does not exist.')} />
    </Page>
  );
}
