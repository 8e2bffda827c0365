import { beforeAll, describe, expect, it } from "vitest";

import { importerMap } from "../../../packages/assay/src/runners/importers.ts";
import { assay, type Ended, folder } from "./assay-process.ts";

describe("assay import --help", () => {
  let help: Ended;
  beforeAll(async () => {
    help = await assay(["import", "--help"], { cwd: "." });
  });

  it.each(Object.keys(importerMap))("says what the path may be of results of %s", (format) => {
    expect(help.stdout).toMatch(new RegExp(`^  ${format} +\\S.*$`, "m"));
  });
});

it("brings in trials that the tool could not produce, which is no failure of the import", async () => {
  const failed = [
    { type: "thread.started", thread_id: "1" },
    { type: "turn.started" },
    { type: "turn.failed", error: { message: "Missing environment variable: `KEY`." } },
  ];
  const cwd = folder({
    "logs/a.jsonl": failed.map((event) => `${JSON.stringify(event)}\n`).join(""),
  });

  const imported = await assay(["import", "codex", "logs", "--out", "bundle", "--json"], { cwd });
  const again = await assay(["import", "codex", "logs", "--out", "bundle"], { cwd });
  const slip = await assay(["import", "codx", "logs", "--out", "other"], { cwd });

  expect(imported).toMatchObject({ exitCode: 0, stderr: "" });
  expect(JSON.parse(imported.stdout)).toMatchObject({ status: "completed", exit_code: 0 });
  expect(again).toMatchObject({ exitCode: 2 });
  expect(slip.exitCode).toBe(2);
  expect(slip.stderr).toContain('did you mean "codex"');
});
