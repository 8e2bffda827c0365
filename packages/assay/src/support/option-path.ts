import { parseJson } from "./json.ts";

/** The path of an option, or of a part of one: `limits.memory_mb`. A segment with a dot of its own is quoted. */
export function formatOptionPath(segments: readonly string[]): string {
  return segments
    .map((segment) => (/^[^."\\]+$/.test(segment) ? segment : JSON.stringify(segment)))
    .join(".");
}

/** What `formatOptionPath` was given. */
export function parseOptionPath(text: string): readonly string[] {
  const segments = text.match(/"(?:[^"\\]|\\.)*"|[^.]+/g) ?? [];
  return segments.map((segment) =>
    segment.startsWith('"') ? String(parseJson(segment, text)) : segment,
  );
}
