// Renders a schema as a list of its fields, each with its type and bounds.

import { nameOf, type OpenApiDocument, resolve, type Schema } from './document.ts';
import { Code, Inline } from './text.tsx';

/** Longer patterns are not shown, because they are meaningless to readers, and the document contains them. */
const MAX_PATTERN_LENGTH = 60;

interface FieldsProps {
  readonly api: OpenApiDocument;
  readonly schema: Schema;
}

/** Lists the fields of an object, or of the objects in an array. Any other schema is rendered as one line. */
export function Fields({ api, schema: given }: FieldsProps) {
  const schema = resolve(api, given);
  if (schema.items !== undefined) {
    return (
      <>
        <p>An array of:</p>
        <Fields api={api} schema={schema.items} />
      </>
    );
  }
  if (schema.properties === undefined) return <p>{typeText(api, given)}</p>;
  return (
    <dl className="fields">
      {Object.entries(schema.properties).map(([name, property]) => (
        <Field key={name} api={api} name={name} schema={property} required={schema.required?.includes(name) ?? false} />
      ))}
    </dl>
  );
}

interface FieldProps extends FieldsProps {
  readonly name: string;
  readonly required: boolean;
  readonly description?: string | undefined;
}

/** One field, parameter or header with its type, bounds and meaning. */
export function Field({ api, name, schema: given, required, description }: FieldProps) {
  const schema = resolve(api, given);
  const meaning = description ?? schema.description;
  return (
    <div className="field">
      <dt>
        <code>{name}</code> <span className="type">{typeText(api, given)}</span>
        {required && <span className="required">required</span>}
      </dt>
      <dd>
        {meaning !== undefined && (
          <p>
            <Inline text={meaning} />
          </p>
        )}
        {boundsText(schema) !== '' && (
          <p className="bounds">
            <Code text={boundsText(schema)} />
          </p>
        )}
      </dd>
    </div>
  );
}

/** Returns a schema's type, such as `string`, `integer (int64)`, `array of Pet`. */
function typeText(api: OpenApiDocument, given: Schema): string {
  const schema = resolve(api, given);
  if (schema.items !== undefined) return `array of ${schema.items.$ref === undefined ? typeText(api, schema.items) : nameOf(schema.items.$ref)}`;
  const type = [schema.type ?? 'any'].flat().join(' or ');
  return schema.format === undefined ? type : `${type} (${schema.format})`;
}

/** Returns the allowed values and the default. */
function boundsText({ minimum, maximum, minLength, maxLength, pattern, enum: values, default: fallback }: Schema): string {
  return [
    ...(values === undefined ? [] : [`one of ${values.map((value) => JSON.stringify(value)).join(', ')}`]),
    ...range('', minimum, maximum),
    ...range(' characters', minLength, maxLength),
    ...(pattern === undefined || pattern.length > MAX_PATTERN_LENGTH ? [] : [`matches ${pattern}`]),
    ...(fallback === undefined ? [] : [`default ${JSON.stringify(fallback)}`]),
  ].join('; ');
}

function range(unit: string, least: number | undefined, most: number | undefined): string[] {
  const text = (value: number) => value.toLocaleString('en', { useGrouping: Number.isSafeInteger(value) && value >= 10_000 });
  if (least === undefined && most === undefined) return [];
  if (most === undefined) return [`at least ${text(least ?? 0)}${unit}`];
  return [least === undefined ? `at most ${text(most)}${unit}` : `${text(least)} to ${text(most)}${unit}`];
}
