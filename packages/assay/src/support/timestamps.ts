/** UTC instant of the wire format: `2026-07-31T11:46:40Z`, fractions (microseconds) only when non-zero. */
export function formatInstant(instant: Date): string {
  const ms = instant.getTime();
  // Short trials come several in a millisecond.
  if (ms !== last.ms) last = { ms, text: textOf(instant) };
  return last.text;
}

let last = { ms: Number.NaN, text: "" };

function textOf(instant: Date): string {
  const text = instant.toISOString();
  return text.endsWith(".000Z") ? `${text.slice(0, -5)}Z` : `${text.slice(0, -1)}000Z`;
}

/** Milliseconds in whole microseconds: what a clock says beyond is noise, and costs more to write than all else of a row. */
export function roundedMs(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
