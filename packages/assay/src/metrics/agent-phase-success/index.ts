import { z } from "zod";

import { defineMetric } from "../define/define-metric.ts";
import { isAgentOk } from "./compute.ts";

/**
 * Whether the agent ended well, as its runner says in `agent_ok` of the trial's metadata.
 *
 * Output `agent_phase_success`: boolean, true is better. Only a real `true` counts: a missing value or the text "true"
 * is false. Deterministic, calls no model.
 */
export const agentPhaseSuccess = defineMetric({
  type: "agent_phase_success",
  description: "Whether the agent ended well, as the runner says; true is better.",
  config: z.strictObject({}),
  outputs: [
    { name: "agent_phase_success", kind: "boolean", description: "agent_ok of the trial." },
  ],
  compute: ({ candidate }) => ({ outputs: { agent_phase_success: isAgentOk(candidate.metadata) } }),
});
