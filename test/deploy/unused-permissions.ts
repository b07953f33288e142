// The permissions of our roles that no call of a run uses, and why they are needed.

import type { Explained } from '../../judge/index.ts';

export const EXPLAINED: readonly Explained[] = [
  { what: /^\S*Role\S* allows (logs:(CreateLogStream|PutLogEvents)|xray:\w+) /, why: "used by Lambda itself, in the function's role" },
  { what: /^WorkflowRole\S* allows /, why: 'used by Step Functions, inside the emulator' },
  { what: /^ApiRole\S* allows dynamodb:GetItem on \S+-usage$/, why: 'used for clients that have tried many invalid keys' },
  { what: /^FailoverRole\S* allows s3:ListBucket /, why: 'no call needs it; without it, S3 reports a missing file as forbidden' },
  {
    what: /^StepsRole\S* allows cloudfront:(GetDistributionTenantByDomain|ListDistributions) /,
    why: 'used if a name is already taken at CloudFront, which the emulator does not report',
  },
  {
    what: /^SweepRole\S* allows (cloudfront:(CreateDistributionTenant|TagResource|GetConnectionGroup|GetDistributionTenantByDomain|ListDistributions)|acm:(RequestCertificate|AddTagsToCertificate)|route53:\w+) /,
    why: 'used by the sweep if a tenant, a certificate or a validation record of a live domain is gone',
  },
  {
    what: /^(?:DiffRole\S* allows cloudformation:|DriftRole\S* allows |SecurityAudit allows )/,
    why: 'used by workflows for pull requests and for manual changes; deploy.yml compares production only',
  },
  {
    what: /^NotifierRole\S* allows ses:SendEmail on \S+:identity\/\S+@/,
    why: "used instead of the domain's identity if the address is verified on its own",
  },
  {
    what: /^SweepRole\S* allows dynamodb:PutItem on \S+-audit$/,
    why: 'used by the sweep when the requests that were signed for removed files have expired, or a live domain is lost',
  },
  {
    what: /^NotifierRole\S* allows dynamodb:PutItem on \S+-audit$/,
    why: "used when an invitation's email is sent, because its link is made then; the run withdraws its own before",
  },
  { what: /^SweepRole\S* allows dynamodb:DeleteItem /, why: 'used by the sweep if a live domain is lost' },
  {
    what: /^(Deploy|Operator)Role\S* allows ssm:GetParametersByPath on \S+[^/]$/,
    why: 'AWS does not document which form of the path SSM authorizes, so both are allowed',
  },
];
