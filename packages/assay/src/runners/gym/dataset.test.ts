import { describe, expect, it } from "vitest";

import { gymRow, gymTask, instructionOfRow } from "./dataset.ts";

const place = { dataset: "data/example.jsonl", rowNumber: 3 };
const row = {
  responses_create_params: { input: [{ role: "user", content: "2+2?" }] },
  expected_answer: "B",
};

// The rows of the specification (runners §7.b).
describe("a row of a dataset", () => {
  it("is a task with both halves of the row, and no more for the agent than its prompt", () => {
    expect(gymTask({ value: row, ...place })).toMatchObject({
      id: "05bf9963ecf90f9f55e117b151d874a08aa1ff91d2da3ce780585e4a5705bd67",
      intent: "Gym row from example.jsonl",
      inputs: { instruction: "2+2?", gym_row: row.responses_create_params },
      metadata: {
        gym_dataset_path: "data/example.jsonl",
        gym_row_extras: { expected_answer: "B" },
      },
    });
  });

  it("has an id by its content, whatever the order of keys and the indexes of Gym", () => {
    const { responses_create_params, expected_answer } = row;
    const same = {
      _ng_task_index: 4,
      _ng_rollout_index: 1,
      expected_answer,
      responses_create_params,
    };

    expect(gymTask({ value: same, ...place, rowNumber: 9 }).id).toBe(
      gymTask({ value: row, ...place }).id,
    );
    expect(gymTask({ value: { ...row, expected_answer: "C" }, ...place }).id).not.toBe(
      gymTask({ value: row, ...place }).id,
    );
  });

  it.each([{}, { responses_create_params: "x" }, { responses_create_params: null }, [], null, 3])(
    "is refused with its number when it is %j",
    (bad) => {
      expect(() => gymTask({ value: bad, ...place })).toThrow(
        "row 3 of data/example.jsonl has no 'responses_create_params' mapping",
      );
    },
  );

  it("without a prompt has no instruction: its environment makes one", () => {
    const { inputs } = gymTask({ value: { responses_create_params: { input: [] } }, ...place });

    expect(inputs).toStrictEqual({ gym_row: { input: [] } });
  });

  it.each<[string, Record<string, unknown>, string]>([
    ["a text", { input: "a" }, "a"],
    ["instructions before it", { instructions: "i", input: "a" }, "i\n\na"],
    ["messages", { input: [{ content: "a" }, { role: "user", content: "b" }] }, "a\nb"],
    [
      "parts",
      { input: [{ content: [{ type: "input_text", text: "a" }, { text: "b" }, { image: 1 }] }] },
      "a\nb",
    ],
    ["instructions alone", { instructions: "i" }, "i"],
    ["nothing", { instructions: null, input: 3 }, ""],
  ])("has its instruction from %s", (_case, params, instruction) => {
    expect(instructionOfRow(params)).toBe(instruction);
  });

  it("may hold half a character", () => {
    const value = { responses_create_params: { input: "\ud800" } };

    expect(gymTask({ value, ...place }).id).toMatch(/^[0-9a-f]{64}$/);
  });

  it("comes back from its task as it was", () => {
    expect(gymRow(gymTask({ value: row, ...place }))).toStrictEqual(row);
  });

  it.each([
    [{ inputs: {}, metadata: { gym_row_extras: {} } }, "inputs.gym_row"],
    [{ inputs: { gym_row: {} }, metadata: {} }, "metadata.gym_row_extras"],
  ])("does not come back from a task that lacks a half: %j", (task, half) => {
    expect(() => gymRow({ id: "t", ...task })).toThrow(
      `task "t" is no row of a Gym dataset: it has no object ${half}`,
    );
  });
});
