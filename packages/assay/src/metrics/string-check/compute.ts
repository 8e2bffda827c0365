export const stringOperations = [
  "equals",
  "==",
  "!=",
  "<>",
  "not equals",
  "contains",
  "not contains",
  "startswith",
  "endswith",
] as const;

export type StringOperation = (typeof stringOperations)[number];

/** Case-sensitive. */
export function checkStrings(operation: StringOperation, left: string, right: string): boolean {
  switch (operation) {
    case "equals":
    case "==":
      return left === right;
    case "!=":
    case "<>":
    case "not equals":
      return left !== right;
    case "contains":
      return left.includes(right);
    case "not contains":
      return !left.includes(right);
    case "startswith":
      return left.startsWith(right);
    case "endswith":
      return left.endsWith(right);
  }
}
