import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

import { assay, folder } from "./assay-process.ts";

const suite = `
import { defineSuite } from "assay";
import { skillUsed, toolArgumentMatchesInput, toolCallCount } from "assay/metrics";
import { callable } from "assay/runners";

const location = ".agents/skills/search";
export default defineSuite({
  name: "calls",
  tasks: ["finds", "edits", "silent", "dies"].map((id) => ({ id, intent: "searches", inputs: { instruction: "node  lts" } })),
  metrics: [
    skillUsed(),
    toolCallCount({ toolName: "search" }),
    toolArgumentMatchesInput({ toolName: "search", argument: "query" }),
  ],
  target: callable({
    name: "searcher",
    agent: async ({ id }, { step, usage }) => {
      const call = (query: string) => ({ name: "mcp__web__search", arguments: { query } });
      usage.add({ promptTokens: 12, completionTokens: 3 });
      if (id === "finds") {
        step({ message: "reading", toolCalls: [{ name: "read", arguments: { path: location + "/SKILL.md" } }] });
        step({ toolCalls: [{ id: "1", ...call("node lts") }], observations: [{ callId: "1", content: { hits: 3 } }] });
      }
      if (id === "edits") step({ toolCalls: [call("node lts"), call("deno")] });
      if (id === "dies") {
        step({ toolCalls: [call("node lts")] });
        throw new Error("after the call");
      }
      return { output: "done", metadata: { skills: [{ name: "search", location }] } };
    },
  }),
});
`;

const yaml = `
name: counts
tasks:
  - { id: finds, intent: searches, inputs: { instruction: node lts } }
  - { id: edits, intent: searches, inputs: { instruction: node lts } }
  - { id: silent, intent: searches, inputs: { instruction: node lts } }
  - { id: dies, intent: searches, inputs: { instruction: node lts } }
trials: o
metrics:
  - type: tool_call_count
    tool_name: search
    expected_calls: 0
  - type: tool_argument_matches_input
    tool_name: search
    argument: query
    normalize: exact
  - type: skill_used
`;

/** Values by task, in the order of the names. */
function scoresOf(cwd: string, bundle: string): Record<string, unknown> {
  const rows = readFileSync(join(cwd, bundle, "scores.jsonl"), "utf8")
    .trimEnd()
    .split("\n");
  const values: Record<string, Record<string, unknown>> = {};
  for (const row of rows) {
    const { task_id: task, status, outputs } = JSON.parse(row);
    expect(status).toBe("completed");
    for (const { name, value } of outputs) values[task] = { ...values[task], [name]: value };
  }
  return values;
}

it("steps that an agent tells are scored in a run, and again from its bundle by a suite in YAML", async () => {
  const cwd = folder({ "s.eval.ts": suite, "s.yaml": yaml });

  const run = await assay(["run", "s.eval.ts", "--out", "o", "--quiet"], { cwd });
  const again = await assay(["run", "s.yaml", "--out", "again", "--json"], { cwd });
  const schema = await assay(["schema", "tool_call_count"], { cwd });

  expect(run).toMatchObject({ exitCode: 0 });
  const present = { skill_present: true };
  expect(scoresOf(cwd, "o")).toStrictEqual({
    finds: {
      ...present,
      skill_used: true,
      tool_call_count: 1,
      tool_call_count_matches: true,
      tool_argument_matches_input: true,
    },
    edits: {
      ...present,
      skill_used: false,
      tool_call_count: 2,
      tool_call_count_matches: false,
      tool_argument_matches_input: false,
    },
    silent: {
      ...present,
      skill_used: false,
      tool_call_count: 0,
      tool_call_count_matches: false,
      tool_argument_matches_input: false,
    },
    // It threw, so nothing but its steps is known of it.
    dies: {
      skill_present: false,
      skill_used: false,
      tool_call_count: 1,
      tool_call_count_matches: true,
      tool_argument_matches_input: true,
    },
  });
  expect(again.exitCode, again.stdout).toBe(0);
  expect(scoresOf(cwd, "again")).toMatchObject({
    finds: {
      tool_call_count: 1,
      tool_call_count_matches: false,
      tool_argument_matches_input: true,
    },
    silent: { tool_call_count: 0, tool_call_count_matches: true, skill_used: false },
  });
  const trials = readFileSync(join(cwd, "o/trials.jsonl"), "utf8").trimEnd().split("\n");
  const finds = trials.map((row) => JSON.parse(row)).find(({ task_id: task }) => task === "finds");
  const { kind, format, ref } = finds.evidence.descriptors.trace;
  expect([kind, format]).toStrictEqual(["trace", "atif"]);
  expect(JSON.parse(readFileSync(join(cwd, "o", ref), "utf8"))).toMatchObject({
    final_metrics: { total_prompt_tokens: 12, total_completion_tokens: 3, total_steps: 2 },
  });
  expect(JSON.parse(schema.stdout)).toMatchObject({
    properties: { tool_name: { type: "string" }, expected_calls: { default: 1 } },
  });
}, 120_000);
