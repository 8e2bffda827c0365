import type { Clock } from "../contracts/clock.ts";

/** One moment on both clocks: the wall clock for stamps, the monotonic one for durations. */
export interface Moment {
  readonly instant: Date;
  readonly monotonicMs: number;
}

export function momentOf(clock: Clock): Moment {
  return { instant: clock.now(), monotonicMs: clock.monotonicMs() };
}
