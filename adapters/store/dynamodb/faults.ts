// What the SDK throws, sorted: an expected "no" of a condition is handled where it is asked; all else is a StoreFault.

import { ConditionalCheckFailedException, TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { StoreFault } from '../../../core/store-fault.ts';
import type { Item } from './items.ts';

/** Awaits a call; whatever it throws other than a failed condition becomes a StoreFault. */
export async function guarded<T>(operation: string, call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException || error instanceof TransactionCanceledException) throw error;
    const reason = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    throw new StoreFault('unavailable', `DynamoDB ${operation}: ${reason}`, { cause: error });
  }
}

/**
 * Awaits a conditional write.
 *
 * @returns undefined if it was written; else the item that stood in the way, which is empty if there is none
 */
export async function refusedBy(operation: string, call: Promise<unknown>): Promise<Item | undefined> {
  try {
    await guarded(operation, call);
    return undefined;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return error.Item ?? {};
    throw error;
  }
}

/** Why each part of a transaction was cancelled, in the order of its items; `None` for those that would have gone through. */
export type Cancellation = readonly { readonly code: string; readonly item: Item }[];

/** Awaits a transaction. @returns undefined if it was written, else why not */
export async function cancelledBy(operation: string, call: Promise<unknown>): Promise<Cancellation | undefined> {
  try {
    await guarded(operation, call);
    return undefined;
  } catch (error) {
    if (!(error instanceof TransactionCanceledException)) throw error;
    const reasons = (error.CancellationReasons ?? []).map(({ Code, Item }) => ({ code: Code ?? 'None', item: Item ?? {} }));
    const unexpected = reasons.find(({ code }) => !['None', 'ConditionalCheckFailed', 'TransactionConflict'].includes(code));
    if (unexpected !== undefined || reasons.length === 0) {
      throw new StoreFault('unavailable', `DynamoDB ${operation}: cancelled, ${unexpected?.code ?? 'no reason given'}`, { cause: error });
    }
    return reasons;
  }
}
