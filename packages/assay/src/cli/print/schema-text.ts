import type { MetricDescription } from "../../entries/index.ts";
import { wrapText } from "../../entries/index.ts";

const width = 80;

/** What `assay schema <name>` takes, for people. */
export function namesLines(
  files: readonly string[],
  metrics: readonly MetricDescription[],
): readonly string[] {
  return [
    "Files that are read or written",
    ...files.map((name) => `  ${name}`),
    "",
    "Metrics: their settings, as YAML writes them",
    ...metrics.flatMap(({ type, description }) =>
      wrapText(description, { width, first: `  ${type.padEnd(20)} `, next: " ".repeat(23) }),
    ),
  ];
}

export function namesDocument(
  files: readonly string[],
  metrics: readonly MetricDescription[],
): unknown {
  return { files, metrics: metrics.map(({ type, description }) => ({ type, description })) };
}
