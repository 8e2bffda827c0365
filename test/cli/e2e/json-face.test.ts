import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

import { assay, folder, suiteText } from "./assay-process.ts";

/** Marks that reorder, hide or end what a terminal shows: an override, an isolate, a line separator, a tag, C1, DEL. */
const marks = "\u202e\u2066\u2028\u200b\ufeff\u{e0041}\u009b\u007f";
const line = `lost ${marks}exe.gpj`;

const suite = suiteText({
  ids: [`t${marks}`],
  agent: `async () => { throw new Error(${JSON.stringify(line)}); }`,
  more: `labels: { team: ${JSON.stringify(line)} },`,
});
const events = [
  { type: "thread.started", thread_id: "1" },
  { type: "turn.started" },
  { type: "turn.failed", error: { message: line } },
];

/** Each command that has `--json`; what it tells with the marks in it, escaped or not, where it tells any. */
const commands: readonly (readonly [words: readonly string[], told: boolean])[] = [
  [["run", "s.eval.ts", "--dry-run"], true],
  [["run", "s.eval.ts", "--out", "a", "--quiet"], true],
  [["rescore", "a", "--suite", "s.eval.ts", "--out", "b", "--quiet"], true],
  [["import", "codex", "logs", "--out", "c", "--quiet", "--label", `team=${line}`], true],
  [["show", "a"], true],
  [["verify", "torn"], true],
  [["diff", "a", "c"], true],
  [["show", `no${marks}`], true],
  [["clean", "--dry-run"], false],
  [["doctor"], false],
  [["runners"], false],
  [["schema"], false],
];

it("sends no mark to the terminal that reorders or hides text, in the JSON of any command", {
  timeout: 120_000,
}, async () => {
  const cwd = folder({
    "s.eval.ts": suite,
    [`logs/a${marks}.jsonl`]: events.map((event) => `${JSON.stringify(event)}\n`).join(""),
  });
  for (const [words, tells] of commands) {
    if (words[1] === "torn") tear(cwd);
    const { stdout } = await assay([...words, "--json"], { cwd });

    const document: unknown = JSON.parse(stdout);
    expect(stdout, words.join(" ")).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}\p{Zl}]/u);
    if (tells) expect(JSON.stringify(document), words.join(" ")).toMatch(/\u202e|\\\\u202e/);
  }
});

/** A copy of the first bundle's records with a file that is none of it. */
function tear(cwd: string): void {
  mkdirSync(join(cwd, "torn"));
  for (const name of ["run.json", "provenance.json", "plan.json"])
    writeFileSync(join(cwd, "torn", name), readFileSync(join(cwd, "a", name)));
  writeFileSync(join(cwd, "torn", `x${marks}`), "");
}
