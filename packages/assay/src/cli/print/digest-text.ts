import { row, wholeRow } from "./rows.ts";

/** The digests of what was done, as people compare them: whole, and what they all begin with said once. */
export function digestLines(
  digests: readonly (readonly [name: string, digest: string | null])[],
  width: number,
): readonly string[] {
  const rows = digests.flatMap(([name, digest]) => {
    if (digest === null) return [];
    const prefix = prefixOf(name);
    if (digest.startsWith(prefix)) return wholeRow(name, digest.slice(prefix.length), width);
    return digest.startsWith("unknown: ")
      ? row(name, digest, width)
      : wholeRow(name, digest, width);
  });
  const hasPrefix = digests.some(([name, digest]) => digest?.startsWith(prefixOf(name)) === true);
  return [
    ...(hasPrefix ? row("digests", `each begins with ${prefixOf("<name>")}`, width) : []),
    ...rows,
  ];
}

function prefixOf(name: string): string {
  return `assay-${name}-v1:sha256:`;
}
