// An application whose findings stop every command that synthesizes it.

import { App, type AppProps, Validations } from 'aws-cdk-lib';
import { FAIL_SYNTH_ON_VALIDATION_ERRORS_CONTEXT } from 'aws-cdk-lib/cx-api';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';

/** Checked by cdk-nag and by the CDK's own rules: a finding that is not acknowledged with a reason ends the synthesis with an error. */
export function createCheckedApp(props: AppProps = {}): App {
  // The CDK CLI sets a context value that tells applications to leave findings to it. It then looks at those of the stacks that it was asked
  // for, and `cdk synth` without a name means the stacks outside of stages: there are none.
  const app = new App({ ...props, postCliContext: { [FAIL_SYNTH_ON_VALIDATION_ERRORS_CONTEXT]: true, ...props.postCliContext } });
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app));
  return app;
}
