// The API reference: reads the service's own OpenAPI document and renders everything from it.

import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { parseDocument } from './document.ts';
import { Reference } from './reference.tsx';
import './style.css';

const DOCUMENT = '/v1/openapi.json';

const root = createRoot(document.getElementById('root') as HTMLElement);

try {
  const response = await fetch(DOCUMENT);
  if (!response.ok) throw new Error(`${DOCUMENT} returned ${response.status}`);
  const api = parseDocument(await response.text());
  document.title = api.info.title;
  root.render(
    <StrictMode>
      <Reference api={api} />
    </StrictMode>,
  );
} catch (error) {
  root.render(
    <main className="failure" role="alert">
      <h1>The reference could not be loaded</h1>
      <p>{error instanceof Error ? error.message : String(error)}. Check that the service is running, then reload this page.</p>
    </main>,
  );
}
