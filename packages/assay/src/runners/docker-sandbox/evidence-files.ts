import path from "node:path";

import { describeThrown } from "../../errors/assay-error.ts";
import { packDirectory } from "../../sandbox/archive/pack.ts";
import { formatDocument, parseJson, sortKeys } from "../../support/json.ts";
import type { TrialDraft } from "../define/draft.ts";
import type { DockerSandboxContext } from "./agent-run.ts";

/** What the library told of the run, whatever ended it. */
export async function keepRun(
  items: readonly unknown[],
  rawResponses: unknown,
  context: DockerSandboxContext,
): Promise<void> {
  const directory = await context.directory();
  const documents = { run_items: items, raw_responses: rawResponses };
  for (const [name, content] of Object.entries(documents)) {
    const ref = path.join(directory, `${name}.json`);
    await context.files.writeAtomic(ref, textOf(content));
    context.evidence.add(name, { kind: name, format: "json", ref });
  }
}

/** The library's own objects: what cannot be written as JSON is told by its type, never by an address. */
function textOf(content: unknown): string {
  try {
    const plain = JSON.stringify(content ?? null, withoutOddities);
    return formatDocument(sortKeys(parseJson(plain, "run of the agent")));
  } catch (thrown) {
    return formatDocument({ unreadable: describeThrown(thrown) });
  }
}

function withoutOddities(_key: string, value: unknown): unknown {
  if (typeof value === "bigint") return String(value);
  return typeof value === "function" || typeof value === "symbol" ? `<${typeof value}>` : value;
}

/** The workspace as one file, made of what was taken out safely, and what the agent said last. */
export async function keepArchive(
  workspace: string,
  { output }: TrialDraft,
  { directory, files, evidence }: DockerSandboxContext,
): Promise<void> {
  const folder = await directory();
  const archive = path.join(folder, "workspace.tar");
  await files.writeNew(archive, packDirectory(files, workspace, { uid: 0, gid: 0 }), {
    isDurable: false,
  });
  evidence.add("workspace_archive", { kind: "archive", format: "tar", ref: archive });
  const text = typeof output === "string" ? output : output?.outputText;
  if (text === undefined || text === null) return;
  const file = path.join(folder, "final_output.txt");
  await files.writeAtomic(file, text);
  evidence.add("final_output", { kind: "text", format: "txt", ref: file });
}
