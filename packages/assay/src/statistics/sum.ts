/**
 * Sum with Neumaier's compensation: the error does not grow with the number of values.
 * Bit-identical for the same order of values, so sort first where order must not matter.
 */
export function compensatedSum(values: Iterable<number>): number {
  let sum = 0;
  let compensation = 0;
  for (const value of values) {
    const next = sum + value;
    compensation += Math.abs(sum) >= Math.abs(value) ? sum - next + value : value - next + sum;
    sum = next;
  }
  return Number.isFinite(sum) ? sum + compensation : sum;
}
