import { Command } from "commander";

import type { Bundle } from "../../entries/index.ts";
import { type CommandContext, printJson } from "../context.ts";
import { printBundle, printProvenance, unaltered } from "../show-result.ts";

export function showCommand(context: CommandContext): Command {
  return new Command("show")
    .description("Show a bundle: summary, what made it, what failed.")
    .argument("<bundle>", "the directory that holds run.json")
    .option("--provenance", "show everything that is recorded of what made it")
    .option("--json", "print it as JSON")
    .action((bundle: string, flags: ShowFlags) => show(context, bundle, flags));
}

interface ShowFlags {
  readonly provenance?: boolean;
  readonly json?: boolean;
}

async function show(
  context: CommandContext,
  dir: string,
  { json = false, provenance = false }: ShowFlags,
): Promise<void> {
  const { readBundle } = await import("../../entries/index.ts");
  const { cwd, env } = context.io;
  const bundle = await readBundle(dir, { cwd, env });
  if (!json) return await (provenance ? printProvenance : printBundle)(context, bundle);
  const { collectFailures } = await import("../print/failures.ts");
  const failures = await unaltered(bundle, collectFailures(bundle));
  const { exit_code: _notOfARead, ...document } = bundle.toJSON();
  await printJson(context, {
    ...document,
    failures: failures.shown,
    failure_count: failures.count,
    provenance: bundle.provenance,
    integrity: integrityOf(bundle),
    gaps: bundle.gaps,
  });
}

/** What was compared with the digests of the bundle. */
function integrityOf({ unsealedBecause }: Bundle) {
  const evidence = "not_verified";
  return unsealedBecause === null
    ? { records: "verified", evidence }
    : { records: "not_verified", evidence, reason: unsealedBecause };
}
