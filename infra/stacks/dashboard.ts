// The dashboard: its users, the control API that only these users may call, and its files.

import { Aws, CfnOutput, Duration, Stack, type StackProps, Validations } from 'aws-cdk-lib';
import { type CfnStage, HttpApi, HttpMethod, HttpNoneAuthorizer } from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpUserPoolAuthorizer } from 'aws-cdk-lib/aws-apigatewayv2-authorizers';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import {
  AccountRecovery,
  CfnManagedLoginBranding,
  type CfnUserPool,
  FeaturePlan,
  ManagedLoginVersion,
  Mfa,
  OAuthScope,
  PasskeyUserVerification,
  UserPool,
  type UserPoolClient,
  UserPoolEmail,
  type UserPoolProps,
} from 'aws-cdk-lib/aws-cognito';
import { Effect, Policy, PolicyStatement, Role } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { StringParameter } from 'aws-cdk-lib/aws-ssm';
import type { Construct } from 'constructs';
import type { SignInSettings } from '../../core/identity/sign-in-settings.ts';
import { UNSUBSCRIBE_PATH } from '../../core/notifications/message.ts';
import { phrase } from '../../core/notifications/sender.ts';
import { parameterName } from '../../platforms/aws/stage-parameters.ts';
import { CONTROL_PREFIX, DEPLOY_PREFIX } from '../../service/control/operation.ts';
import type { Tables } from '../constructs/catalogue-tables.ts';
import { ControlFunction } from '../constructs/control-function.ts';
import { type DashboardParts, DashboardSite } from '../constructs/dashboard-site.ts';
import type { DomainWorkflow } from '../constructs/domain-workflow.ts';
import type { SiteEdge } from '../constructs/edge/site-edge.ts';
import { type MailSender, NotifierFunction } from '../constructs/notifier-function.ts';
import { defaultStage } from '../constructs/public-http-api.ts';
import type { EdgeNameProps } from '../constructs/service-props.ts';
import type { PlatformSettings } from '../platform-props.ts';
import { deployRoleName } from './pipeline.ts';

export interface DashboardStackProps extends StackProps {
  readonly stage: PlatformSettings;
  readonly edgeName: EdgeNameProps;
  readonly tables: Tables;
  readonly edge: SiteEdge;
  readonly domains: DomainWorkflow;
  /** The catalogue API's URL without `/v1`. */
  readonly apiUrl: string;
}

/** The whole stage's safety limit, in requests a second. Its 429 affects all users, so no single user can reach it: a user's own limit is lower. */
const THROTTLE = { rate: 1_000, burst: 1_000 };
/** Requests a second for all pipelines together. Nothing before the function checks their tokens, so junk requests could otherwise keep users out. */
const DEPLOY_THROTTLE = { ThrottlingRateLimit: 100, ThrottlingBurstLimit: 100 };

/** Session settings for both clients. */
const SESSIONS = {
  accessTokenValidity: Duration.minutes(10),
  idTokenValidity: Duration.minutes(10),
  // With rotation, a new refresh token expires when the first one would have, so a session lasts at most twelve hours.
  refreshTokenValidity: Duration.hours(12),
  // Covers a renewal whose answer was lost, and a tab and its duplicate that renew at the same time.
  refreshTokenRotationGracePeriod: Duration.seconds(60),
  preventUserExistenceErrors: true,
};
/** Where `petstore login` waits for the browser. Cognito accepts http URLs only for localhost, each with its port. */
const COMMAND_LINE_URLS = [8_976, 8_977, 8_978].map((port) => `http://localhost:${port}/callback`);

/** The user pool, the control API and the dashboard's site. */
export class DashboardStack extends Stack implements DashboardParts {
  readonly userPool: UserPool;
  readonly client: UserPoolClient;
  readonly api: HttpApi;
  readonly control: ControlFunction;
  readonly site: DashboardSite;
  /** Sends emails to owners. @default undefined: the stage has no sender */
  readonly notifier: NotifierFunction | undefined;

  constructor(scope: Construct, id: string, props: DashboardStackProps) {
    super(scope, id, props);
    const { stage, edgeName, tables, edge, domains } = props;
    const { globalName, tablePrefix, signIn } = stage;
    const prefix = `petstore-${stage.name}-${Aws.ACCOUNT_ID}`;
    const signInOrigin = `https://${prefix}.auth.${Aws.REGION}.amazoncognito.com`;
    const { operators } = signIn;
    this.control = new ControlFunction(this, 'Control', {
      ...stage,
      edgeName,
      tables,
      edge,
      domains,
      operators,
      sendsMail: signIn.mailFrom !== undefined,
    });
    const integration = new HttpLambdaIntegration('ControlIntegration', this.control.function as IFunction);
    this.api = new HttpApi(this, 'Api', {
      apiName: `petstore-${stage.name}-control`,
      description: `Petstore control API, ${stage.name}`,
      createDefaultStage: false,
    });
    this.site = new DashboardSite(this, 'Site', { globalName, tablePrefix, api: this.api, signInOrigin, catalogueUrl: props.apiUrl });
    // Looked up by name, because a grant on the role would put the policy in the Pipeline stack, and the two stacks would depend on each other.
    if (stage.pipeline !== undefined) this.site.grantPublish(Role.fromRoleName(this, 'DeployRole', deployRoleName(globalName)));
    const origin = `https://${this.site.distribution.distributionDomainName}`;

    this.userPool = new UserPool(this, 'Users', {
      userPoolName: `petstore-${stage.name}`,
      selfSignUpEnabled: signIn.openSignUp,
      signInAliases: { email: true },
      signInCaseSensitive: false,
      autoVerify: { email: true },
      passwordPolicy: { minLength: 12, requireLowercase: true, requireUppercase: true, requireDigits: true, requireSymbols: true },
      // MFA can't be optional, because the sign-in pages offer an authenticator app only if everyone must have one.
      ...(signIn.mfa ? { mfa: Mfa.REQUIRED, mfaSecondFactor: { sms: false, otp: true } } : { mfa: Mfa.OFF }),
      ...(signIn.passkeys && PASSKEYS),
      ...(signIn.mailFrom !== undefined && mails(signIn.mailFrom, origin)),
      accountRecovery: AccountRecovery.EMAIL_ONLY,
      deletionProtection: stage.protectData,
      removalPolicy: stage.removalPolicy,
    });
    Validations.of(this.userPool).acknowledge(
      { id: 'AwsSolutions-COG2', reason: 'A stage requires a second factor from everyone or from no one, depending on its MFA setting.' },
      { id: 'AwsSolutions-COG3', reason: 'Threat protection requires a plan that is charged per user; Cognito itself throttles guessing.' },
      { id: 'AwsSolutions-COG8', reason: 'The Plus plan is charged per user, for threat protection that is not used.' },
    );
    // A separate policy avoids a cycle: the function waits for its own policy, and the pool's invitations name the site in front of the function.
    new Policy(this, 'ControlUsers', {
      roles: [this.control.role],
      statements: [
        new PolicyStatement({
          effect: Effect.ALLOW,
          actions: ['cognito-idp:AdminGetUser', 'cognito-idp:AdminUserGlobalSignOut'],
          resources: [this.userPool.userPoolArn],
        }),
      ],
    });
    const { NEWER_MANAGED_LOGIN: managedLoginVersion } = ManagedLoginVersion;
    this.userPool.addDomain('SignIn', { cognitoDomain: { domainPrefix: prefix }, ...(signIn.passkeys && { managedLoginVersion }) });
    // With an empty list, Cognito would allow sign-in with SRP. A custom flow can't be used, because it needs a trigger and there is none. Passkeys
    // need the flow in which users choose the factor; tokens from that flow have no scope that the authorizer accepts.
    const ownFlows = signIn.passkeys ? { user: true } : { custom: true };
    this.client = this.userPool.addClient('Client', {
      oAuth: {
        flows: { authorizationCodeGrant: true },
        scopes: [OAuthScope.OPENID, OAuthScope.EMAIL],
        callbackUrls: [`${origin}/signed-in`],
        logoutUrls: [`${origin}/`],
      },
      authFlows: signIn.adminSignIn ? { adminUserPassword: true, user: signIn.passkeys } : ownFlows,
      ...SESSIONS,
    });

    const commandLine = this.userPool.addClient('CommandLine', {
      oAuth: { flows: { authorizationCodeGrant: true }, scopes: [OAuthScope.OPENID, OAuthScope.EMAIL], callbackUrls: COMMAND_LINE_URLS },
      ...SESSIONS,
      authFlows: ownFlows,
    });
    if (signIn.passkeys) {
      // This makes a passkey count as two factors; otherwise it could not be used where two are required.
      const pool = this.userPool.node.defaultChild as CfnUserPool;
      pool.webAuthnFactorConfiguration = 'MULTI_FACTOR_WITH_USER_VERIFICATION';
      // The newer pages have no default style, and don't work without one.
      for (const [name, { userPoolClientId: clientId }] of Object.entries({ Client: this.client, CommandLine: commandLine }))
        new CfnManagedLoginBranding(this, `${name}Look`, { userPoolId: this.userPool.userPoolId, clientId, useCognitoProvidedValues: true });
    }

    // An ID token also has the right audience, but no scopes. The sign-in pages grant `openid`, the admin sign-in only Cognito's own scope.
    const authorizationScopes = [OAuthScope.OPENID, ...(signIn.adminSignIn ? [OAuthScope.COGNITO_ADMIN] : [])].map(({ scopeName }) => scopeName);
    const authorizer = new HttpUserPoolAuthorizer('Signed-in', this.userPool, { userPoolClients: [this.client, commandLine] });
    for (const method of [HttpMethod.GET, HttpMethod.HEAD, HttpMethod.POST, HttpMethod.PUT, HttpMethod.DELETE])
      this.api.addRoutes({ path: `${CONTROL_PREFIX}/{proxy+}`, methods: [method], integration, authorizer, authorizationScopes });
    const open = new HttpNoneAuthorizer();
    this.api.addRoutes({ path: `${CONTROL_PREFIX}/{proxy+}`, methods: [HttpMethod.OPTIONS], integration, authorizer: open });
    const [deployRoute] = this.api.addRoutes({ path: `${DEPLOY_PREFIX}/{proxy+}`, methods: [HttpMethod.ANY], integration, authorizer: open });
    this.api.addRoutes({ path: `${CONTROL_PREFIX}/openapi.json`, methods: [HttpMethod.GET, HttpMethod.HEAD], integration, authorizer: open });
    const unsubscribing = [HttpMethod.GET, HttpMethod.HEAD, HttpMethod.POST];
    this.api.addRoutes({ path: UNSUBSCRIBE_PATH, methods: unsubscribing, integration, authorizer: open });
    Validations.of(this.api).acknowledge({
      id: 'AwsSolutions-APIG4',
      reason:
        "The API's document is public. Links in emails carry a proof that the service wrote them. The function itself checks deploy tokens; everything else requires a signed-in user.",
    });
    const { stage: httpStage } = defaultStage(this, this.api, { ...stage, throttle: THROTTLE });
    (httpStage.node.defaultChild as CfnStage).routeSettings = { [`ANY ${DEPLOY_PREFIX}/{proxy+}`]: DEPLOY_THROTTLE };
    // API Gateway rejects settings for a route that does not exist yet.
    if (deployRoute !== undefined) httpStage.node.addDependency(deployRoute);
    if (signIn.mailFrom !== undefined)
      this.notifier = new NotifierFunction(this, 'Notifier', {
        ...stage,
        tables,
        sender: signIn.mailFrom,
        operatorMail: stage.alarmEmail,
        userPool: this.userPool,
        origin,
      });
    const authority = `https://cognito-idp.${Aws.REGION}.${Aws.URL_SUFFIX}/${this.userPool.userPoolId}`;
    const configuration: SignInSettings = {
      authority,
      clientId: this.client.userPoolClientId,
      scope: 'openid email',
      apiUrl: props.apiUrl,
      // The endpoints of a user pool's domain (Amazon Cognito Developer Guide, "User pool endpoints and managed login reference").
      metadata: {
        issuer: authority,
        authorization_endpoint: `${signInOrigin}/oauth2/authorize`,
        token_endpoint: `${signInOrigin}/oauth2/token`,
        end_session_endpoint: `${signInOrigin}/logout`,
      },
      commandLine: { clientId: commandLine.userPoolClientId, redirectUris: COMMAND_LINE_URLS },
    };
    const parameters = {
      bucket: this.site.bucket.bucketName,
      distribution: this.site.distribution.distributionId,
      configuration: this.toJsonString(configuration),
    };
    for (const [name, stringValue] of Object.entries(parameters) as [keyof typeof parameters, string][])
      new StringParameter(this, `Parameter-${name}`, { parameterName: parameterName(stage.name, 'dashboard', name), stringValue });
    new CfnOutput(this, 'DashboardUrl', { description: 'URL of the dashboard', value: origin });
    new CfnOutput(this, 'ControlUrl', { description: 'URL of the control API', value: this.api.apiEndpoint });
    new CfnOutput(this, 'UserPoolId', { description: 'User pool of the dashboard', value: this.userPool.userPoolId });
    new CfnOutput(this, 'ClientId', { description: 'User pool client of the dashboard', value: this.client.userPoolClientId });
  }
}

/**
 * Passkeys for the host name of the sign-in pages. Cognito uses the pool's domain (Amazon Cognito API reference,
 * WebAuthnConfigurationMissingException) because no relying party is set: CloudFormation allows only 63 characters, too few for some stages.
 */
const PASSKEYS: Partial<UserPoolProps> = {
  featurePlan: FeaturePlan.ESSENTIALS,
  signInPolicy: { allowedFirstAuthFactors: { password: true, passkey: true } },
  passkeyUserVerification: PasskeyUserVerification.REQUIRED,
};

/** Returns the sender, and the text of invitations, which Cognito lets pools change only if they have their own sender. */
function mails({ name, address, region }: MailSender, origin: string): Pick<UserPoolProps, 'email' | 'userInvitation'> {
  return {
    email: UserPoolEmail.withSES({
      fromEmail: address,
      ...(name !== undefined && { fromName: phrase(name) }),
      replyTo: address,
      sesRegion: region ?? Aws.REGION,
      sesVerifiedDomain: address.split('@')[1] ?? '',
    }),
    userInvitation: {
      emailSubject: 'Your invitation to Petstore',
      emailBody: `You are invited to the Petstore dashboard: ${origin}/<br><br>Sign in as {username} with the temporary password {####} within seven days, and choose a password of your own.`,
    },
  };
}
