// CloudFront, its KeyValueStore, ACM, Route 53 and Step Functions in memory, as far as the adapters use them: with the waits that the emulator
// leaves out, with faults on demand, and with refusals of inputs that violate AWS's own descriptions of the operations. test/deploy compares the
// meaning of the calls with the emulator's.

import { MemoryAccount } from './memory-aws/account.ts';
import { acmOf } from './memory-aws/acm.ts';
import { cloudFrontOf } from './memory-aws/cloudfront.ts';
import { keyValueStoreOf } from './memory-aws/key-value-store.ts';
import { route53Of } from './memory-aws/route53.ts';
import { stepFunctionsOf } from './memory-aws/step-functions.ts';
import { refusalsOf } from './mocked-clients.ts';

/** One AWS account and clients of its services. */
export class MemoryAws extends MemoryAccount {
  readonly cloudFront = cloudFrontOf(this);
  readonly keyValueStore = keyValueStoreOf(this);
  readonly acm = acmOf(this);
  readonly route53 = route53Of(this);
  readonly stepFunctions = stepFunctionsOf(this);

  /** Calls with an input that AWS would refuse, whatever their result. */
  get refused(): readonly string[] {
    return [this.cloudFront, this.keyValueStore, this.acm, this.route53, this.stepFunctions].flatMap(refusalsOf);
  }
}
