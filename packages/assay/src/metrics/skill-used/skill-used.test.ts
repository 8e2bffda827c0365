import { describe, expect, it } from "vitest";

import { metricContextOf, metricInput } from "../../../../../test/support/metric-trial.ts";
import { atifTrace, otlpTrace, toolCall } from "../../../../../test/support/trajectories.ts";
import type { JsonObject } from "../../support/json.ts";
import { metricConformance } from "../../testing/metric-conformance.ts";
import { skillUsed } from "./index.ts";

const location = ".agents/skills/code-review";
const skills = [{ name: "code-review", location }];

async function used(trial: { evidence?: JsonObject; metadata?: JsonObject }) {
  const { outputs, diagnostics } = await skillUsed().compute(
    metricInput({ metadata: { skills }, ...trial }),
    metricContextOf(),
  );
  return {
    outputs: [outputs["skill_present"], outputs["skill_used"]],
    messages: (diagnostics ?? []).map(({ severity, message }) => `${severity}: ${message}`),
  };
}

const reads = (path: string) => ({
  trace: atifTrace({ tool_calls: [toolCall("read", { path })] }),
});

describe("skillUsed", () => {
  it.each<[string, JsonObject, boolean]>([
    [
      "an argument of a tool",
      { tool_calls: [toolCall("read", { path: `${location}/SKILL.md` })] },
      true,
    ],
    ["a nested argument", { tool_calls: [toolCall("read", { all: [{ [location]: 1 }] })] }, true],
    ["a message", { message: `I follow ${location}.` }, true],
    ["reasoning", { reasoning_content: `see "${location}"` }, true],
    ["the name of a tool", { tool_calls: [toolCall(`cat ${location}`)] }, true],
    ["an answer", { observation: { results: [{ content: { out: [`./${location}\n`] } }] } }, true],
    ["another file", { tool_calls: [toolCall("read", { path: "README.md" })] }, false],
    [
      "the name of the skill alone",
      { message: "I use code-review, as .agents/skills says." },
      false,
    ],
    ["a skill whose name goes on", { message: `${location}-2/SKILL.md` }, false],
    ["both, the longer name first", { message: `${location}er, then ${location}` }, true],
  ])("in %s: used is %s", async (_case, step, isUsed) => {
    expect((await used({ evidence: { trace: atifTrace(step) } })).outputs).toStrictEqual([
      true,
      isUsed,
    ]);
  });

  it.each<[string, JsonObject, [boolean, boolean]]>([
    ["a list", { skills }, [true, true]],
    [
      "one object, as older runs have it",
      { skill: { name: "code-review", location } },
      [true, true],
    ],
    [
      "several, of which one was used",
      { skills: [{ name: "x", location: ".agents/skills/x" }, ...skills] },
      [true, true],
    ],
    ["no list", { skills: {} }, [false, false]],
    ["an empty list", { skills: [] }, [false, false]],
    ["nothing but empty objects and texts", { skills: [{}, "code-review", null] }, [false, false]],
    ["an empty object", { skill: {} }, [false, false]],
    ["nothing", {}, [false, false]],
    ["a skill without a place", { skills: [{ name: "code-review" }] }, [true, false]],
    ["a skill at an empty place", { skills: [{ name: "x", location: " " }] }, [true, false]],
    ["a skill whose place is no text", { skills: [{ location: 5 }] }, [true, false]],
  ])("of metadata with %s are present and used: %s", async (_case, metadata, outputs) => {
    const evidence = reads(`${location}/SKILL.md`);

    expect((await used({ metadata, evidence })).outputs).toStrictEqual(outputs);
  });

  it.each<[string, JsonObject, string]>([
    ["is not there", {}, "does not hold a trajectory"],
    [
      "is of another format",
      { trace: { kind: "trace", format: "json", data: {} } },
      "does not hold",
    ],
    ["is spoilt", { trace: { kind: "trace", data: { schema_version: "x" } } }, "ATIF-"],
  ])("is not used, with a warning, when the trajectory %s", async (_case, evidence, why) => {
    expect(await used({ evidence })).toStrictEqual({
      outputs: [true, false],
      messages: [expect.stringMatching(new RegExp(`^warning: .*${why}`))],
    });
  });

  it("reads OTLP before ATIF, and ATIF where the other is spoilt", async () => {
    const spans = otlpTrace({ any: `cat ${location}/SKILL.md` });
    const other = reads("README.md").trace;

    expect((await used({ evidence: { trace: spans } })).outputs).toStrictEqual([true, true]);
    expect((await used({ evidence: { trace: other, "trace:otlp": spans } })).outputs).toStrictEqual(
      [true, true],
    );
    expect(
      await used({
        evidence: {
          trace: { kind: "trace", format: "otlp", data: [5] },
          "trace:atif": reads(location).trace,
        },
      }),
    ).toStrictEqual({
      outputs: [true, true],
      messages: [
        'warning: evidence "trace": an entry is no object',
        'info: read the trajectory "trace" in the format atif',
      ],
    });
  });

  describe("keeps the contract", () => {
    const cases = [
      { name: "a skill", input: metricInput({ metadata: { skills }, evidence: reads(location) }) },
      { name: "no evidence", input: metricInput() },
    ];
    for (const { name, run } of metricConformance({
      make: () => skillUsed(),
      cases,
      context: metricContextOf(),
    })) {
      it(name, run);
    }
  });
});
