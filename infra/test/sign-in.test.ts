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

const [staging, production] = [dashboardOf('staging'), dashboardOf('production')];

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
    const { RefreshTokenRotation, ExplicitAuthFlows } = only(template, 'AWS::Cognito::UserPoolClient');
    expect(RefreshTokenRotation).toEqual({ Feature: 'ENABLED', RetryGracePeriodSeconds: 60 });
    // Refused with rotation (Cognito Developer Guide, "Refresh token rotation").
    expect(ExplicitAuthFlows).not.toContain('ALLOW_REFRESH_TOKEN_AUTH');
  });

  test('only staging has a sign-in for callers with credentials of the AWS account', () => {
    expect(only(staging, 'AWS::Cognito::UserPoolClient').ExplicitAuthFlows).toContain('ALLOW_ADMIN_USER_PASSWORD_AUTH');
    // Never missing or empty: Cognito would then allow sign-in with SRP, for anyone with a password, and REFRESH_TOKEN_AUTH.
    expect(only(production, 'AWS::Cognito::UserPoolClient').ExplicitAuthFlows).toEqual(['ALLOW_CUSTOM_AUTH']);
    expect(only(production, 'AWS::Cognito::UserPool').LambdaConfig).toBeUndefined();
  });
});
