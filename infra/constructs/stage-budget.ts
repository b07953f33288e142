// A monthly budget for a stage: an email when its cost exceeds the budget, or is forecast to. CloudWatch has no metric for the cost of a tag.

import { CfnBudget } from 'aws-cdk-lib/aws-budgets';
import { Construct } from 'constructs';

export interface StageBudgetProps {
  /** The stage's name, which is the value of its tag. */
  readonly name: string;
  readonly globalName: string;
  /** US dollars a month. */
  readonly limit: number;
  readonly email: string;
}

/** The budget. It counts what has the stage's tag, in all regions, once the tag is active for cost allocation. */
export class StageBudget extends Construct {
  constructor(scope: Construct, id: string, { name, globalName, limit, email }: StageBudgetProps) {
    super(scope, id);
    new CfnBudget(this, 'Budget', {
      budget: {
        budgetName: `petstore-${globalName}`,
        budgetType: 'COST',
        timeUnit: 'MONTHLY',
        budgetLimit: { amount: limit, unit: 'USD' },
        costFilters: { TagKeyValue: [`user:stage$${name}`] },
      },
      notificationsWithSubscribers: ['ACTUAL', 'FORECASTED'].map((notificationType) => ({
        notification: { notificationType, comparisonOperator: 'GREATER_THAN', threshold: 100, thresholdType: 'PERCENTAGE' },
        subscribers: [{ subscriptionType: 'EMAIL', address: email }],
      })),
    });
  }
}
