// Sorts the SDK's errors: failed conditions are expected and go back to the caller; everything else is a StoreFault.

import { ConditionalCheckFailedException, TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { StoreFault } from '../../../core/refusal.ts';
import type { Item } from './items.ts';

/** Awaits a call and turns any error other than a failed condition into a StoreFault. */
export async function guarded<T>(operation: string, call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException || error instanceof TransactionCanceledException) throw error;
    const reason = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    throw new StoreFault('unavailable', `DynamoDB ${operation}: ${reason}`, { cause: error });
  }
}

/** Whether an error says that a write's condition failed. */
export function isConditionFailed(error: unknown): error is ConditionalCheckFailedException {
  return error instanceof ConditionalCheckFailedException;
}

/**
 * Awaits a conditional write.
 *
 * @returns undefined if written; otherwise the item that failed the condition, empty if it does not exist
 */
export async function refusedBy(operation: string, call: Promise<unknown>): Promise<Item | undefined> {
  try {
    await guarded(operation, call);
    return undefined;
  } catch (error) {
    if (isConditionFailed(error)) return error.Item ?? {};
    throw error;
  }
}

/** Returns the cancellation reason for each item in a transaction, in order; `None` for items that would have succeeded. */
export type Cancellation = readonly { readonly code: string; readonly item: Item }[];

/** Awaits a transaction. @returns undefined if written; otherwise the cancellation reasons */
export async function canceledBy(operation: string, call: Promise<unknown>): Promise<Cancellation | undefined> {
  try {
    await guarded(operation, call);
    return undefined;
  } catch (error) {
    if (!(error instanceof TransactionCanceledException)) throw error;
    const reasons = (error.CancellationReasons ?? []).map(({ Code, Item }) => ({ code: Code ?? 'None', item: Item ?? {} }));
    const unexpected = reasons.find(({ code }) => !['None', 'ConditionalCheckFailed', 'TransactionConflict'].includes(code));
    if (unexpected !== undefined || reasons.length === 0) {
      throw new StoreFault('unavailable', `DynamoDB ${operation}: canceled, ${unexpected?.code ?? 'no reason given'}`, { cause: error });
    }
    return reasons;
  }
}
