/** Order by UTF-16 code units: the same on every machine, whatever its locale. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

const parts = /\d+|\D+/g;

/**
 * Order of ids as people count: runs of digits compare as numbers, `t:2` before `t:10`, all else by code units.
 * Total: only equal texts compare as 0.
 */
export function compareNatural(a: string, b: string): number {
  if (a === b) return 0;
  const left = a.match(parts) ?? [];
  const right = b.match(parts) ?? [];
  const length = Math.min(left.length, right.length);
  for (let index = 0; index < length; index += 1) {
    const order = comparePart(left[index] ?? "", right[index] ?? "");
    if (order !== 0) return order;
  }
  return left.length - right.length || compareText(a, b);
}

function comparePart(a: string, b: string): number {
  if (!isDigit(a) || !isDigit(b)) return compareText(a, b);
  const left = a.replace(/^0+/, "");
  const right = b.replace(/^0+/, "");
  return left.length - right.length || compareText(left, right);
}

function isDigit(text: string): boolean {
  const code = text.charCodeAt(0);
  return code >= 48 && code <= 57;
}
