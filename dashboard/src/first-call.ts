// A first request with a new key, ready to be copied. If the key is not permitted to read, the request adds an animal.

import type { IssuedKey } from './key-rows.ts';

type Call = Pick<IssuedKey, 'key' | 'scopes'>;

const canRead = ({ scopes }: Call) => scopes.includes('pets:read');

/** Returns a curl command. @param apiUrl the catalogue API's URL without `/v1` */
export function curlCall(apiUrl: string, call: Call): string {
  const request = [`curl '${apiUrl}/v1/pets'`, `-H 'Authorization: Bearer ${call.key}'`];
  const body = ["-H 'Content-Type: application/json'", `-d '{"name": "Rex", "categoryId": 7, "status": "pending"}'`];
  return [...request, ...(canRead(call) ? [] : body)].join(' \\\n  ');
}

/** Returns a program with the typed client, which takes the key from the environment. @param apiUrl as above */
export function clientCall(apiUrl: string, call: Call): string {
  const use = canRead(call)
    ? 'for await (const pet of petstore.allPets()) console.log(pet.id, pet.name);'
    : "console.log(await petstore.createPet({ name: 'Rex', categoryId: 7n }));";
  return `// petstore-client is not published yet; for now, install the file
// that npm pack --workspace client makes in a clone of the repository.
// npm install petstore-client
import { createClient } from 'petstore-client';

const petstore = createClient({
  baseUrl: '${apiUrl}',
  apiKey: process.env.PETSTORE_KEY ?? '',
});
${use}`;
}
