import type { FileStore } from "../../contracts/files.ts";
import { messageOf } from "../../errors/assay-error.ts";
import type { AgentErrorDraft } from "../define/draft.ts";

const maxBytes = 8 * 1024 * 1024;

export interface FinalOutput {
  readonly text: string | null;
  readonly error: AgentErrorDraft | null;
}

/**
 * The last message, from Codex's file or else from its stream, and kept in that file, which is private from then on.
 * The agent may have put anything in its place: no link is followed, nothing but a regular file is read.
 */
export async function takeFinalOutput(
  file: string,
  lastMessage: string | null,
  files: FileStore,
): Promise<FinalOutput> {
  let written = "";
  try {
    if ((await files.stat(file)) !== null)
      written = new TextDecoder().decode(await files.readRegular(file, { maxBytes }));
  } catch (thrown) {
    const message = `final_output.txt cannot be read: ${messageOf(thrown)}`;
    return { text: null, error: { type: "OutputUnreadable", message } };
  }
  const text = written === "" ? lastMessage : written;
  if (text !== null) await files.writeAtomic(file, text);
  return { text, error: null };
}
