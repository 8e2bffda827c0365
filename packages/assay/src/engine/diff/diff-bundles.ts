import path from "node:path";

import { BundleReader } from "../../bundle/read-bundle.ts";
import type { Summary } from "../../schema/summary.ts";
import { headlineValue } from "../../statistics/summary-values.ts";
import { compareText } from "../../support/natural-order.ts";
import type { Platform } from "../platform.ts";
import { storedSummary } from "../results/stored-summary.ts";
import { assertEnded } from "../results/unfinished.ts";
import type { AggregateChange, BundleDiff, ComparedBundle } from "./bundle-diff.ts";
import { diffDocument } from "./diff-document.ts";
import { type DiffSide, readSide } from "./diff-side.ts";
import { diffFacts, diffSpending } from "./fact-diff.ts";
import { diffScores } from "./score-diff.ts";
import { ScoreValues } from "./score-values.ts";
import { diffScoring } from "./scoring-diff.ts";
import { diffSettings } from "./settings-diff.ts";
import { diffTasks, type TaskSetDiff } from "./task-set-diff.ts";

/**
 * Compares two bundles. Of each, every record is compared with its digest first. Throws `ASSAY_BUNDLE_NOT_FOUND`,
 * `_UNFINISHED`, `_DAMAGED` or `_VERSION`.
 */
export async function diffBundleDirectories(
  dirs: readonly [a: string, b: string],
  platform: Pick<Platform, "files" | "cwd" | "identities">,
): Promise<BundleDiff> {
  const [a, b] = [await open(dirs[0], platform), await open(dirs[1], platform)];
  const tasks = await readingBoth(a, b, () => diffTasks(a, b));
  const one = await readScored(a, tasks.shared);
  const other = await readScored(b, tasks.shared);
  return diffOf(one, other, tasks);
}

async function open(
  dir: string,
  platform: Pick<Platform, "files" | "cwd" | "identities">,
): Promise<BundleReader> {
  const reader = await BundleReader.open(path.resolve(platform.cwd, dir), platform.files);
  await assertEnded(reader, platform);
  return reader;
}

/** Damage that either of them meets is told with all that is damaged in it. */
async function readingBoth<T>(a: BundleReader, b: BundleReader, work: () => Promise<T>) {
  return await a.reading(() => b.reading(work));
}

/** A bundle with what is compared of its rows; its summary is gone by then. */
interface Scored {
  readonly side: DiffSide;
  readonly compared: ComparedBundle;
  readonly values: ScoreValues;
  readonly aggregates: ReadonlyMap<string, number | null>;
}

async function readScored(reader: BundleReader, taskIds: readonly string[]): Promise<Scored> {
  return await reader.reading(async () => {
    const side = await readSide(reader);
    const summary = await storedSummary(reader);
    await reader.assertUnaltered();
    const { taskCount, trialCount } = summary;
    const { facts, plan: _plan, evaluated: _evaluated, ...identity } = side;
    return {
      side,
      compared: {
        ...identity,
        hasProvenance: facts !== null,
        taskCount,
        trialCount,
        gaps: reader.gaps,
      },
      values: new ScoreValues(summary, taskIds),
      aggregates: headlines(summary),
    };
  });
}

function headlines({ scores }: Summary): ReadonlyMap<string, number | null> {
  return new Map(scores.scores.map((aggregate) => [aggregate.name, headlineValue(aggregate)]));
}

function diffOf(a: Scored, b: Scored, tasks: TaskSetDiff): BundleDiff {
  const outputs = { a: a.values.outputNames, b: b.values.outputNames };
  const scoring = diffScoring(a.side, b.side, outputs);
  const diff = {
    a: a.compared,
    b: b.compared,
    settings: diffSettings(a.side, b.side),
    facts: diffFacts(a.side, b.side),
    tasks,
    scoring,
    scores: diffScores({
      a: a.values,
      b: b.values,
      taskIds: tasks.shared,
      comparesCounts: scoring.trialsPerTask === null,
    }),
    aggregates: diffAggregates(a.aggregates, b.aggregates),
    spending: diffSpending(a.side, b.side),
  };
  return { ...diff, toJSON: () => diffDocument(diff) };
}

function diffAggregates(
  a: Scored["aggregates"],
  b: Scored["aggregates"],
): readonly AggregateChange[] {
  return [...new Set([...a.keys(), ...b.keys()])]
    .sort(compareText)
    .map((name) => ({ name, a: a.get(name) ?? null, b: b.get(name) ?? null }))
    .filter((change) => change.a !== change.b);
}
