// The page: navigation, introduction and authentication, then each group of operations.

import { useEffect, useState } from 'react';
import { type OpenApiDocument, operationsOf } from './document.ts';
import { OperationSection } from './operation.tsx';
import { Inline, Paragraphs } from './text.tsx';

/** The whole page. */
export function Reference({ api }: { readonly api: OpenApiDocument }) {
  // The key is stored in memory only: reloading the page clears it.
  const [key, setKey] = useState('');
  const { info, tags, components } = api;
  useEffect(() => {
    // The URL may name an operation that was not yet on the page when the browser scrolled to it.
    document.getElementById(location.hash.slice(1))?.scrollIntoView();
  }, []);

  return (
    <div className="page">
      <a className="skip" href="#content">
        Skip to content
      </a>
      <nav aria-label="Operations">
        <p className="brand">{info.title}</p>
        <ul>
          <li>
            <a href="#introduction">Introduction</a>
          </li>
          <li>
            <a href="#authentication">Authentication</a>
          </li>
        </ul>
        {tags.map(({ name }) => (
          <div key={name}>
            <p className="group">{capitalized(name)}</p>
            <ul>
              {operationsOf(api, name).map(({ operationId, method, summary, deprecated }) => (
                <li key={operationId}>
                  <a href={`#${operationId}`}>
                    <span className={`method ${method.toLowerCase()}`}>{method}</span> {deprecated ? <s>{summary}</s> : summary}
                  </a>
                </li>
              ))}
            </ul>
          </div>
        ))}
      </nav>
      <main id="content" tabIndex={-1}>
        <section id="introduction">
          <h1>
            {info.title} <small>{info.version}</small>
          </h1>
          <Paragraphs text={info.description} />
          <p>
            <a className="alone" href="/v1/openapi.json">
              OpenAPI document
            </a>
          </p>
        </section>
        <section id="authentication">
          <h2>Authentication</h2>
          {Object.entries(components.securitySchemes).map(([name, { description }]) => (
            <p key={name}>
              <Inline text={description} />
            </p>
          ))}
          <label className="key">
            API key for the requests on this page
            <input
              type="password"
              value={key}
              onChange={({ target }) => setKey(target.value.trim())}
              autoComplete="off"
              spellCheck={false}
              placeholder="petstore_test_…"
            />
          </label>
          <p className="hint">The key stays in this tab's memory and is sent only to {location.host}. Reloading the page clears it.</p>
        </section>
        {tags.map(({ name, description }) => (
          <section key={name} className="tag" aria-labelledby={`tag-${name}`}>
            <h2 id={`tag-${name}`}>{capitalized(name)}</h2>
            <p>
              <Inline text={description} />
            </p>
            {operationsOf(api, name).map((operation) => (
              <OperationSection key={operation.operationId} api={api} operation={operation} apiKey={key} />
            ))}
          </section>
        ))}
      </main>
    </div>
  );
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
