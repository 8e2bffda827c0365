import type { Logger } from "../contracts/clock.ts";
import type { Redactor } from "../contracts/redactor.ts";
import type { JsonObject } from "../support/json.ts";
import type { RunEvent, RunOptions } from "./api.ts";

/** How a run speaks to whoever started it. Everything said is redacted. */
export interface Channel {
  readonly emit: (event: RunEvent) => void;
  /** What is to be called when rows are on disk, to say so: of what is made of stored rows nothing is left to remove. */
  readonly reportOf: (event: RunEvent) => (() => void) | undefined;
  readonly log: Logger;
}

export function openChannel(listener: RunOptions["onEvent"], redactor: Redactor): Channel {
  const tell = (event: RunEvent): void => {
    try {
      listener?.(event);
    } catch {
      // Whoever listens must not be what costs the run; nobody else is there to be told.
    }
  };
  const emit = (event: RunEvent): void => {
    if (listener === undefined) return;
    tell(redactor.json(event as unknown as JsonObject) as unknown as RunEvent);
  };
  const reportOf = (event: RunEvent) => (listener === undefined ? undefined : () => tell(event));
  const ignore = () => {};
  const warn = (message: string) => emit({ type: "warning", message: String(message) });
  return { emit, reportOf, log: { debug: ignore, info: ignore, warn, error: warn } };
}
