// Lambda entry point for the control API. API Gateway's authorizer has already verified the token.

import { randomBytes } from 'node:crypto';
import { Logger } from '@aws-lambda-powertools/logger';
import { createStageUsers, openControlPlatform } from '../platforms/aws/control-platform.ts';
import { controlSettings, parseEnvironment } from '../platforms/aws/function-settings.ts';
import { currentActor } from '../service/audit/acting.ts';
import { createControl } from '../service/control/create-control.ts';

const settings = parseEnvironment(controlSettings, process.env);
const platform = await openControlPlatform(settings, currentActor);

export const handler = createControl({
  ports: {
    ...platform,
    httpsPort: 443,
    sandbox: undefined,
    operators: settings.OPERATORS?.split(',') ?? [],
    // Not needed, because CloudWatch's alarms watch a stage.
    readiness: undefined,
    directory: createStageUsers(),
    sessions: undefined,
    knowsSecondFactors: false,
    sendsMail: settings.SENDS_MAIL,
    // API Gateway reports CloudFront's address. The API can also be reached directly, so a header with the client's address could be forged.
    seesClients: false,
    keyMode: settings.KEY_MODE,
    randomBytes,
  },
  clock: Date.now,
  logger: new Logger({ serviceName: settings.SERVICE_NAME }),
});
