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
  const { cleanScratch, visibleLine } = await import("../../entries/index.ts");
  const { countOf } = await import("../print/rows.ts");
  const { cwd, env } = context.io;
  const { removed, kept, containers } = await cleanScratch({ cwd, env, isDryRun: dryRun });
  if (json) {
    return await printJson(context, {
      is_dry_run: dryRun,
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
    });
  }
  const verb = dryRun ? "would remove" : "removed";
  await printLines(context, [
    ...removed.map(({ path, runId, endedProcesses }) => {
      const ended =
        endedProcesses === null || endedProcesses === 0
          ? ""
          : `, ended ${countOf(endedProcesses, "process", "processes")}`;
      return `${verb} ${visibleLine(path)} (run ${visibleLine(runId)})${ended}`;
    }),
    ...kept.map(
      ({ path, runId }) =>
        `kept ${visibleLine(path)}: the run ${visibleLine(runId)} may still go on`,
    ),
    ...containers.removed.map(
      ({ kind, name, runId }) =>
        `${verb} the ${kind} ${visibleLine(name)} (run ${visibleLine(runId)})`,
    ),
    ...containers.kept.map(
      ({ kind, name, runId }) =>
        `kept the ${kind} ${visibleLine(name)}: the run ${visibleLine(runId)} may still go on`,
    ),
    ...(containers.problem === null
      ? []
      : [`containers were not looked at: ${visibleLine(containers.problem)}`]),
    ...(removed.length + containers.removed.length === 0 ? ["Nothing to clean."] : []),
  ]);
}

function containerDocument({ kind, name, runId }: CleanReport["containers"]["removed"][number]) {
  return { kind, name, run_id: runId };
}
