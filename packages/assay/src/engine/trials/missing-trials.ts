import type { ReceivedTrial } from "../../bundle/admit-trial.ts";
import type { MissingTrial } from "./intake.ts";
import type { StopCause } from "./stop-cause.ts";
import { failedTrial } from "./valid-trial.ts";

const shownMissing = 5;

/** Planned trials that never came, in a run that nobody stopped. */
export class MissingTrials {
  /** What the runner threw, when it did. */
  runnerFailure: string | null = null;
  readonly #places: MissingTrial[] = [];

  /** The failed trial that takes the place of one. */
  add(place: MissingTrial, now: Date): ReceivedTrial {
    this.#places.push(place);
    const { taskId, trialIndex } = place;
    const message = this.runnerFailure ?? "the runner never gave this trial";
    return failedTrial(
      { id: `${taskId}:missing:${trialIndex}`, taskId, trialIndex },
      { type: "MissingTrial", message },
      { cause: "missing", now },
    );
  }

  /** Why the run did not end well; null when all trials came. */
  cause(): StopCause | null {
    const count = this.#places.length;
    if (count === 0) return null;
    const shown = this.#places
      .slice(0, shownMissing)
      .map(({ taskId, trialIndex }) => `"${taskId}" (index ${trialIndex})`);
    const more = count > shownMissing ? `, and ${count - shownMissing} more` : "";
    const why = this.runnerFailure === null ? "" : `; ${this.runnerFailure}`;
    const message = `planned trials that never came: ${shown.join(", ")}${more}${why}`;
    return { kind: "missing_trials", message };
  }
}
