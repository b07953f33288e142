// Who may sign in to the dashboard, and which tokens the control API takes: by profile, and by setting.

import { Template } from 'aws-cdk-lib/assertions';
import { afterAll, describe, expect, test } from 'vitest';
import type { StageName } from '../../platforms/aws/stage-name.ts';
import { makeFolder } from '../../test/support/folders.ts';
import { EDGES, makeApp, makeStages } from './support/synthesis.ts';

const folder = makeFolder();
afterAll(() => folder.remove());

let apps = 0;
/** The dashboard's template of a stage with these settings besides an edge name. */
function dashboardOf(name: StageName, settings: Readonly<Record<string, string>> = {}): Template {
  apps += 1;
  const [stage] = makeStages(makeApp(`${folder.path}/${apps}`), { ...EDGES, ...settings }, [name]);
  if (stage?.dashboard === undefined) throw new Error(`${name} has no dashboard`);
  return Template.fromStack(stage.dashboard);
}

/** The properties of a template's only resource of a type. */
function only(template: Template, type: string) {
  const found = Object.values(template.findResources(type));
  expect(found).toHaveLength(1);
  return found[0]?.Properties;
}

/** The clients: the dashboard and the command line. */
function clientsOf(template: Template) {
  const clients = Object.entries(template.findResources('AWS::Cognito::UserPoolClient'));
  const [dashboard, commandLine] = ['Client', 'CommandLine'].map(
    (id) => clients.find(([logicalId]) => logicalId.startsWith(`Users${id}`))?.[1].Properties,
  );
  expect(clients).toHaveLength(2);
  return { dashboard, commandLine };
}

const [staging, production] = [dashboardOf('staging'), dashboardOf('production')];

describe('users', () => {
  test('anyone may sign up, unless users are invited', () => {
    const invited = dashboardOf('production', { PRODUCTION_SIGN_UP: 'invited' });
    expect(only(production, 'AWS::Cognito::UserPool').AdminCreateUserConfig).toMatchObject({ AllowAdminCreateUserOnly: false });
    expect(only(invited, 'AWS::Cognito::UserPool').AdminCreateUserConfig).toMatchObject({ AllowAdminCreateUserOnly: true });
  });

  test('a second factor is off or required, never an option that the sign-in pages do not offer', () => {
    const required = dashboardOf('production', { PRODUCTION_MFA: 'required' });
    expect(only(production, 'AWS::Cognito::UserPool').MfaConfiguration).toBe('OFF');
    expect(only(required, 'AWS::Cognito::UserPool')).toMatchObject({ MfaConfiguration: 'ON', EnabledMfas: ['SOFTWARE_TOKEN_MFA'] });
  });

  test('operators are named to the control API, which then may read what is due; without any, it may not', () => {
    const ids = '5d2f8a9c-1b3e-4c6d-8f7a-9e0b1c2d3e4f,6d2f8a9c-1b3e-4c6d-8f7a-9e0b1c2d3e4f';
    const chosen = JSON.stringify(dashboardOf('production', { PRODUCTION_OPERATORS: ids.replace(',', ', ') }).toJSON());
    expect([chosen.includes(`"OPERATORS":"${ids}"`), chosen.includes('/index/byWakeAt')]).toEqual([true, true]);
    const without = JSON.stringify(production.toJSON());
    expect([without.includes('"OPERATORS"'), without.includes('/index/byWakeAt')]).toEqual([false, false]);
  });

  test('passkeys come with the pages that can ask for them, and count as two factors', () => {
    const chosen = dashboardOf('production', { PRODUCTION_PASSKEYS: 'on', PRODUCTION_MFA: 'required' });
    const pool = only(chosen, 'AWS::Cognito::UserPool');
    expect(pool).toMatchObject({
      UserPoolTier: 'ESSENTIALS',
      Policies: { SignInPolicy: { AllowedFirstAuthFactors: ['PASSWORD', 'WEB_AUTHN'] } },
      WebAuthnUserVerification: 'required',
      WebAuthnFactorConfiguration: 'MULTI_FACTOR_WITH_USER_VERIFICATION',
    });
    const { ManagedLoginVersion } = only(chosen, 'AWS::Cognito::UserPoolDomain');
    expect(ManagedLoginVersion).toBe(2);
    // The relying party is the host name of the pages, which Cognito takes if there is none: CloudFormation allows only 63 characters.
    expect(pool.WebAuthnRelyingPartyID).toBeUndefined();
    const { dashboard, commandLine } = clientsOf(chosen);
    for (const { ExplicitAuthFlows } of [dashboard, commandLine]) expect(ExplicitAuthFlows).toEqual(['ALLOW_USER_AUTH']);
    const looks = Object.values(chosen.findResources('AWS::Cognito::ManagedLoginBranding')).map(({ Properties }) => Properties);
    expect(looks).toHaveLength(2);
    for (const look of looks) expect(look.UseCognitoProvidedValues).toBe(true);
    expect(new Set(looks.map(({ ClientId }) => ClientId.Ref)).size).toBe(2);
    expect(only(production, 'AWS::Cognito::UserPool').UserPoolTier).toBeUndefined();
    expect(production.findResources('AWS::Cognito::ManagedLoginBranding')).toEqual({});
  });

  const ACCOUNT = { PRODUCTION_ACCOUNT: '123456789012', PRODUCTION_REGION: 'eu-central-1' };

  test.each([
    ['no-reply@example.com', 'eu-central-1', 'no-reply@example.com'],
    ['no-reply@example.com:eu-west-1', 'eu-west-1', 'no-reply@example.com'],
    ['Pet Shop <no-reply@example.com>:eu-west-1', 'eu-west-1', 'Pet Shop <no-reply@example.com>'],
  ])('emails come from the sender %s, whose domain is verified in %s', (sender, region, from) => {
    const { EmailConfiguration, AdminCreateUserConfig } = only(
      dashboardOf('production', { ...ACCOUNT, PRODUCTION_MAIL_FROM: sender }),
      'AWS::Cognito::UserPool',
    );
    expect(EmailConfiguration).toMatchObject({
      EmailSendingAccount: 'DEVELOPER',
      From: from,
      ReplyToEmailAddress: 'no-reply@example.com',
    });
    expect(JSON.stringify(EmailConfiguration.SourceArn)).toContain(`:ses:${region}:123456789012:identity/example.com`);
    // Cognito refuses an invitation without both placeholders.
    expect(JSON.stringify(AdminCreateUserConfig.InviteMessageTemplate.EmailMessage)).toMatch(/\{username\}.*\{####\}/);
  });

  test('without a sender, Cognito sends its own texts: it allows no others', () => {
    const { EmailConfiguration, AdminCreateUserConfig } = only(production, 'AWS::Cognito::UserPool');
    expect([EmailConfiguration, AdminCreateUserConfig.InviteMessageTemplate]).toEqual([undefined, undefined]);
  });
});

describe('tokens', () => {
  /** Access tokens have a claim `scope`, ID tokens have none (Cognito Developer Guide, "Understanding user pool JSON web tokens"). */
  test.each([
    ['production', production, ['openid']],
    ['staging', staging, ['openid', 'aws.cognito.signin.user.admin']],
  ])('%s: every route that needs a token needs a scope, which ID tokens lack', (_name, template, scopes) => {
    const routes = Object.values(template.findResources('AWS::ApiGatewayV2::Route')).map(({ Properties }) => Properties);
    const withToken = routes.filter(({ AuthorizationType }) => AuthorizationType === 'JWT');
    expect(withToken.map(({ AuthorizationScopes }) => AuthorizationScopes)).toEqual(Array(5).fill(scopes));
  });

  test.each([
    ['production', production],
    ['staging', staging],
  ])('%s: refresh tokens are valid once, and for a retry within a minute', (_name, template) => {
    for (const { RefreshTokenRotation, ExplicitAuthFlows } of Object.values(clientsOf(template))) {
      expect(RefreshTokenRotation).toEqual({ Feature: 'ENABLED', RetryGracePeriodSeconds: 60 });
      // Refused with rotation (Cognito Developer Guide, "Refresh token rotation").
      expect(ExplicitAuthFlows).not.toContain('ALLOW_REFRESH_TOKEN_AUTH');
    }
  });

  test('the command line gets codes on this computer only, for the scopes of the dashboard', () => {
    const { dashboard, commandLine } = clientsOf(production);
    expect(commandLine).toMatchObject({
      AllowedOAuthFlows: ['code'],
      AllowedOAuthScopes: dashboard.AllowedOAuthScopes,
      CallbackURLs: ['http://localhost:8976/callback', 'http://localhost:8977/callback', 'http://localhost:8978/callback'],
    });
    // A secret in a program that everybody has is none; PKCE takes its place.
    expect(commandLine.GenerateSecret).toBeUndefined();
  });

  test('tokens are in no address, are for users of the pool, and an unknown address is answered like a wrong password', () => {
    for (const client of [staging, production].flatMap((template) => Object.values(clientsOf(template))))
      expect(client).toMatchObject({
        // The implicit flow returns tokens in the address (RFC 9700, section 2.1.2).
        AllowedOAuthFlows: ['code'],
        AllowedOAuthFlowsUserPoolClient: true,
        // Without any, nobody can sign in.
        SupportedIdentityProviders: ['COGNITO'],
        // Otherwise anyone can ask which addresses have an account (Cognito Developer Guide, "Managing user existence error responses").
        PreventUserExistenceErrors: 'ENABLED',
      });
  });

  test('only staging has a sign-in for callers with credentials of the AWS account', () => {
    expect(clientsOf(staging).dashboard.ExplicitAuthFlows).toContain('ALLOW_ADMIN_USER_PASSWORD_AUTH');
    // Never missing or empty: Cognito would then allow sign-in with SRP, for anyone with a password, and REFRESH_TOKEN_AUTH.
    for (const client of [clientsOf(production).dashboard, clientsOf(production).commandLine, clientsOf(staging).commandLine])
      expect(client.ExplicitAuthFlows).toEqual(['ALLOW_CUSTOM_AUTH']);
    expect(only(production, 'AWS::Cognito::UserPool').LambdaConfig).toBeUndefined();
  });
});
