import { at, type HarborResult } from "./read-result.ts";

const phases = ["environment_setup", "agent_setup", "agent_execution", "verifier"] as const;

export interface TrialTimes {
  /** UTC; null where the trial does not say, or says it without a zone. */
  readonly startedAt: Date | null;
  /** Null where the trial does not say. */
  readonly durationMs: number | null;
  readonly phasesMs: Readonly<Record<string, number>>;
  /** Of the agent alone; null when it is not known. */
  readonly agentMs: number | null;
}

export function timesOf({ fields }: HarborResult): TrialTimes {
  const found = phases.flatMap((phase) => {
    const ms = spanOf(at(fields, phase));
    return ms === null ? [] : [[phase, ms] as const];
  });
  const phasesMs = Object.fromEntries(found);
  const started = at(fields, "started_at");
  return {
    startedAt: typeof started === "string" && hasZone(started) ? instant(started) : null,
    durationMs: spanOf(fields),
    phasesMs,
    agentMs: phasesMs["agent_execution"] ?? null,
  };
}

/** Milliseconds; null for a span that is not said, or ends before it begins. */
function spanOf(span: unknown): number | null {
  const [start, end] = [at(span, "started_at"), at(span, "finished_at")];
  if (typeof start !== "string" || typeof end !== "string") return null;
  // Both without a zone are of one clock, and so is their difference.
  if (hasZone(start) !== hasZone(end)) return null;
  const [from, to] = [microseconds(start), microseconds(end)];
  return from === null || to === null || to < from ? null : (to - from) / 1000;
}

function hasZone(text: string): boolean {
  return /(?:[Zz]|[+-]\d{2}:?\d{2})$/.test(text);
}

/** A date holds milliseconds, Harbor writes microseconds. */
function microseconds(text: string): number | null {
  const fraction = /\.(\d+)/.exec(text)?.[1] ?? "";
  const whole = instant(text.replace(/\.\d+/, ""));
  return whole === null
    ? null
    : whole.getTime() * 1000 + Number(fraction.padEnd(6, "0").slice(0, 6));
}

function instant(text: string): Date | null {
  const date = new Date(hasZone(text) ? text : `${text}Z`);
  return Number.isNaN(date.getTime()) ? null : date;
}
