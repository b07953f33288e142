// A CDK application whose findings fail every command that synthesizes it.

import { App, type AppProps, Validations } from 'aws-cdk-lib';
import { FAIL_SYNTH_ON_VALIDATION_ERRORS_CONTEXT } from 'aws-cdk-lib/cx-api';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';

/** Creates an application that is checked with cdk-nag and the CDK's own rules. Findings not acknowledged with a reason fail the synthesis. */
export function createCheckedApp(props: AppProps = {}): App {
  // The CDK CLI sets a context value that makes applications leave findings to the CLI. But the CLI considers only the selected stacks, and `cdk
  // synth` without a name selects only stacks outside of stages; here, all stacks are in stages.
  const app = new App({ ...props, postCliContext: { [FAIL_SYNTH_ON_VALIDATION_ERRORS_CONTEXT]: true, ...props.postCliContext } });
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app));
  return app;
}
