/** Order by UTF-16 code units: the same on every machine, whatever its locale. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/**
 * Order of ids as people count: runs of digits compare as numbers, `t:2` before `t:10`, all else by code units.
 * Total: only equal texts compare as 0.
 */
export function compareNatural(a: string, b: string): number {
  let left = 0;
  let right = 0;
  while (left < a.length && right < b.length) {
    const [leftEnd, rightEnd] = [digitsEnd(a, left), digitsEnd(b, right)];
    if (leftEnd > left && rightEnd > right) {
      const order = compareDigits(a.slice(left, leftEnd), b.slice(right, rightEnd));
      if (order !== 0) return order;
      left = leftEnd;
      right = rightEnd;
    } else {
      const order = a.charCodeAt(left) - b.charCodeAt(right);
      if (order !== 0) return order;
      left += 1;
      right += 1;
    }
  }
  return a.length - left - (b.length - right) || compareText(a, b);
}

/** Where the run of digits that begins at `start` ends; `start` itself when there is none. */
function digitsEnd(text: string, start: number): number {
  let end = start;
  while (isDigit(text.charCodeAt(end))) end += 1;
  return end;
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

function compareDigits(a: string, b: string): number {
  if (a === b) return 0;
  const [left, right] = [withoutLeadingZeros(a), withoutLeadingZeros(b)];
  return left.length - right.length || compareText(left, right);
}

function withoutLeadingZeros(digits: string): string {
  return digits.startsWith("0") ? digits.replace(/^0+/, "") : digits;
}
