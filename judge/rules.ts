// AWS's rules as functions on data, which need only Node: service models, policies, metrics, and what Route 53 accepts.

export { referenceOf, takesConditionKey, takesResource } from './rules/actions.ts';
export { type MetricReference, metricProblem } from './rules/metrics.ts';
export { MODELS, modelOf } from './rules/models.ts';
export { type Authorization, isAllowed, listOf, type Statement } from './rules/policy-evaluation.ts';
export { changeProblem, recordOrder } from './rules/record-changes.ts';
export { uncheckablePatterns, violationsOf, violationText } from './rules/service-model.ts';
