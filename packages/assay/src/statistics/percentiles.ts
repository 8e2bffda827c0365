import type { Percentiles } from "../schema/summary.ts";
import { percentileOf, type SortedSample } from "./sample.ts";

/** p10, p20 … p90 and p100; null for an empty sample. */
export function percentilesOf(sample: SortedSample): Percentiles | null {
  if (sample.length === 0) return null;
  const at = (percent: number) => percentileOf(sample, percent);
  return {
    p10: at(10),
    p20: at(20),
    p30: at(30),
    p40: at(40),
    p50: at(50),
    p60: at(60),
    p70: at(70),
    p80: at(80),
    p90: at(90),
    p100: at(100),
  };
}
