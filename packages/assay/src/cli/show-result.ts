import type { EvalResult } from "../entries/index.ts";
import { type CommandContext, printJson, printLines } from "./context.ts";

interface ResultFlags {
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** The end of a command that wrote a bundle. */
export async function showResult(
  context: CommandContext,
  result: EvalResult,
  { json = false, quiet = false }: ResultFlags,
): Promise<void> {
  if (json) return printJson(context, { ...result.toJSON(), exit_code: context.exitCode });
  if (quiet) {
    const { endingLines } = await import("./print/provenance-text.ts");
    return printLines(context, endingLines(result, context.io.cwd));
  }
  const { readBundle } = await import("../entries/index.ts");
  const { provenance } = await readBundle(result.workDir, { cwd: context.io.cwd });
  await printResult(context, result, provenance);
}

/** Summary and failures, what made it, where it is; the last line is the bundle's digest. */
export async function printResult(
  context: CommandContext,
  result: EvalResult,
  provenance: unknown,
): Promise<void> {
  const { endingLines, provenanceLines } = await import("./print/provenance-text.ts");
  printLines(context, [
    (await result.formatSummary()).trimEnd(),
    "",
    ...provenanceLines(result.metadata, provenance),
    "",
    ...endingLines(result, context.io.cwd),
  ]);
}
