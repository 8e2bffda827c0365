/** The first `1.2.3` or `1.2.3-rc.1` in a text, or null. */
export function parseVersion(text: string): string | null {
  return /\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?/.exec(text)?.[0] ?? null;
}

/** Compares the three numbers; a pre-release is older than its release. */
export function isOlder(version: string, than: string): boolean {
  const [numbers, isPre] = partsOf(version);
  const [others, isOtherPre] = partsOf(than);
  for (const [index, number] of numbers.entries()) {
    const other = others[index] ?? 0;
    if (number !== other) return number < other;
  }
  return isPre && !isOtherPre;
}

function partsOf(version: string): readonly [readonly number[], boolean] {
  const [core = "", ...rest] = version.split("-");
  return [core.split(".").map(Number), rest.length > 0];
}
