import { setMaxListeners } from "node:events";

/** Calls `listener` once when `signal` aborts, at once when it has; the answer ends the listening. */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  if (signal.aborted) {
    listener();
    return () => undefined;
  }
  // Every trial of a run listens to the run's signal: many listeners are no leak.
  setMaxListeners(0, signal);
  signal.addEventListener("abort", listener, { once: true });
  return () => signal.removeEventListener("abort", listener);
}
