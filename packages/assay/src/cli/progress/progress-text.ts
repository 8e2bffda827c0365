import type { RunEvent } from "../../entries/index.ts";
import { visibleLine } from "../../entries/index.ts";
import { countOf } from "../print/rows.ts";

export type TrialEnd = Extract<RunEvent, { readonly type: "trial-end" }>;

/** What has happened so far, as a run's events tell it. */
export interface Counts {
  total: number;
  done: number;
  partial: number;
  failed: number;
  failedMetrics: number;
}

export function countEvent(counts: Counts, event: RunEvent): void {
  if (event.type === "run-start") counts.total = event.trialCount;
  if (event.type === "score-end" && event.status === "failed") counts.failedMetrics += 1;
  if (event.type !== "trial-end") return;
  counts.done += 1;
  if (event.status !== "completed") counts[event.status] += 1;
}

/** `12/60 trials, 2 partial, 1 failed, 3.4/s, about 14 s left` */
export function statusLine(counts: Counts, elapsedMs: number): string {
  const { total, done, partial, failed, failedMetrics } = counts;
  const perSecond = elapsedMs > 0 ? (done * 1000) / elapsedMs : 0;
  return [
    `${done}/${total} trials`,
    ...(partial > 0 ? [`${partial} partial`] : []),
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(failedMetrics > 0 ? [countOf(failedMetrics, "metric failure")] : []),
    ...(done > 0 ? [formatRate(perSecond)] : []),
    ...(done > 0 && done < total
      ? [`about ${formatSeconds((total - done) / perSecond)} left`]
      : []),
  ].join(", ");
}

/** `sum-1:trial completed in 1.2 s`; ids come from suites and tools, so they are made visible. */
export function trialLine({ trialId, status, errorType, durationMs }: TrialEnd): string {
  const reason = errorType === null ? "" : ` (${visibleLine(errorType)})`;
  const time = durationMs === null ? "" : ` in ${formatSeconds(durationMs / 1000)}`;
  return `${visibleLine(trialId)} ${status}${reason}${time}`;
}

function formatRate(perSecond: number): string {
  return perSecond >= 1 || perSecond === 0
    ? `${perSecond >= 100 ? Math.round(perSecond) : perSecond.toFixed(1)}/s`
    : `${(perSecond * 60).toFixed(1)}/min`;
}

/** `0.2 s`, `14 s`, `2 min 5 s`, `3 h 10 min`; whole units are rounded before they are parted, so no part is 60. */
export function formatSeconds(seconds: number): string {
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  const minutes = Math.round(seconds / 60);
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
