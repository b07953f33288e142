/** Returns how many of these moments are in the fullest period of this length, in milliseconds. */
export function mostWithin(moments: readonly number[], period: number): number {
  const sorted = moments.toSorted((a, b) => a - b);
  return sorted.reduce((most, at, index) => Math.max(most, index + 1 - sorted.findIndex((first) => first > at - period)), 0);
}
