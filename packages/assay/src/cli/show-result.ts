import type { Bundle, BundleProvenance, EvalResult } from "../entries/index.ts";
import { exitCodes } from "../errors/exit-codes.ts";
import { type CommandContext, printJson, printLines } from "./context.ts";
import type { TextOutput } from "./io.ts";

interface ResultFlags {
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** The end of a command that wrote a bundle. Says last why the exit code is not 0 where the status does not. */
export async function showResult(
  context: CommandContext,
  result: EvalResult,
  flags: ResultFlags,
): Promise<void> {
  await printEnd(context, result, flags);
  if (result.status === "completed" && context.exitCode === exitCodes.incomplete)
    context.io.stderr.write("exit code 4: some trials or scores could not be produced\n");
}

async function printEnd(
  context: CommandContext,
  result: EvalResult,
  { json = false, quiet = false }: ResultFlags,
): Promise<void> {
  if (json) return await printJson(context, { ...result.toJSON(), exit_code: context.exitCode });
  const { cwd, stdout } = context.io;
  if (quiet) {
    const { endingLines } = await import("./print/provenance-text.ts");
    return await printLines(context, endingLines(result, { cwd, width: lineWidthOf(stdout) }));
  }
  const { readProvenance } = await import("../entries/index.ts");
  await printResult(context, result, await readProvenance(result.workDir, { cwd }));
}

/** Scores that are shown one by one; of more than these, the table of tasks tells more than the first of them. */
const shownScores = 10;

/** Summary and failures, what made it, where it is; the last line is the bundle's digest. */
export async function printResult(
  context: CommandContext,
  result: EvalResult,
  made: BundleProvenance,
): Promise<void> {
  const { endingLines } = await import("./print/provenance-text.ts");
  const { cwd, stdout } = context.io;
  const width = lineWidthOf(stdout);
  await printLines(context, [
    ...(await resultLines(context, result, made)),
    ...endingLines(result, { cwd, width }),
  ]);
}

/** The same of a bundle that was read, and what of it was verified: every record, before a line is printed. */
export async function printBundle(context: CommandContext, bundle: Bundle): Promise<void> {
  const { bundleEndingLines } = await import("./print/provenance-text.ts");
  const { cwd, stdout } = context.io;
  const width = lineWidthOf(stdout);
  const lines = await unaltered(bundle, resultLines(context, bundle, bundle));
  await printLines(context, [...lines, ...bundleEndingLines(bundle, { cwd, width })]);
}

/** Everything that is recorded of what made a bundle. */
export async function printProvenance(context: CommandContext, bundle: Bundle): Promise<void> {
  const { bundleEndingLines } = await import("./print/provenance-text.ts");
  const { provenanceTables } = await import("./print/provenance-tables.ts");
  const { cwd, stdout } = context.io;
  const width = lineWidthOf(stdout);
  await unaltered(bundle, Promise.resolve());
  const { redactFacts } = await import("../entries/index.ts");
  const { metadata, provenance } = await redactFacts(
    { metadata: bundle.metadata, provenance: bundle.provenance },
    context.io.env,
    context.secrets,
  );
  await printLines(context, [
    ...provenanceTables(metadata, provenance, width),
    "",
    ...bundleEndingLines(bundle, { cwd, width }),
  ]);
}

/**
 * What was read of a bundle, when every record is as it was sealed; else all that are not are named, whatever the reading
 * met first. Files that it read to their end are not read again.
 */
export async function unaltered<T>(bundle: Bundle, reading: Promise<T>): Promise<T> {
  await Promise.allSettled([reading]);
  await bundle.assertUnaltered();
  return await reading;
}

async function resultLines(
  { io, secrets }: CommandContext,
  result: EvalResult,
  { provenance, lineage }: BundleProvenance,
): Promise<readonly string[]> {
  const { redactFacts } = await import("../entries/index.ts");
  const { provenanceLines } = await import("./print/provenance-text.ts");
  const width = lineWidthOf(io.stdout);
  // Before they are laid out: a line that is broken may end in the middle of a secret.
  const { metadata, ...made } = await redactFacts(
    { metadata: result.metadata, provenance, lineage },
    io.env,
    secrets,
  );
  const hasPreview = result.summary.scoreCount <= shownScores;
  return [
    (await result.formatSummary({ width, hasPreview })).trimEnd(),
    "",
    ...provenanceLines(metadata, made.provenance, width, made.lineage),
    "",
  ];
}

const usualWidth = 80;
const narrowest = 60;
const widest = 120;

/** A terminal's width within bounds that can be read; 80 elsewhere, and where a terminal gives none. */
export function lineWidthOf({ isTTY, columns }: TextOutput): number {
  return isTTY && columns > 0 ? Math.min(Math.max(columns, narrowest), widest) : usualWidth;
}
