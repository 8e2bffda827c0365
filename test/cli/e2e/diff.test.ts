import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

import { foreignBundle } from "../../bundle/foreign-bundle.ts";
import { reseal } from "../../support/reseal.ts";
import { repoRoot } from "../../support/tools.ts";
import { assay, folder, suiteText } from "./assay-process.ts";

/** Says yes to most; what it does not know, and how long it takes, are parameters of the suite. */
const suite = `
import { defineSuite } from "assay";
import { exactMatch } from "assay/metrics";
import { callable } from "assay/runners";

export default defineSuite(({ unknown }) => ({
  name: "checkout",
  tasks: ["add", "pay", "refund"].map((id) => ({ id, intent: "says yes", inputs: { instruction: id } })),
  metrics: [exactMatch({ reference: "yes" })],
  target: callable({
    name: "clerk",
    timeoutS: 10,
    agent: ({ inputs }) => (inputs.instruction === unknown ? "no" : "yes"),
  }),
  trials: 2,
}));
`;

const withoutChance = (text: string) =>
  text
    .replace(/agent-eval-\d{14}-[0-9a-f]{8}/g, "<run id>")
    .replace(/sha256:[0-9a-f]{64}/g, "<digest>");

async function twoRuns(): Promise<string> {
  const cwd = folder({ "checkout.eval.ts": suite });
  const run = ["run", "checkout.eval.ts", "--quiet"];
  await assay([...run, "-P", "unknown=pay", "--out", "before"], { cwd });
  const more = ["-P", "unknown=refund", "--set", "target.timeout_s=20"];
  await assay([...run, ...more, "--out", "after"], { cwd });
  return cwd;
}

// Each test starts the command several times, each loading a suite.
describe("assay diff", { timeout: 60_000 }, () => {
  it("prints what its page shows", async () => {
    const cwd = await twoRuns();
    const page = readFileSync(join(repoRoot, "docs/diff.md"), "utf8");
    const example = /```text\n\$ assay diff before after\n([\s\S]*?)```/.exec(page)?.[1] ?? "";

    const { exitCode, stdout } = await assay(["diff", "before", "after"], { cwd });

    expect(withoutChance(stdout)).toBe(withoutChance(example));
    expect(exitCode).toBe(0);
  });

  it("with --json gives one document, and says first whether the settings are the same", async () => {
    const cwd = await twoRuns();

    const { exitCode, stdout } = await assay(["diff", "before", "after", "--json"], { cwd });
    const same = await assay(["diff", "before", "before"], { cwd });

    const document = JSON.parse(stdout);
    expect(Object.keys(document)[0]).toBe("settings");
    expect(document).toMatchObject({
      settings: "different",
      options: [
        { name: "timeout_s", a: { value: 10, origin: "suite" }, b: { value: 20, origin: "flag" } },
      ],
      scores: [
        {
          changed: [
            { task_id: "pay", change: 1 },
            { task_id: "refund", change: -1 },
          ],
        },
      ],
    });
    expect(exitCode).toBe(0);
    expect(same.stdout.split("\n")[0]).toBe("same settings");
    expect(same.stdout).toContain("\nA and B are the same bundle\n");
  });

  it("shows hostile text of either bundle written out, in 80 columns", async () => {
    const ids = ["\u001b[2J\n\u202eevil", `long-${"x".repeat(200)}`, "漢".repeat(60)];
    const cwd = folder({
      "a.eval.ts": suiteText({ ids }),
      "b.eval.ts": suiteText({
        ids,
        agent: `() => "no"`,
        more: `labels: { "\\u001b]0;t\\u0007": "\\u009b1m" },`,
      }),
    });
    for (const name of ["a", "b"]) await assay(["run", `${name}.eval.ts`, "--out", name], { cwd });
    const file = join(cwd, "b/run.json");
    const manifest = readFileSync(file, "utf8").replace(/agent-eval-[\w-]+/, "run\\u001b[31m");
    writeFileSync(file, manifest);
    const statement = join(cwd, "b/provenance.json");
    writeFileSync(
      statement,
      readFileSync(statement, "utf8").replace(
        /"id": "agent-eval-[\w-]+"/,
        '"id": "run\\u001b[31m"',
      ),
    );
    reseal(join(cwd, "b"));

    const { exitCode, stdout } = await assay(["diff", "a", "b"], { cwd });

    expect(exitCode).toBe(0);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
    expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
    expect(stdout).toContain("\\x1b[2J\\n\\u202eevil");
    expect(stdout).toContain("run run\\x1b[31m");
    const widths = stdout.split("\n").map((line) => line.replace(/[\u3000-\u9fff]/g, "..").length);
    expect(Math.max(...widths)).toBeLessThanOrEqual(80);
  });

  it.each([
    {
      of: "an altered bundle",
      spoil: (dir: string) => appendFileSync(join(dir, "scores.jsonl"), "\n"),
      code: 5,
    },
    {
      of: "a bundle that is not there",
      spoil: (dir: string) => writeFileSync(join(dir, "../o"), ""),
      code: 2,
    },
  ])("of $of shows nothing else, and ends with $code", async ({ spoil, code }) => {
    const cwd = folder({ "s.eval.ts": suiteText({}) });
    await assay(["run", "s.eval.ts", "--out", "b"], { cwd });
    spoil(join(cwd, "b"));
    const first = code === 2 ? "o" : "b";

    for (const args of [
      ["diff", first, "b"],
      ["diff", "b", first],
      ["diff", first, "b", "--json"],
    ]) {
      const { exitCode, stdout, stderr } = await assay(args, { cwd });

      expect(exitCode).toBe(code);
      if (args.includes("--json")) expect(JSON.parse(stdout).error.exit_code).toBe(code);
      else expect([stdout, stderr.startsWith("error:")]).toEqual(["", true]);
    }
  });

  it("says once that a bundle of another writer has no provenance", async () => {
    const cwd = await twoRuns();
    const foreign = foreignBundle();
    const note = "provenance: nothing but settings and labels is compared";

    const one = await assay(["diff", "before", foreign], { cwd });
    const both = await assay(["diff", foreign, foreign], { cwd });

    expect(one.stdout).toContain(
      `What the runs were made with (1 differs)\n  labels.mode: none -> "ci"\n  B has no ${note}\n`,
    );
    expect(both.stdout).toContain(`What the runs were made with\n  neither has ${note}\n`);
  });

  it("asks for two bundles", async () => {
    const { exitCode, stderr } = await assay(["diff", "one"], { cwd: folder({}) });

    expect(stderr).toContain("missing required argument 'b'");
    expect(exitCode).toBe(2);
  });
});
