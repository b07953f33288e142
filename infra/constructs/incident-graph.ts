// A graph on the incident dashboard: half as wide as the page, from zero, with the unit at its axis.

import { GraphWidget, type IMetric } from 'aws-cdk-lib/aws-cloudwatch';

const HALF = 12;

/** Creates a graph. @param right metrics at a second axis. @default none */
export function graph(title: string, left: IMetric[], unit: string, right: IMetric[] = [], rightUnit = ''): GraphWidget {
  return new GraphWidget({
    title,
    width: HALF,
    height: 6,
    left,
    leftYAxis: { label: unit, showUnits: false, min: 0 },
    ...(right.length > 0 && { right, rightYAxis: { label: rightUnit, showUnits: false, min: 0 } }),
  });
}
