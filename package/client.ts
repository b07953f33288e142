// `petstore-platform/client`: the typed client for the catalogue API, which is also the package petstore-client.

export {
  type ClientOptions,
  createClient,
  type ListPetsQuery,
  type NewPet,
  type Page,
  type Pet,
  type PetStatus,
  type PetstoreClient,
} from '../client/client.ts';
export { ApiKeyBannedError, type ErrorCode, PetstoreError } from '../client/errors.ts';
export type { RetryOptions } from '../client/retry.ts';
