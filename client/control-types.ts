// The methods of the control API's client: their parameters and results, from the generated types.

import type { CONDITIONAL, ControlOperations, CREATING, components, DEPLOYING, PAGED } from './control-generated.ts';
import type { CallOptions, Query } from './request.ts';

export type OperationId = keyof ControlOperations;
export type DeployOperationId = (typeof DEPLOYING)[number];
export type PagedOperationId = (typeof PAGED)[number];

/** The API's named types, such as `ControlSchemas['Domain']`. */
export type ControlSchemas = components['schemas'];

interface IdempotencyOptions {
  /** The key of a call by an earlier process, to repeat that call. @default a new key */
  readonly idempotencyKey?: string | undefined;
}

interface ConditionOptions {
  /** The result of an earlier call; if it has changed since, this call is refused with `precondition_failed`. @default no condition */
  readonly ifUnchanged?: object | undefined;
}

type PathOf<Operation> = Operation extends { readonly parameters: { readonly path: infer Path } } ? { readonly path: Path } : unknown;

/** Operations without a query have `query?: never`. */
type QueryOf<Operation> = Operation extends { readonly parameters: { readonly query: infer Parameters } }
  ? { readonly query: Query<Parameters> }
  : Operation extends { readonly parameters: { readonly query?: infer Parameters } }
    ? [Parameters] extends [undefined]
      ? unknown
      : { readonly query?: Query<Parameters> | undefined }
    : unknown;

type BodyOf<Operation> = Operation extends { readonly requestBody: { readonly content: { readonly 'application/json': infer Body } } }
  ? { readonly body: Body }
  : unknown;

type AnswerIn<Responses> = Responses[keyof Responses] extends { readonly content: { readonly 'application/json': infer Answer } } ? Answer : never;

/** Shows an intersection as one type. */
type Shown<T> = { [Name in keyof T]: T[Name] };

/** An operation's input, in one object. */
export type InputOf<Id extends OperationId> = Shown<
  PathOf<ControlOperations[Id]> &
    QueryOf<ControlOperations[Id]> &
    BodyOf<ControlOperations[Id]> &
    CallOptions &
    (Id extends (typeof CREATING)[number] ? IdempotencyOptions : unknown) &
    (Id extends (typeof CONDITIONAL)[number] ? ConditionOptions : unknown)
>;

/** An operation's result. */
export type AnswerOf<Id extends OperationId> = ControlOperations[Id] extends { readonly responses: infer Responses } ? AnswerIn<Responses> : never;

type Method<Id extends OperationId> =
  object extends InputOf<Id> ? (input?: InputOf<Id>) => Promise<AnswerOf<Id>> : (input: InputOf<Id>) => Promise<AnswerOf<Id>>;

/** A method for each operation, with the operations' documentation. */
export type Methods = { readonly [Id in keyof ControlOperations]: Method<Id> };

/** An item of a list that comes in pages. */
export type ItemOf<Id extends PagedOperationId> = AnswerOf<Id> extends readonly (infer Item)[] ? Item : never;

/** A request that sends a file in an upload; see listUploadTargets. */
export type UploadTarget = AnswerOf<'listUploadTargets'>['targets'][number];
