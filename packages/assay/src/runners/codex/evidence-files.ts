import path from "node:path";

import type { AttemptContext } from "../define/attempt-context.ts";

/** What an attempt leaves in its directory, from then on as evidence, whatever ends it. */
export const evidenceFiles = {
  task: { file: "task.json", kind: "json", format: "json" },
  prompt: { file: "prompt.txt", kind: "text", format: "txt" },
  stdout: { file: "stdout.jsonl", kind: "codex_stdout", format: "jsonl" },
  stderr: { file: "stderr.txt", kind: "text", format: "txt" },
  final_output: { file: "final_output.txt", kind: "text", format: "txt" },
} as const;

export function addEvidence(
  { evidence }: Pick<AttemptContext<unknown>, "evidence">,
  directory: string,
  names: readonly (keyof typeof evidenceFiles)[],
): void {
  for (const name of names) {
    const { file, ...descriptor } = evidenceFiles[name];
    evidence.add(name, { ...descriptor, ref: path.join(directory, file) });
  }
}
