import type { Bundle, EvalResult } from "../../entries/index.ts";
import { cutToWidth, visibleLine } from "../../entries/index.ts";
import { digestLines } from "./digest-text.ts";
import { optionLines, originText } from "./option-text.ts";
import { countOf, entriesAt, factText, row, valueAt, wholeRow } from "./rows.ts";
import { shownDirectory } from "./shown-directory.ts";

/** Columns of a label; `--json` has all of it. */
const maxLabel = 300;

/** What made a result, for people; `statement` is the stored one, or null in bundles of other writers. */
export function provenanceLines(
  { target, labels, startedAt, durationSec, sdkVersion }: EvalResult["metadata"],
  statement: unknown,
  width: number,
  lineage: readonly string[] = [],
): readonly string[] {
  const predicate = valueAt(statement, ["predicate"]);
  const origins = valueAt(predicate, ["runner", "origins"]);
  const evaluated = evaluatedTarget(target, predicate);
  const labelled = Object.entries(labels).map(([name, value]) =>
    cutToWidth(visibleLine(`${name}=${value}`), maxLabel),
  );
  return [
    ...row("suite", suiteText(predicate), width),
    ...row("run", factText(valueAt(predicate, ["run", "id"])), width),
    ...row("target", targetText(evaluated, target, predicate), width),
    ...row("model", modelText(predicate, evaluated), width),
    ...optionLines(evaluated?.config ?? {}, (name) => originText(origins, name), width),
    ...row("labels", labelled.length === 0 ? null : labelled.join(" "), width),
    ...row("command", commandText(predicate), width),
    ...row(
      "started",
      startedAt === "" ? "unknown" : `${startedAt}, took ${durationSec.toFixed(1)} s`,
      width,
    ),
    ...row("usage", usageText(predicate), width),
    ...row("cost", costText(predicate), width),
    ...row("assay", assayText(sdkVersion, predicate), width),
    ...row("git", gitText(predicate), width),
    ...row("redacted", redactionText(predicate), width),
    ...lineage.flatMap((step, index) => row(index === 0 ? "lineage" : "", step, width)),
    ...resumeLines(predicate, width),
    ...(predicate === undefined
      ? row("digests", "no provenance.json", width)
      : digestLines(digestsOf(predicate), width)),
  ];
}

const firstDigests = ["settings", "resolved", "plan", "tasks", "code"];

/** In the order of what they include; those of other versions of Assay come last. */
function digestsOf(predicate: unknown): readonly (readonly [string, string | null])[] {
  const recorded = entriesAt(predicate, ["digests"]).map(([name]) => name);
  return [...new Set([...firstDigests, ...recorded])].map(
    (name) => [name, factText(valueAt(predicate, ["digests", name]))] as const,
  );
}

interface Place {
  readonly cwd: string;
  readonly width: number;
}

/** How it ended and where it is; the last line is the digest of the bundle. */
export function endingLines(result: EvalResult, place: Place): readonly string[] {
  return [...whereLines(result, place), digestLine(result.bundleDigest)];
}

/** The same of a bundle that was read, and what of it was compared with its digests. */
export function bundleEndingLines(bundle: Bundle, place: Place): readonly string[] {
  const { unsealedBecause, bundleDigest, gaps } = bundle;
  const verified =
    unsealedBecause === null
      ? "the records are as they were sealed; evidence not verified"
      : `nothing: ${unsealedBecause}`;
  return [
    ...whereLines(bundle, place),
    ...gaps.flatMap((gap) => row("older", gap, place.width)),
    ...row("verified", verified, place.width),
    digestLine(bundleDigest),
  ];
}

function whereLines(
  { status, statusCause, workDir }: EvalResult,
  { cwd, width }: Place,
): readonly string[] {
  return [
    ...row("status", statusCause === null ? status : `${status}: ${firstLine(statusCause)}`, width),
    ...wholeRow("bundle", shownDirectory(workDir, cwd), width),
  ];
}

/** What a program said last may be many lines; the warning of the run has told them all. */
function firstLine(text: string): string {
  const end = text.indexOf("\n");
  return end < 0 ? text : `${text.slice(0, end)} ...`;
}

function digestLine(bundleDigest: string): string {
  return bundleDigest === "" ? "no digests: not verified" : visibleLine(bundleDigest);
}

function suiteText(predicate: unknown): string | null {
  const suite = factText(valueAt(predicate, ["run", "suite_name"]));
  const [tasks, trials] = ["count", "trials_per_task"].map((name) =>
    Number(valueAt(predicate, ["tasks", name])),
  );
  if (suite === null) return null;
  return `${suite}: ${countOf(tasks ?? 0, "task")}, ${countOf(trials ?? 0, "trial")} each`;
}

type Target = EvalResult["metadata"]["target"];

/** What made the trials, which is asked of the nearest parent that says so when they were imported. */
export function evaluatedTarget(target: Target, predicate: unknown): Target {
  if (target?.kind !== "imported") return target;
  const parents = entriesAt(predicate, ["parents"]).map(([, parent]) =>
    valueAt(parent, ["target"]),
  );
  return (parents as Target[]).find((one) => one && one.kind !== "imported") ?? target;
}

function targetText(evaluated: Target, target: Target, predicate: unknown): string {
  if (evaluated === null) return "unknown";
  const { name, version, kind } = evaluated;
  const identity = version === null ? `${name} (${kind})` : `${name} ${version} (${kind})`;
  return evaluated === target ? identity : `${identity}; its trials ${takenText(predicate)}`;
}

/** What was asked for, and by which option; what answered, where that is known. */
function takenText(predicate: unknown): string {
  const relation = valueAt(predicate, ["parents", "0", "relation"]);
  return relation === "imported" ? "were imported" : "were scored again";
}

function modelText(predicate: unknown, target: Target): string | null {
  const fact = (name: string) => valueAt(predicate, ["models", name]);
  const requested = fact("requested");
  if (typeof requested !== "string") {
    const model = target?.config["model"];
    return typeof model === "string" ? `${model} (requested)` : null;
  }
  const [option, origin] = ["option", "origin"].map((name) => valueAt(fact("set_by"), [name]));
  const setBy = typeof option === "string" ? `: ${option}, ${origin}` : "";
  const served = fact("served");
  const answered = Array.isArray(served) ? `; served by ${served.join(", ")}` : "";
  return `${requested} (requested${setBy})${answered}`;
}

/** The last start of the run, and how many there were. */
function commandText(predicate: unknown): string | null {
  const invocations = entriesAt(predicate, ["invocations"]).map(([, invocation]) => invocation);
  const command = valueAt(invocations.at(-1), ["command"]);
  if (command === undefined) return null;
  const text = Array.isArray(command) ? command.join(" ") : factText(command);
  return invocations.length === 1 ? text : `${text} (start ${invocations.length} of the run)`;
}

function usageText(predicate: unknown): string | null {
  const [attempts, prompt, completion] = ["attempts", "prompt_tokens", "completion_tokens"].map(
    (name) => valueAt(predicate, ["usage", name]),
  );
  if (typeof attempts !== "number") return null;
  const [promptText, completionText] = [factText(prompt), factText(completion)];
  const tokens =
    promptText === completionText && typeof prompt !== "number"
      ? `tokens ${promptText}`
      : `prompt tokens ${promptText}, completion tokens ${completionText}`;
  return `${countOf(attempts, "attempt")}, ${tokens}`;
}

function costText(predicate: unknown): string | null {
  const cost = valueAt(predicate, ["usage", "cost_usd"]);
  return typeof cost === "number" ? `${cost.toFixed(4)} USD` : factText(cost);
}

function assayText(version: string | null, predicate: unknown): string {
  const [os, architecture, node] = ["os", "architecture", "node_version"].map((name) =>
    factText(valueAt(predicate, ["host", name])),
  );
  return os === null ? (version ?? "unknown") : `${version}, Node ${node}, ${os} ${architecture}`;
}

function gitText(predicate: unknown): string | null {
  const commit = factText(valueAt(predicate, ["source", "commit"]));
  const isDirty = valueAt(predicate, ["source", "is_dirty"]);
  if (commit === null || typeof isDirty !== "boolean") return commit;
  return `${commit}, ${isDirty ? "with uncommitted changes" : "clean"}`;
}

function redactionText(predicate: unknown): string | null {
  if (valueAt(predicate, ["redactions"]) === undefined) return null;
  const counts = entriesAt(predicate, ["redactions"]);
  return counts.length === 0
    ? "nothing"
    : counts.map(([rule, count]) => `${rule} ${factText(count)}`).join(", ");
}

/** The starts of the run that later ones went on with. */
function resumeLines(predicate: unknown, width: number): readonly string[] {
  return entriesAt(predicate, ["parents"]).flatMap(([, parent]) => {
    const fact = (name: string) => factText(valueAt(parent, [name]));
    if (fact("relation") !== "resumed") return [];
    const digest = fact("bundle_digest");
    return [
      ...row("resumed", `from ${fact("run_id")}`, width),
      ...(digest === null ? [] : [`  ${visibleLine(digest)}`]),
    ];
  });
}
