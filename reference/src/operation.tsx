// One operation: its description, parameters and responses, and a form that calls it.

import { useEffect, useState } from 'react';
import { exampleOf, type Header, needsKey, type OpenApiDocument, type OperationAt, type Parameter, type Response, resolve } from './document.ts';
import { Field, Fields } from './schema.tsx';
import type { Api } from './source.ts';
import { Copied, Inline, Paragraphs } from './text.tsx';
import { TryIt } from './try-it.tsx';

interface OperationProps {
  readonly api: Api;
  readonly operation: OperationAt;
  readonly apiKey: string;
}

/** An operation from the document, as an article with a fragment URL: `#<operationId>`. */
export function OperationSection({ api: source, operation: given, apiKey }: OperationProps) {
  const { document: api } = source;
  const parameters = given.parameters?.map((parameter) => resolve<Parameter>(api, parameter)) ?? [];
  const operation = { ...given, parameters };
  const { operationId, method, path, summary, description, deprecated, requestBody, responses } = operation;
  const body = requestBody?.content['application/json'];
  const [isShown, show] = useShown(source, operationId);
  return (
    <article id={operationId} aria-labelledby={`${operationId}-title`}>
      <h3 id={`${operationId}-title`}>
        <a href={`#${operationId}`}>{summary}</a> {deprecated && <span className="deprecated">Deprecated</span>}
      </h3>
      <p className="address">
        <span className={`method ${method.toLowerCase()}`}>{method}</span> <code>{path}</code>
      </p>
      <Paragraphs text={description} />
      {isShown ? (
        <div className="columns">
          <div>
            {parameters.length > 0 && (
              <>
                <h4>Parameters</h4>
                <dl className="fields">
                  {parameters.map(({ name, in: location, schema = {}, required = false, description: meaning }) => (
                    <Field
                      key={`${location} ${name}`}
                      api={api}
                      name={name}
                      schema={schema}
                      required={required}
                      description={`${meaning ?? ''} (${location})`.trim()}
                    />
                  ))}
                </dl>
              </>
            )}
            {body?.schema !== undefined && (
              <>
                <h4>Request body</h4>
                <Fields api={api} schema={body.schema} />
              </>
            )}
            <h4>Responses</h4>
            {Object.entries(responses).map(([status, response]) => (
              <ResponseDetails key={status} api={api} of={summary} status={status} response={resolve<Response>(api, response)} />
            ))}
          </div>
          <TryIt api={source} operation={operation} apiKey={apiKey} withKey={needsKey(operation)} example={body && exampleOf(api, body)} />
        </div>
      ) : (
        <button type="button" className="second" aria-label={`Parameters and responses: ${summary}`} onClick={show}>
          Parameters and responses
        </button>
      )}
    </article>
  );
}

/** Returns whether an operation is expanded (on a page with few operations, once its URL is opened, or on request), and a function to expand it. */
function useShown({ name }: Api, operationId: string): readonly [boolean, () => void] {
  const [isShown, setShown] = useState(() => name === 'catalogue' || location.hash === `#${operationId}`);
  useEffect(() => {
    const changed = () => location.hash === `#${operationId}` && setShown(true);
    addEventListener('hashchange', changed);
    return () => removeEventListener('hashchange', changed);
  }, [operationId]);
  return [isShown, () => setShown(true)];
}

interface ResponseProps {
  readonly api: OpenApiDocument;
  /** The operation's summary. */
  readonly of: string;
  readonly status: string;
  readonly response: Response;
}

function ResponseDetails({ api, of, status, response: { description, headers = {}, content = {} } }: ResponseProps) {
  const body = content['application/json'];
  const example = body && exampleOf(api, body);
  return (
    <details className="response" open={example !== undefined && status.startsWith('2')}>
      <summary>
        <span className={/^[23]/.test(status) ? 'status ok' : 'status'}>{status}</span> <Inline text={description} />
      </summary>
      {body?.schema !== undefined && (
        <>
          <h5>Body</h5>
          <Fields api={api} schema={body.schema} />
        </>
      )}
      {example !== undefined && (
        <>
          <h5>Example</h5>
          <Copied label={`${of}: example of ${status}`} language="JSON" text={example} />
        </>
      )}
      {Object.keys(headers).length > 0 && (
        <>
          <h5>Headers</h5>
          <dl className="fields">
            {Object.entries(headers).map(([name, given]) => {
              const { schema = {}, description: meaning } = resolve<Header>(api, given);
              return <Field key={name} api={api} name={name} schema={schema} required={false} description={meaning} />;
            })}
          </dl>
        </>
      )}
    </details>
  );
}
