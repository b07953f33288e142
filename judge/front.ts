// The judge: a proxy in front of the emulator that checks every request against AWS's own rules: the operation's service model, and the policies of
// the role that makes it. A request that breaks a rule is refused as AWS would refuse it, and fails the run.

import { once } from 'node:events';
import { Agent, type ClientRequest, createServer, request as httpRequest, type IncomingMessage } from 'node:http';
import { type Answer, refusal } from './answers.ts';
import { authorizationsOf } from './authorizations.ts';
import { globalKeys, isKnownKey } from './condition-keys.ts';
import { ALL_ZONES, createContentRules, zonesInOrder } from './content-rules.ts';
import { createPrincipals, type FunctionCallers, type PlacedStatement, type Principals, permissionsOf } from './principals.ts';
import { type JudgeRecord, newRecord, problemsOf } from './record.ts';
import { createResourceTags, resourceTagKeys } from './resource-tags.ts';
import { type Authorization, concernsAction, conditionKeysOf, decidedBy } from './rules/policy-evaluation.ts';
import { violationsOf, violationText } from './rules/service-model.ts';
import { createServiceModels } from './service-models.ts';
import { type Credentials, signed } from './sign.ts';
import { type Call, readCall } from './wire/call.ts';
import type { WireRequest } from './wire/request.ts';

/** Names for signatures, where they differ from botocore's service names. */
const SIGNING_NAMES: Readonly<Record<string, string>> = { sesv2: 'ses' };

/** What the judge has to know about an emulator. */
export interface Emulated {
  readonly account: string;
  /** Credentials that may do anything. */
  readonly administrator: Credentials;
  /** A Python environment with botocore, which has the service models. */
  readonly python: string;
  /** How to find out which function makes a call. @default functions make no calls */
  readonly functions?: FunctionCallers;
  /**
   * Operations, as `service:Operation`, whose resources the emulator's own IAM does not support, so that it denies them to every role. If the judge
   * allows such a call, it is forwarded with the administrator's credentials. @default none
   */
  readonly unknownToItsIam?: RegExp;
}

export interface FrontOptions extends Emulated {
  /** The emulator's port. */
  readonly emulatorPort: number;
  readonly port: number;
  /** Changes and signs a request that the emulator can't handle. @returns undefined for a request that needs no change @default forward as it is */
  readonly adjust?: (call: Call, request: WireRequest) => Promise<WireRequest | undefined>;
}

export interface Front {
  readonly record: JudgeRecord;
  readonly principals: Principals;
  stop(): Promise<void>;
}

/** Starts listening on the loopback interface. */
export async function startFront({ emulatorPort, port, adjust, ...emulated }: FrontOptions): Promise<Front> {
  const { account, administrator, unknownToItsIam } = emulated;
  const endpoint = `http://127.0.0.1:${emulatorPort}`;
  const record = newRecord();
  const models = createServiceModels(emulated.python);
  const principals = createPrincipals(endpoint, administrator, emulated.functions);
  const tags = createResourceTags(endpoint, administrator);
  const rules = createContentRules(endpoint, administrator);
  const agent = new Agent({ keepAlive: true });

  /** @returns a refusal, or undefined if AWS would accept the request */
  async function judge(call: Call): Promise<Answer | undefined> {
    const name = `${call.service}:${call.operation}`;
    record.calls.set(name, (record.calls.get(name) ?? 0) + 1);
    const broken = violationsOf(call.model, call.service, call.operation, call.input);
    const violations = broken.length > 0 ? broken : await rules.violations(call);
    if (violations.length > 0) {
      record.violations.push(...violations);
      return refusal(call, 'invalid', violations.map(violationText).join('; '));
    }
    if (call.service === 'sts' && (call.input.Policy ?? call.input.PolicyArns) !== undefined)
      throw new Error(`${name}: session policies are not supported`);
    if (call.accessKeyId !== undefined) return decide(call, call.accessKeyId);
    if (call.model.operations[call.operation]?.authtype !== 'none') throw new Error(`${name}: the request is not signed`);
    return undefined;
  }

  async function decide(call: Call, accessKeyId: string): Promise<Answer | undefined> {
    const { role, statements } = await principals.of(accessKeyId);
    if (role === undefined) return undefined;
    for (const needed of await authorizationsOf(call, account)) {
      const { action, resource } = needed;
      let deciding = await allowing(statements, needed, call);
      if (deciding.length === 0) {
        // A deployment may have just changed the policies.
        const fresh = await principals.of(accessKeyId, true);
        deciding = await allowing(fresh.statements, needed, call);
        if (deciding.length === 0) record.denials.push({ role, action, resource, isBeingDeleted: fresh.isBeingDeleted });
      }
      if (deciding.length === 0) {
        const user = `arn:aws:sts::${account}:assumed-role/${role}/session`;
        const reason = `because no identity-based policy allows the ${action} action`;
        return refusal(call, 'denied', `User: ${user} is not authorized to perform: ${action} on resource: ${resource} ${reason}`);
      }
      const used = record.used.get(role) ?? new Set();
      record.used.set(role, used);
      for (const statement of deciding) for (const permission of permissionsOf(statement, needed)) used.add(permission);
    }
    return undefined;
  }

  /** The statements that allow what a call needs. @throws Error for a condition on a key that the judge does not know */
  async function allowing(
    statements: readonly PlacedStatement[],
    needed: Authorization,
    { region, input }: Call,
  ): Promise<readonly PlacedStatement[]> {
    const keys = statements.filter((statement) => concernsAction(statement, needed.action)).flatMap(conditionKeysOf);
    const unknown = keys.find((key) => !isKnownKey(key));
    if (unknown !== undefined)
      throw new Error(`${needed.action}: the policies have a condition on ${unknown}, which is not in judge/condition-keys.ts`);
    const context = { ...needed.context, ...globalKeys(account, region), ...(await resourceTagKeys(statements, needed, input, tags)) };
    return decidedBy(statements, { ...needed, context });
  }

  const printed = new Set<string>();
  const printProblems = () => {
    for (const problem of problemsOf(record).filter((each) => !printed.has(each))) {
      printed.add(problem);
      console.error(problem);
    }
  };

  async function handle(request: WireRequest): Promise<Answer> {
    let call: Call | undefined;
    let forwarded = request;
    try {
      call = readCall(request, models);
      const refused = await judge(call);
      if (refused !== undefined) return refused;
      forwarded = await adjusted(call, request);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      record.faults.push(message);
      return refusal(call, 'invalid', message);
    }
    const answer = await answerTo(call, forwarded);
    await note(call, answer);
    return answer;
  }

  async function answerTo(call: Call, request: WireRequest): Promise<Answer> {
    if (`${call.service}:${call.operation}` !== 'route53:ListHostedZonesByName') return forward(request);
    const all = await forward(await signed({ ...request, url: ALL_ZONES }, 'route53', 'us-east-1', administrator));
    return zonesInOrder(all, call.input);
  }

  async function adjusted(call: Call, request: WireRequest): Promise<WireRequest> {
    const changed = await adjust?.(call, request);
    if (changed !== undefined || !unknownToItsIam?.test(`${call.service}:${call.operation}`)) return changed ?? request;
    return signed(request, SIGNING_NAMES[call.service] ?? call.service, call.region ?? 'us-east-1', administrator);
  }

  async function note({ service, operation, input, accessKeyId: caller }: Call, { status, body }: Answer): Promise<void> {
    const text = status >= 400 || service === 'sts' ? body.toString() : '';
    if (status >= 400 && /AccessDenied|not authorized/.test(text)) {
      const isBeingDeleted = caller !== undefined && (await principals.of(caller, true)).isBeingDeleted;
      if (!isBeingDeleted) record.disputes.push(`${service}:${operation}: ${text.slice(0, 500)}`);
    }
    const accessKeyId = /<AccessKeyId>([^<]+)</.exec(text)?.[1];
    if (operation.startsWith('AssumeRole') && accessKeyId !== undefined) principals.assumed(accessKeyId, String(input.RoleArn));
  }

  async function forward(request: WireRequest, isRepeated = false): Promise<Answer> {
    const { method, url, headers, body } = request;
    const { expect: _, 'transfer-encoding': __, ...kept } = headers;
    const sent = httpRequest({
      agent,
      host: '127.0.0.1',
      port: emulatorPort,
      method,
      path: url,
      // AWS's endpoints use TLS, and policies require it.
      headers: { ...kept, 'content-length': body.length, 'x-forwarded-proto': 'https' },
    });
    try {
      const response = await responseTo(sent, body);
      const { 'transfer-encoding': ___, connection: ____, 'keep-alive': _____, ...answered } = response.headers;
      return { status: response.statusCode ?? 502, headers: answered, body: await bytesOf(response) };
    } catch (error) {
      // The emulator may close an idle connection while the next request is being sent.
      if (!sent.reusedSocket || isRepeated || !isReset(error)) throw error;
      return forward(request, true);
    }
  }

  const server = createServer(async (incoming, response) => {
    const { method = 'GET', url = '/', headers } = incoming;
    try {
      const answer = await handle({ method, url, headers, body: await bytesOf(incoming) });
      const isEmpty = method === 'HEAD' || answer.status === 204 || answer.status === 304;
      const length = isEmpty ? {} : { 'content-length': answer.body.length };
      printProblems();
      response.writeHead(answer.status, { ...answer.headers, ...length });
      response.end(method === 'HEAD' ? undefined : answer.body);
    } catch (error) {
      record.faults.push(`${method} ${url}: ${error instanceof Error ? error.message : error}`);
      response.destroy();
    }
  });
  server.keepAliveTimeout = 60_000;
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    record,
    principals,
    stop: async () => {
      server.close();
      server.closeAllConnections();
      agent.destroy();
      await once(server, 'close');
    },
  };
}

/** Errors after the response has begun reach the code that reads it; the listener only keeps them from ending the process. */
function responseTo(sent: ClientRequest, body: Buffer): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    sent.on('error', reject);
    sent.once('response', resolve);
    sent.end(body);
  });
}

function isReset(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
}

async function bytesOf(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}
