import fc from "fast-check";
import { expect, it } from "vitest";

import { createInterner } from "../../../packages/assay/src/engine/summarise/columns.ts";
import { createRowTable } from "../../../packages/assay/src/engine/summarise/row-table.ts";

const tasks = ["t", "t:1", "häßlich", ""];
const ends = fc.oneof(
  fc.nat(9000).map(String),
  fc.string({ maxLength: 3 }),
  fc.constant("x".repeat(80)),
);
const row = fc.record({
  task: fc.nat(tasks.length - 1),
  id: fc.oneof(
    fc.tuple(fc.constantFrom(...tasks), ends).map((parts) => parts.join("")),
    ends,
  ),
});

/** More ends than are kept apart from their ids. */
const many = Array.from({ length: 5000 }, (_, index) => ({ task: 0, id: `t:${index}` }));

it("trial ids come back as they were, of whatever form and however many, and tell which rows are of one trial", () => {
  fc.assert(
    fc.property(fc.array(row), fc.array(row), fc.boolean(), (before, after, isLong) => {
      const rows = [...before, ...(isLong ? many : []), ...after, ...before];
      const taskIds = createInterner();
      for (const task of tasks) taskIds.indexOf(task);
      const table = createRowTable(taskIds);

      for (const { task, id } of rows) table.push(task, id, 0);

      expect(rows.map((_row, index) => table.trialIdAt(index))).toEqual(rows.map(({ id }) => id));
      for (let index = 1; index < rows.length; index += 1) {
        const [one, other] = [rows[index - 1], rows[index]];
        if (one?.task !== other?.task) continue;
        expect(table.isSameTrial(index - 1, index)).toBe(one?.id === other?.id);
      }
    }),
    { numRuns: 60 },
  );
});
