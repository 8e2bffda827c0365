import { describe, expect, it } from "vitest";

import type { Diagnostic } from "../../packages/assay/src/schema/score.ts";
import { scoreStateOf } from "../../packages/assay/src/statistics/score-state.ts";
import type { JsonObject } from "../../packages/assay/src/support/json.ts";

const diagnostics = (...details: JsonObject[]): Diagnostic[] =>
  details.map((item) => ({ severity: "error", message: "", source: null, details: item }));

describe("the state of a score", () => {
  it.each([
    ["completed", [], "measured"],
    ["partial", [], "measured"],
    ["completed", [{ trial_status: "failed" }], "measured"],
    ["failed", [], "metric_failed"],
    ["failed", [{ trial_status: "failed" }], "trial_failed"],
    ["failed", [{ exception_type: "E" }, { trial_status: "failed" }], "trial_failed"],
    ["failed", [{ trial_status: "completed" }], "metric_failed"],
    ["failed", [{ exception_type: "TypeError" }], "metric_failed"],
    ["failed", [{ unscored_reason: "NON_FINITE" }], "unscored"],
    ["failed", [{ unscored_reason: "NON_FINITE" }, { exception_type: "E" }], "metric_failed"],
  ] as const)("of status %s with details %j is %s", (status, details, state) => {
    expect(scoreStateOf({ status, diagnostics: diagnostics(...details) })).toBe(state);
  });
});
