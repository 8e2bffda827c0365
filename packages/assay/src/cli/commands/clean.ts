import { Command } from "commander";

import type { CleanReport } from "../../entries/index.ts";
import { type CommandContext, printJson, printLines } from "../context.ts";

interface CleanFlags {
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

export function cleanCommand(context: CommandContext): Command {
  return new Command("clean")
    .description(
      "End the processes of dead runs, and remove their scratch directories and containers.",
    )
    .option("--dry-run", "only show what would be removed")
    .option("--json", "print what was done as JSON")
    .action((flags: CleanFlags) => clean(context, flags));
}

async function clean(
  context: CommandContext,
  { dryRun = false, json = false }: CleanFlags,
): Promise<void> {
  const { cleanScratch } = await import("../../entries/index.ts");
  const { cwd, env } = context.io;
  const report = await cleanScratch({ cwd, env, isDryRun: dryRun });
  if (json) await printJson(context, { is_dry_run: dryRun, ...reportDocument(report) });
  else await printLines(context, await reportLines(report, dryRun ? "would remove" : "removed"));
}

function reportDocument({ removed, kept, containers }: CleanReport) {
  return {
    removed: removed.map(({ path, runId, createdAt, endedProcesses }) => ({
      path,
      run_id: runId,
      created_at: createdAt,
      ended_processes: endedProcesses,
    })),
    kept: kept.map(({ path, runId }) => ({ path, run_id: runId })),
    containers: {
      removed: containers.removed.map(containerDocument),
      kept: containers.kept.map(containerDocument),
      problem: containers.problem,
    },
  };
}

function containerDocument({ kind, name, runId }: CleanReport["containers"]["removed"][number]) {
  return { kind, name, run_id: runId };
}

async function reportLines(
  { removed, kept, containers }: CleanReport,
  verb: string,
): Promise<readonly string[]> {
  const { visibleLine } = await import("../../entries/index.ts");
  const { countOf } = await import("../print/rows.ts");
  const ended = (count: number | null) =>
    count === null || count === 0 ? "" : `, ended ${countOf(count, "process", "processes")}`;
  const ofRun = (runId: string) => `(run ${visibleLine(runId)})`;
  const goesOn = (runId: string) => `the run ${visibleLine(runId)} may still go on`;
  return [
    ...removed.map(
      ({ path, runId, endedProcesses }) =>
        `${verb} ${visibleLine(path)} ${ofRun(runId)}${ended(endedProcesses)}`,
    ),
    ...kept.map(({ path, runId }) => `kept ${visibleLine(path)}: ${goesOn(runId)}`),
    ...containers.removed.map(
      ({ kind, name, runId }) => `${verb} the ${kind} ${visibleLine(name)} ${ofRun(runId)}`,
    ),
    ...containers.kept.map(
      ({ kind, name, runId }) => `kept the ${kind} ${visibleLine(name)}: ${goesOn(runId)}`,
    ),
    ...(containers.problem === null
      ? []
      : [`containers were not looked at: ${visibleLine(containers.problem)}`]),
    ...(removed.length + containers.removed.length === 0 ? ["Nothing to clean."] : []),
  ];
}
