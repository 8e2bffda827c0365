import type { Fact } from "../schema/fact.ts";
import type { Invocation } from "../schema/invocation.ts";
import { formatInstant, roundedMs } from "../support/timestamps.ts";
import type { RunOptions } from "./api.ts";
import type { Ending } from "./finish/ending.ts";
import type { Moment } from "./moment.ts";
import type { PreparedRun } from "./run-state.ts";
import type { EarlierStarts } from "./session.ts";

export interface Start {
  readonly started: Moment;
  readonly options: RunOptions;
}

/** This start of the run, as it is recorded while it goes on. */
export function begunInvocation(
  run: PreparedRun,
  earlier: EarlierStarts | null,
  { started, options }: Start,
): Invocation {
  const { settings, resolved, plan } = run.digests;
  const before = earlier?.invocations.at(-1)?.id;
  const unknown = { unknown: "it has not ended, or was killed" };
  return {
    id: run.invocationId,
    command: commandFact(run, options),
    startedAt: formatInstant(started.instant),
    finishedAt: unknown,
    durationMs: unknown,
    cause: "running",
    resumedFrom: earlier?.bundleDigest ?? null,
    resumedFromId: typeof before === "string" ? before : null,
    accepted: [...(earlier?.accepted ?? [])],
    digests: { settings, resolved, plan },
    toolVersion: run.info.version ?? { unknown: "the tool has no version" },
    environment: run.environment,
    redactions: unknown,
  };
}

export interface End {
  readonly started: Moment;
  readonly finished: Moment;
  readonly ending: Ending;
  /** What was removed since the start, by rule. */
  readonly redactions: Readonly<Record<string, number>>;
}

/** The same at its end. */
export function endedInvocation(
  begun: Invocation,
  { started, finished, ending, redactions }: End,
): Invocation {
  return {
    ...begun,
    finishedAt: formatInstant(finished.instant),
    durationMs: roundedMs(Math.max(0, finished.monotonicMs - started.monotonicMs)),
    cause: ending.cause ?? "ended",
    redactions: { ...redactions },
  };
}

/** A flag may have carried a credential: key rules apply to its words. */
function commandFact(run: PreparedRun, { invocation }: RunOptions): Fact<string[]> {
  if (invocation === undefined) return { unknown: "started by a program" };
  return run.redactor.settings({ words: [...invocation] })["words"] as unknown as string[];
}
