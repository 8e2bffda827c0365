import { setFlagsFromString } from "node:v8";

/** How far the memory grows before unused objects are looked for, in percent of what was in use. */
const growth = 15;

/**
 * Left alone, V8 looks for them when the memory is some four times what was in use. What belongs to a trial is in use
 * until its group is on disk, so that a long run with many tasks would grow by hundreds of megabytes.
 */
export function keepHeapSmall(): void {
  setFlagsFromString(`--heap-growing-percent=${growth}`);
}
