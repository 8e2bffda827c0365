import { z } from "zod";

import { messageOf } from "../../errors/assay-error.ts";
import { defineMetric, type MetricFactory, type StrictSchema } from "../define/define-metric.ts";
import { type Presence, presenceOf } from "./compute.ts";

const settings = {
  /** Which evidence. */
  evidenceName: z.string().min(1).default("final_state").describe("Which evidence."),
  /** Name of the output. */
  outputName: z.string().min(1).default("evidence_present").describe("Name of the output."),
  /** An empty directory is not enough. */
  requireNonEmpty: z.boolean().default(true).describe("An empty directory is not enough."),
};

/**
 * Whether the trial left a directory of evidence, by default with something in it.
 *
 * One boolean output, true is better. Evidence that is missing, of another kind or on another machine is false with a
 * warning, never an error. Deterministic, calls no model.
 */
export const evidencePresence: MetricFactory<StrictSchema<typeof settings>> = defineMetric({
  type: "evidence_presence",
  description: "Whether a directory of evidence is there and not empty; true is better.",
  config: z.strictObject(settings),
  outputs: ({ outputName }) => [{ name: outputName, kind: "boolean" }],
  async compute({ candidate }, { evidenceName, outputName, requireNonEmpty }, { signal }) {
    let presence: Presence;
    try {
      presence = await presenceOf(candidate.evidence, evidenceName, {
        mustHoldSomething: requireNonEmpty,
      });
    } catch (thrown) {
      // Evidence that cannot be opened is what this metric measures; being cancelled is not.
      signal.throwIfAborted();
      presence = { isPresent: false, why: messageOf(thrown) };
    }
    return {
      outputs: { [outputName]: presence.isPresent },
      diagnostics: presence.why === null ? [] : [{ severity: "warning", message: presence.why }],
    };
  },
});
