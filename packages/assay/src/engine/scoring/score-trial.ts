import type { Clock, Logger } from "../../contracts/clock.ts";
import type { FileStore } from "../../contracts/files.ts";
import type {
  Candidate,
  Metric,
  MetricContext,
  MetricInput,
  MetricNeed,
  MetricResult,
} from "../../contracts/metric.ts";
import type { SandboxCapability } from "../../contracts/sandbox.ts";
import { AssayError, errorNameOf, messageOf } from "../../errors/assay-error.ts";
import { coerceResult } from "../../metrics/define/coerce-result.ts";
import { computeAtOnce } from "../../metrics/define/compute-at-once.ts";
import { isPending } from "../../support/is-pending.ts";
import {
  failedMetricScore,
  failedTrialScore,
  outputsScore,
  type Score,
  type ScorePlace,
} from "./score-record.ts";
import type { LimitedJob, TimeLimits } from "./time-limits.ts";

export interface ScoringTools {
  readonly clock: Clock;
  readonly log: Logger;
  readonly files: FileStore;
  readonly sandboxes: SandboxCapability;
  readonly baseDir: string;
  readonly redact: MetricContext["redact"];
  /** Aborted when the run is cancelled. */
  readonly signal: AbortSignal;
  readonly limits: TimeLimits;
  /** Where in the suite's own code an error was thrown; null when it was elsewhere. */
  readonly placeOf: (thrown: unknown) => string | null;
}

const defaultTimeoutMs = 300_000;

/** A score; null when the run was cancelled: resume computes it. */
type Scored = Score | null;

interface Scoring {
  readonly place: ScorePlace;
  readonly input: () => MetricInput;
  readonly tools: ScoringTools;
}

/** Scores one trial with one metric: at once, unless there is something to wait for. */
export function scoreTrial(
  place: ScorePlace,
  input: () => MetricInput,
  tools: ScoringTools,
): Scored | Promise<Scored> {
  const { trial, metric } = place;
  if (trial.status === "failed") return failedTrialScore(place);
  const lacking = trial.status === "partial" ? lackingNeeds(metric, input().candidate) : [];
  if (lacking.length > 0) return absentScore(place, lacking);
  return tryToScore({ place, input, tools }, 0);
}

function tryToScore(scoring: Scoring, earlierTries: number): Scored | Promise<Scored> {
  const { place, input, tools } = scoring;
  for (let tries = earlierTries; ; tries += 1) {
    try {
      const result = compute(place.metric, input(), tools);
      return isPending(result) ? scoreLater(result, scoring, tries) : scoreOf(place, result);
    } catch (thrown) {
      const score = scoreOfThrow(thrown, scoring, tries);
      if (score !== "try again") return score;
    }
  }
}

async function scoreLater(
  result: Promise<MetricResult>,
  scoring: Scoring,
  tries: number,
): Promise<Scored> {
  try {
    return scoreOf(scoring.place, await result);
  } catch (thrown) {
    const score = scoreOfThrow(thrown, scoring, tries);
    return score === "try again" ? await tryToScore(scoring, tries + 1) : score;
  }
}

function scoreOf(place: ScorePlace, result: MetricResult): Score {
  const { outputs, unscored } = coerceResult(place.metric, result);
  return outputsScore(place, { outputs, unscored, diagnostics: result.diagnostics });
}

function scoreOfThrow(
  thrown: unknown,
  { place, tools }: Scoring,
  tries: number,
): Scored | "try again" {
  if (tools.signal.aborted) return null;
  if (place.trial.status === "partial" && isInputAbsent(thrown))
    return absentScore(place, [messageOf(thrown)]);
  if (tries < (place.metric.retries ?? 0)) return "try again";
  return failedMetricScore(place, describeFailure(thrown, tools));
}

/** A trial that did not end well stays in the denominator: a missing input gives the declared value. */
function absentScore(place: ScorePlace, lacking: readonly string[]): Score {
  const specs = place.metric.outputs;
  return outputsScore(place, {
    outputs: specs
      .filter(({ absent }) => absent !== "unscored")
      .map(({ name, absent }) => ({ name, value: absent })),
    unscored: specs
      .filter(({ absent }) => absent === "unscored")
      .map(({ name }) => ({ name, reason: "INPUT_ABSENT" })),
    diagnostics: [
      {
        severity: "warning",
        message: `the trial did not end well and lacks ${lacking.join(", ")}: the declared value for that was taken`,
        details: { input_absent: [...lacking] },
      },
    ],
  });
}

function lackingNeeds({ needs }: Metric, candidate: Candidate): readonly MetricNeed[] {
  return needs.filter((need) => !isPresent(need, candidate));
}

function isPresent(need: MetricNeed, candidate: Candidate): boolean {
  switch (need) {
    case "text":
      return candidate.outputText !== null;
    case "response":
      return candidate.response !== null;
    case "reward":
      return typeof candidate.metadata["reward"] === "number";
    case "evidence":
      return candidate.evidence.names().length > 0;
  }
}

function compute(
  metric: Metric,
  input: MetricInput,
  tools: ScoringTools,
): MetricResult | Promise<MetricResult> {
  const ms = metric.timeoutMs ?? defaultTimeoutMs;
  const limit = { ms, error: () => new MetricTimeout(metric.type, ms) };
  return tools.limits.run(limit, (job) =>
    computeAtOnce(metric, input, new ComputeContext(tools, job)),
  );
}

/** Its signal is made only for a metric that reads it. */
class ComputeContext implements MetricContext {
  readonly clock: Clock;
  readonly log: Logger;
  readonly files: FileStore;
  readonly sandboxes: SandboxCapability;
  readonly baseDir: string;
  readonly redact: MetricContext["redact"];
  readonly #job: LimitedJob;

  constructor(
    { clock, log, files, sandboxes, baseDir, redact }: Omit<MetricContext, "signal">,
    job: LimitedJob,
  ) {
    this.clock = clock;
    this.redact = redact;
    this.log = log;
    this.files = files;
    this.sandboxes = sandboxes;
    this.baseDir = baseDir;
    this.#job = job;
  }

  get signal(): AbortSignal {
    return this.#job.signal;
  }
}

class MetricTimeout extends Error {
  override readonly name = "TimeoutError";
  constructor(type: string, limitMs: number) {
    super(`metric "${type}" did not end within ${limitMs / 1000} s`);
  }
}

function isInputAbsent(thrown: unknown): boolean {
  return AssayError.isInstance(thrown) && thrown.data["isInputAbsent"] === true;
}

function describeFailure(
  thrown: unknown,
  { placeOf }: ScoringTools,
): { readonly message: string; readonly exceptionType: string } {
  const exceptionType = AssayError.isInstance(thrown)
    ? thrown.code
    : errorNameOf(thrown) || "UnknownException";
  const at = placeOf(thrown);
  const message = messageOf(thrown);
  return { message: at === null ? message : `${message} (at ${at})`, exceptionType };
}
