import { expect, it } from "vitest";

import { readRows } from "../../../packages/assay/src/engine/suite/read-rows.ts";
import { nodeFileStore } from "../../../packages/assay/src/platform/files/node-file-store.ts";
import { suiteFolder } from "./suite-folder.ts";

it("a line over the limit is a problem with its number, after the rows before it", async () => {
  const baseDir = suiteFolder({
    "t.jsonl": `{"a":1}\n\n{"b":"${"é".repeat(300_000)}"}\n{"c":1}\n`,
  });
  const rows = [];
  const source = { jsonl: "t.jsonl", baseDir, files: nodeFileStore, maxLineBytes: 1024 };
  for await (const row of readRows(source)) rows.push(row);

  expect(rows).toMatchObject([
    { place: "t.jsonl:1", value: { a: 1 } },
    {
      place: "t.jsonl:3",
      problem: {
        code: "ASSAY_SUITE_INVALID",
        message: "t.jsonl:3: the line is longer than 1024 bytes",
      },
    },
  ]);
});
