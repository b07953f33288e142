// Settings of a function, from its environment. The stacks set them; a missing one stops the cold start.

import type * as z from 'zod';

/** @throws Error that names every setting that is missing or wrong */
export function readEnvironment<Schema extends z.ZodType>(
  schema: Schema,
  environment: Readonly<Record<string, string | undefined>>,
): z.infer<Schema> {
  const result = schema.safeParse(environment);
  if (result.success) return result.data;
  throw new Error(
    `settings of the function are wrong:\n${result.error.issues.map(({ path, message }) => `  ${path.join('.')}: ${message}`).join('\n')}`,
  );
}
