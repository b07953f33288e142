// Entries for operations in the tables that make up the documents.

/**
 * Returns the table's entry. The types require each of them; `npm run generate` and `npm test` run without types.
 *
 * @param file the one that has the table
 * @throws Error that names the file if there is none
 */
export function entryOf<Id extends string, Entry>(table: Readonly<Record<Id, Entry>>, id: Id, file: string): Entry {
  const entry: Entry | undefined = table[id];
  if (entry === undefined) throw new Error(`${id} is missing in ${file}`);
  return entry;
}
