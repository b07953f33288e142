// How functions read their settings from the environment. The stacks set them, with the types of the functions' own schemas
// (infra/constructs/service-function.ts); a missing one fails the cold start. Schemas are functions, so that each bundle has only those that it uses.

import * as z from 'zod/mini';

/** Returns a schema for a variable that is not empty. @param what describes the value, for messages */
export function some(what: string): z.ZodMiniString<string> {
  return z.string(what).check(z.minLength(1, what));
}

/** Returns a schema for the name of a table. */
export function table(): z.ZodMiniString<string> {
  return z.string().check(z.regex(/^[\w.-]{3,255}$/, 'the name of a DynamoDB table'));
}

/** Returns a schema for the name in logs and metrics, which distinguishes stages. */
export function serviceName(): z.ZodMiniString<string> {
  return z.string().check(z.regex(/^[\w-]{1,64}$/, '1 to 64 letters, digits, hyphens and underscores'));
}

/** Returns a schema for a switch, which is off by default. */
export function onOff() {
  const states = z._default(z.enum(['on', 'off'], 'on or off'), 'off');
  return z.pipe(
    states,
    z.transform((state) => state === 'on'),
  );
}

/** Returns a function that parses the environment by a schema. It throws an Error that names every missing or invalid setting. */
export function parserOf<Schema extends z.core.$ZodType>(
  schema: Schema,
): (environment: Readonly<Record<string, string | undefined>>) => z.output<Schema> {
  return (environment) => {
    const result = z.safeParse(schema, environment);
    if (result.success) return result.data;
    const lines = result.error.issues.map(({ path, message }) => `  ${path.join('.')}: ${message}`);
    throw new Error(`invalid settings of the function:\n${lines.join('\n')}`);
  };
}
