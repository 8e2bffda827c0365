import { describe, expect, it } from "vitest";

import { metricContextOf, metricInput } from "../../../../../test/support/metric-trial.ts";
import type { JsonObject } from "../../support/json.ts";
import { metricConformance } from "../../testing/metric-conformance.ts";
import { isAgentOk } from "./compute.ts";
import { agentPhaseSuccess } from "./index.ts";

describe("isAgentOk", () => {
  it.each<[JsonObject, boolean]>([
    [{ agent_ok: true }, true],
    [{ agent_ok: false }, false],
    [{ agent_ok: "true" }, false],
    [{ agent_ok: 1 }, false],
    [{ agent_ok: null }, false],
    [{}, false],
  ])("of %j is %s", (metadata, isOk) => {
    expect(isAgentOk(metadata)).toBe(isOk);
  });

  it("does not read what objects inherit", () => {
    expect(isAgentOk(Object.create({ agent_ok: true }) as JsonObject)).toBe(false);
  });
});

describe("agentPhaseSuccess", () => {
  it("needs no output: a trial that did not end well is false by its metadata", () => {
    expect(agentPhaseSuccess().needs).toStrictEqual([]);
    expect(agentPhaseSuccess().type).toBe("agent_phase_success");
  });

  it("takes no settings", () => {
    expect(() => agentPhaseSuccess.fromConfig({ type_name: "x" })).toThrow(
      'unknown key "type_name"',
    );
  });

  describe("keeps the contract", () => {
    const input = metricInput({ metadata: { agent_ok: true } });
    const cases = [{ name: "an agent that ended well", input }];

    for (const { name, run } of metricConformance({
      make: () => agentPhaseSuccess(),
      cases,
      context: metricContextOf(),
    })) {
      it(name, run);
    }
  });
});
