import path from "node:path";

import type { ImportedResults, ImportLoss } from "../../contracts/importer.ts";
import { AssayError } from "../../errors/assay-error.ts";
import { metricFromConfig } from "../../metrics/map.ts";
import type { ImporterMap } from "../../runners/importers.ts";
import { didYouMean } from "../../support/names.ts";
import type { EvalResult, RunOptions } from "../api.ts";
import { openChannel } from "../channel.ts";
import { runEvaluation } from "../evaluate.ts";
import type { ImportedTrials } from "../imported-trials.ts";
import { earlyRedactor } from "../plan/run-secrets.ts";
import type { Platform } from "../platform.ts";
import { resolveSuite } from "../suite/resolve-suite.ts";
import type { ImportSource, Suite } from "../suite/suite.ts";

export interface ImportRequest {
  readonly format: string;
  /** What the importer of the format takes: a file or a directory. */
  readonly path: string;
  readonly options: RunOptions;
  readonly importers: ImporterMap;
  readonly platform: Platform;
}

export interface ImportOutcome {
  readonly result: EvalResult;
  /** What the results hold and the bundle has no place for. It is recorded in the target's `losses` too. */
  readonly losses: readonly ImportLoss[];
}

/** Makes a bundle of results that another tool has left; nothing is run. Throws `ASSAY_RESULTS_INVALID` for what is none. */
export async function importResults({
  format,
  options,
  platform,
  ...request
}: ImportRequest): Promise<ImportOutcome> {
  const { files, cwd } = platform;
  const load = importerOf(format, request.importers);
  if (request.path === "") {
    throw new AssayError("ASSAY_FILE_UNREADABLE", "the path of the results is empty");
  }
  const at = path.resolve(cwd, request.path);
  if ((await files.stat(at)) === null) {
    throw new AssayError("ASSAY_FILE_UNREADABLE", `there is nothing at "${request.path}"`);
  }
  const { log } = openChannel(options.onEvent, earlyRedactor([], platform.env));
  const results = await (await load()).open(at, {
    files,
    signal: options.signal ?? new AbortController().signal,
    log,
  });
  const source = path.relative(cwd, at).split(path.sep).join("/") || ".";
  const suite = await suiteOf(results, { format, source, platform });
  const result = await runEvaluation({ suite, options, platform });
  return { result, losses: results.losses };
}

function importerOf(format: string, importers: ImporterMap): ImporterMap[string] {
  const load = Object.hasOwn(importers, format) ? importers[format] : undefined;
  if (load !== undefined) return load;
  const known = Object.keys(importers);
  throw new AssayError(
    "ASSAY_NAME_UNKNOWN",
    `there is no format "${format}"${didYouMean(format, known)}; known: ${known.join(", ")}`,
    { remedy: "Give one of the formats that `assay import --help` lists." },
  );
}

interface ImportPlace {
  readonly format: string;
  /** Relative to the working directory. */
  readonly source: string;
  readonly platform: Platform;
}

async function suiteOf(results: ImportedResults, place: ImportPlace): Promise<Suite> {
  const { files, cwd } = place.platform;
  const { name, metrics, tasks } = results;
  const definition = {
    name,
    metrics,
    tasks: tasks.map(({ trialCount: _count, ...task }) => task),
    importedTrials: [],
  };
  const suite = await resolveSuite(definition, {
    baseName: place.format,
    baseDir: cwd,
    files,
    metricFromConfig,
    source: place.source,
  });
  return { ...suite, importedTrials: trialsOf(results), importedFrom: sourceOf(results, place) };
}

function trialsOf(results: ImportedResults): ImportedTrials {
  const { tasks, aggregates } = results;
  const withTrials = tasks.filter(({ trialCount }) => trialCount > 0);
  return {
    byTask: new Map(withTrials.map(({ id, trialCount: count }) => [id, { count, firstId: null }])),
    aggregates,
    read: (_plan, context) => results.trials(context),
  };
}

function sourceOf(results: ImportedResults, { format, source }: ImportPlace): ImportSource {
  const { name, producer, identity, evidenceDirs, losses } = results;
  const parent = {
    relation: "imported",
    runId: name,
    target: producer,
    bundleDigest: null,
    digests: null,
    tasksLeftOut: 0,
  } as const;
  return {
    source,
    reading: { format, losses: losses.map((loss) => ({ ...loss })) },
    identity,
    lineage: { parents: [parent], evidenceRoots: evidenceDirs.map((dir) => ({ dir })) },
  };
}
