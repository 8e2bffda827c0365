const equal = ["equals", "=="] as const;
const notEqual = ["!=", "<>", "not equals"] as const;
const atLeast = [">=", "gte", "greater than or equal"] as const;
const more = [">", "gt", "greater than"] as const;
const atMost = ["<=", "lte", "less than or equal"] as const;
const less = ["<", "lt", "less than"] as const;

export const numberOperations = [
  ...equal,
  ...notEqual,
  ...atLeast,
  ...more,
  ...atMost,
  ...less,
  "absolute difference",
] as const;

export type NumberOperation = (typeof numberOperations)[number];

export interface NumberCheck {
  readonly operation: NumberOperation;
  readonly epsilon: number;
}

/** False for a comparison with NaN; the caller asks for that first. */
export function checkNumbers(
  { operation, epsilon }: NumberCheck,
  left: number,
  right: number,
): boolean {
  const is = (names: readonly string[]) => names.includes(operation);
  if (is(equal)) return left === right;
  if (is(notEqual)) return left !== right;
  if (is(atLeast)) return left >= right;
  if (is(more)) return left > right;
  if (is(atMost)) return left <= right;
  if (is(less)) return left < right;
  return Math.abs(left - right) <= epsilon;
}
