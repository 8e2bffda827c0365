import fc from "fast-check";
import { expect, it } from "vitest";

import { RowBlocks } from "../../packages/assay/src/bundle/row-blocks.ts";

const rows = fc.array(
  fc.oneof(
    fc.string({ unit: "grapheme", maxLength: 200 }),
    fc.nat({ max: 40_000 }).map((length) => "é".repeat(length)),
    fc.constant("x".repeat(2 * 1024 * 1024)),
  ),
  { maxLength: 12 },
);

it("gives the bytes of the rows since it was cleared in their order, each block ending where a row ends", () => {
  fc.assert(
    fc.property(rows, rows, (earlier, rows) => {
      const blocks = new RowBlocks();
      blocks.add(earlier);
      blocks.clear();

      const sizes = rows.map((row) => blocks.add([row]));

      expect(sizes).toEqual(rows.map((row) => row.length + 1));
      const whole = Buffer.concat(blocks.blocks).equals(
        Buffer.from(rows.map((row) => `${row}\n`).join("")),
      );
      expect(whole).toBe(true);
      expect(blocks.blocks.every((block) => block.at(-1) === 0x0a)).toBe(true);
    }),
    { numRuns: 60 },
  );
});
