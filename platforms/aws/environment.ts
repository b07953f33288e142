// Reads a function's settings from its environment. The stacks set them; a missing one fails the cold start.

import type * as z from 'zod';

/** Parses the environment by a schema. @throws Error that names every missing or invalid setting */
export function readEnvironment<Schema extends z.ZodType>(
  schema: Schema,
  environment: Readonly<Record<string, string | undefined>>,
): z.infer<Schema> {
  const result = schema.safeParse(environment);
  if (result.success) return result.data;
  throw new Error(
    `invalid settings of the function:\n${result.error.issues.map(({ path, message }) => `  ${path.join('.')}: ${message}`).join('\n')}`,
  );
}
