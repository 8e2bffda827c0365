import type { RunEvent } from "../../entries/index.ts";
import type { CliIo } from "../io.ts";
import { countOf } from "../print/rows.ts";
import { type Counts, countEvent, statusLine, trialLine } from "./progress-text.ts";
import { openStatusLine, type StatusLine } from "./status-line.ts";

/** Tells people how a run goes on, on stderr. */
export interface Progress {
  onEvent(event: RunEvent): void;
  close(): void;
}

/** Runs up to this many trials have a line for each of them where there is no status line. */
const everyTrialUpTo = 50;
/** Trials that did not end well are named up to this many; the rest is counted. */
const namedFailures = 50;
const lineEveryMs = 1000;

export const noProgress: Progress = { onEvent: () => {}, close: () => {} };

/** One status line on a terminal, lines elsewhere: one per trial in small runs, at most one per second in big ones. */
export async function createProgress(io: CliIo): Promise<Progress> {
  // A pseudo-terminal may say that its lines have no width; a status line cannot be drawn there.
  const { stderr, env } = io;
  const isDrawable =
    stderr.isTTY && stderr.columns >= 20 && env["TERM"] !== "dumb" && !isSet(env["CI"]);
  const line = isDrawable ? await openStatusLine({ hasColor: !isSet(env["NO_COLOR"]) }) : null;
  return new ProgressView(io, line);
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== "";
}

class ProgressView implements Progress {
  readonly #io: CliIo;
  readonly #line: StatusLine | null;
  readonly #counts: Counts = { total: 0, done: 0, partial: 0, failed: 0, failedMetrics: 0 };
  #startMs: number;
  #lastMs: number;
  #named = 0;

  constructor(io: CliIo, line: StatusLine | null) {
    this.#io = io;
    this.#line = line;
    this.#startMs = io.monotonicMs();
    this.#lastMs = this.#startMs;
  }

  onEvent(event: RunEvent): void {
    countEvent(this.#counts, event);
    if (event.type === "run-start") this.#start(event);
    if (event.type === "warning") this.#say(`warning: ${event.message}`);
    if (event.type === "trial-end") {
      if (event.status !== "completed") this.#nameFailure(trialLine(event));
      else if (this.#line === null && this.#counts.total <= everyTrialUpTo)
        this.#say(trialLine(event));
    }
    this.#update();
  }

  close(): void {
    this.#line?.close();
    if (this.#line === null && this.#counts.total > everyTrialUpTo) this.#say(this.#status());
  }

  #start({
    runId,
    taskCount,
    trialCount,
    earlierTrialCount,
    target,
  }: Extract<RunEvent, { readonly type: "run-start" }>): void {
    this.#startMs = this.#io.monotonicMs();
    const counts = `${countOf(taskCount, "task")}, ${countOf(trialCount, "trial")}`;
    const earlier = earlierTrialCount > 0 ? ` (${earlierTrialCount} are there already)` : "";
    this.#say(`run ${runId}: ${counts}${earlier}, target ${target.name}`);
  }

  #nameFailure(text: string): void {
    this.#named += 1;
    if (this.#named <= namedFailures) this.#say(text);
    if (this.#named === namedFailures) this.#say("further ones are only counted");
  }

  #update(): void {
    if (this.#line !== null) {
      this.#line.update(this.#status());
      return;
    }
    const now = this.#io.monotonicMs();
    if (this.#counts.total <= everyTrialUpTo || now - this.#lastMs < lineEveryMs) return;
    this.#lastMs = now;
    this.#say(this.#status());
  }

  #status(): string {
    return statusLine(this.#counts, this.#io.monotonicMs() - this.#startMs);
  }

  #say(text: string): void {
    if (this.#line !== null) this.#line.above(text);
    else this.#io.stderr.write(`${text}\n`);
  }
}
