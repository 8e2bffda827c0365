/**
 * Sum, of the values or of what `of` makes from each, with Neumaier's compensation: the error does not grow with the number of values.
 * Bit-identical for the same order of values, so sort first where order must not matter.
 */
export function compensatedSum(
  values: Iterable<number>,
  of: (value: number) => number = identity,
): number {
  let sum = 0;
  let compensation = 0;
  for (const given of values) {
    const value = of(given);
    const next = sum + value;
    compensation += Math.abs(sum) >= Math.abs(value) ? sum - next + value : value - next + sum;
    sum = next;
  }
  return Number.isFinite(sum) ? sum + compensation : sum;
}

function identity(value: number): number {
  return value;
}
