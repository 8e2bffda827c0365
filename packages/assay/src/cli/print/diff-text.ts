import type {
  BundleDiff,
  ComparedBundle,
  Difference,
  MetricChange,
  OutputDiff,
  TaskScore,
} from "../../entries/bundle.ts";
import { formatNumber, formatTable, visibleLine, wrapText } from "../../entries/index.ts";
import { differenceLines, partUnknown } from "./difference-text.ts";
import { countOf, row, wholeRow } from "./rows.ts";
import { shownDirectory } from "./shown-directory.ts";

/** Tasks of an output, ids of a list and other things of one kind that are shown; `--json` has all. */
const shownRows = 20;
const shownIds = 10;

/** Two bundles side by side; the first line says whether their settings are the same. */
export function diffLines(
  diff: BundleDiff,
  { cwd, width }: { readonly cwd: string; readonly width: number },
): readonly string[] {
  const { settings, spending } = diff;
  const sections = [
    [...verdictLines(diff, width), ...identityLines(diff, cwd, width)],
    differenceSection("Options that shape results", settings.shaping, width),
    differenceSection("Options that shape no result", settings.operational, width),
    factLines(diff, width),
    taskLines(diff, width),
    scoringLines(diff, width),
    scoreLines(diff, width),
    ...diff.scores.map((output) => changeLines(output, width)),
    aggregateLines(diff, width),
    differenceSection("What the runs spent", spending, width),
  ];
  return sections
    .filter((lines) => lines.length > 0)
    .flatMap((lines, index) => (index === 0 ? lines : ["", ...lines]));
}

function verdictLines({ settings }: BundleDiff, width: number): readonly string[] {
  const { verdict, reason, shaping } = settings;
  const because = reason === null ? "" : ` (${reason})`;
  const text = {
    same: `same settings${because}`,
    different: `different settings${because}${shaping.length === 0 ? "" : `: ${shaping.map(({ name }) => name).join(", ")}`}`,
    unknown: `settings that cannot be compared: ${reason ?? ""}`,
  }[verdict];
  return wrapText(visibleLine(text), { width, next: "  " });
}

function identityLines({ a, b }: BundleDiff, cwd: string, width: number): readonly string[] {
  const isSame = a.bundleDigest !== null && a.bundleDigest === b.bundleDigest;
  return [
    ...wholeRow("A", shownDirectory(a.dir, cwd), width),
    ...bundleLines(a, width),
    ...wholeRow("B", shownDirectory(b.dir, cwd), width),
    ...bundleLines(b, width),
    ...(isSame ? wrapText("A and B are the same bundle", { width }) : []),
  ];
}

function bundleLines(bundle: ComparedBundle, width: number): readonly string[] {
  const { runId, suiteName, status, statusCause, metadata, taskCount, trialCount } = bundle;
  const target = metadata.target === null ? "an unknown target" : metadata.target.name;
  const suite = suiteName === null ? "" : `suite ${suiteName}, `;
  const cause = statusCause === null ? "" : `: ${statusCause}`;
  const notes = [
    ...bundle.lineage.map((step) => `lineage: ${step}`),
    ...bundle.gaps.map((gap) => `older format: ${gap}`),
    ...(bundle.unsealedBecause === null ? [] : [`not verified: ${bundle.unsealedBecause}`]),
  ];
  return [
    ...row(
      "",
      `run ${runId}, ${suite}${target}, ${countOf(taskCount, "task")}, ${countOf(trialCount, "trial")}, ${status}${cause}`,
      width,
    ),
    ...(bundle.bundleDigest === null ? [] : [`  ${visibleLine(bundle.bundleDigest)}`]),
    ...notes.flatMap((note) => row("", note, width)),
  ];
}

function differenceSection(
  title: string,
  differences: readonly Difference[],
  width: number,
): readonly string[] {
  if (differences.length === 0) return [];
  const { alike, others } = partUnknown(differences);
  return [
    titleOf(title, differences.length),
    ...others.slice(0, shownRows).flatMap((one) => differenceLines(one, width)),
    ...restLine(others.length),
    ...alike.flatMap((line) => wrapText(visibleLine(line), { width, first: "  ", next: "    " })),
  ];
}

/** Of what one bundle does not record at all, nothing is told to differ. */
function factLines({ a, b, facts }: BundleDiff, width: number): readonly string[] {
  const title = "What the runs were made with";
  const lines = differenceSection(title, facts, width);
  const without = [...(a.hasProvenance ? [] : ["A"]), ...(b.hasProvenance ? [] : ["B"])];
  if (without.length === 0) return lines;
  const who = without.length === 2 ? "neither has" : `${without[0]} has no`;
  const note = `${who} provenance: nothing but settings and labels is compared`;
  const noteLines = wrapText(note, { width, first: "  ", next: "    " });
  return [...(lines.length === 0 ? [title] : lines), ...noteLines];
}

function titleOf(title: string, count: number): string {
  return `${title} (${count} ${count === 1 ? "differs" : "differ"})`;
}

function restLine(count: number, shown = shownRows): readonly string[] {
  return count > shown ? [`  ... ${count - shown} more; --json has all`] : [];
}

function taskLines({ tasks }: BundleDiff, width: number): readonly string[] {
  const { shared, added, removed, changed, isReordered } = tasks;
  const changes = changed.map(({ id, fields }) => `"${id}" (${fields.join(", ")})`);
  const lines = [
    ...listLines("only in A", removed.map(quoted), width),
    ...listLines("only in B", added.map(quoted), width),
    ...listLines("changed", changes, width),
    ...(isReordered ? ["  those in both come in another order"] : []),
  ];
  return lines.length === 0 ? [] : [`Tasks (${shared.length} in both)`, ...lines];
}

function quoted(id: string): string {
  return `"${id}"`;
}

function listLines(what: string, items: readonly string[], width: number): readonly string[] {
  if (items.length === 0) return [];
  const more = items.length > shownIds ? `, and ${items.length - shownIds} more` : "";
  const text = `${what} (${items.length}): ${items.slice(0, shownIds).join(", ")}${more}`;
  return wrapText(visibleLine(text), { width, first: "  ", next: "    " });
}

function scoringLines({ scoring }: BundleDiff, width: number): readonly string[] {
  const { metrics, trialsPerTask, outputsOnlyInA, outputsOnlyInB } = scoring;
  const lines = [
    ...(trialsPerTask === null ? [] : differenceLines(trialsPerTask, width)),
    ...(metrics ?? []).flatMap((metric) => metricLines(metric, width)),
    ...listLines("outputs only in A", outputsOnlyInA, width),
    ...listLines("outputs only in B", outputsOnlyInB, width),
    ...(metrics === null
      ? ["  not both have a plan, so the settings of metrics are not compared"]
      : []),
  ];
  return lines.length === 0 ? [] : ["Scoring", ...lines];
}

function metricLines(
  { metric, what, differences }: MetricChange,
  width: number,
): readonly string[] {
  const where = { added: "only in B", removed: "only in A", changed: "changed" }[what];
  return [
    ...wrapText(visibleLine(`metric ${metric}: ${where}`), { width, first: "  " }),
    ...differences.flatMap((one) => differenceLines(one, width, (name) => `${metric}.${name}`)),
  ];
}

/** What there is in both, whether or not it changed. */
function scoreLines({ scores, tasks }: BundleDiff, width: number): readonly string[] {
  if (tasks.shared.length === 0)
    return ["Scores: no task is in both bundles, so nothing is paired"];
  if (scores.length === 0) return ["Scores: no output is in both bundles, so nothing is paired"];
  const records = scores.map(({ output, comparison, changedCount }) => ({
    output,
    A: comparison.meanA,
    B: comparison.meanB,
    change: signed(comparison.change),
    higher: comparison.higherCount,
    lower: comparison.lowerCount,
    same: comparison.equalCount,
    unpaired: comparison.unpairedCount,
    changed: changedCount,
  }));
  const title = `Scores of ${countOf(tasks.shared.length, "task")} in both (means of task means; counts of tasks)`;
  return [...wrapText(title, { width }), ...formatTable(records, width).split("\n")];
}

function changeLines(
  { output, changedCount, changes }: OutputDiff,
  width: number,
): readonly string[] {
  if (changedCount === 0) return [];
  const records: Record<string, string | null>[] = [];
  for (const { taskId, a, b, change } of changes()) {
    if (records.length === shownRows) break;
    records.push({ task: taskId, A: scoreText(a), B: scoreText(b), change: signed(change) });
  }
  const title = `${visibleLine(output)}: ${countOf(changedCount, "task")} changed (mean of the n trials with a value)`;
  return [
    ...wrapText(title, { width }),
    ...formatTable(records, width).split("\n"),
    ...restLine(changedCount),
  ];
}

/** `0.5 (n=2)`, `yes 2, no 1`; trials that could not be produced are counted beside it. */
function scoreText({ mean, count, failedCount, labels }: TaskScore): string {
  const named = Object.entries(labels).map(([label, times]) => `${label} ${times}`);
  const number = mean === null ? [] : [`${formatNumber(mean)} (n=${count})`];
  const values = [...number, ...named];
  const failed = failedCount === 0 ? [] : [`${failedCount} failed`];
  return [...(values.length === 0 ? ["no value"] : values), ...failed].join(", ");
}

function signed(change: number | null): string | null {
  if (change === null) return null;
  return change > 0 ? `+${formatNumber(change)}` : formatNumber(change);
}

function aggregateLines({ aggregates }: BundleDiff, width: number): readonly string[] {
  if (aggregates.length === 0) return [];
  const records = aggregates.slice(0, shownRows).map(({ name, a, b }) => ({
    aggregate: name,
    A: a,
    B: b,
    change: a === null || b === null ? null : signed(b - a),
  }));
  return [
    titleOf("Aggregates over all tasks of each", aggregates.length),
    ...formatTable(records, width).split("\n"),
    ...restLine(aggregates.length),
  ];
}
