import type { Clock } from "../contracts/clock.ts";
import { onAbort } from "./on-abort.ts";

/** The longest delay that a timer of the host takes; a longer one would fire at once. */
const maxTimerMs = 2_147_483_647;

export const systemClock: Clock = {
  now: () => new Date(),
  monotonicMs: () => performance.now(),
  sleep,
};

async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  let leftMs = ms;
  while (leftMs > maxTimerMs) {
    await sleepOnce(maxTimerMs, signal);
    leftMs -= maxTimerMs;
  }
  await sleepOnce(leftMs, signal);
}

function sleepOnce(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    let stopListening = (): void => undefined;
    const timer = setTimeout(() => {
      stopListening();
      resolve();
    }, ms);
    if (signal === undefined) return;
    stopListening = onAbort(signal, () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}
