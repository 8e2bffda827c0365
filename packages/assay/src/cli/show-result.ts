import type { EvalResult } from "../entries/index.ts";
import { type CommandContext, printJson, printLines } from "./context.ts";

interface ResultFlags {
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** The end of a command that wrote a bundle. The last line is the bundle's digest. */
export async function showResult(
  context: CommandContext,
  result: EvalResult,
  { json = false, quiet = false }: ResultFlags,
): Promise<void> {
  const { readBundle } = await import("../entries/index.ts");
  const { endingLines, provenanceLines } = await import("./print/provenance-text.ts");
  if (json) return printJson(context, { ...result.toJSON(), exit_code: context.exitCode });
  const { cwd } = context.io;
  if (quiet) return printLines(context, endingLines(result, cwd));
  const { provenance } = await readBundle(result.workDir, { cwd });
  printLines(context, [
    (await result.formatSummary()).trimEnd(),
    "",
    ...provenanceLines(result.metadata, provenance),
    "",
    ...endingLines(result, cwd),
  ]);
}
