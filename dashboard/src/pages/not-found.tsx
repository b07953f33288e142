// An address that there is not.

import { Failure } from '../parts/failure.tsx';
import { Page } from '../parts/page.tsx';

export function NotFound() {
  return (
    <Page title="Not found">
      <Failure error={new Error('There is no such page.')} />
    </Page>
  );
}
