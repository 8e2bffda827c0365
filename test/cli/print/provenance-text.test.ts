import { describe, expect, it } from "vitest";

import {
  bundleEndingLines,
  endingLines,
  provenanceLines,
} from "../../../packages/assay/src/cli/print/provenance-text.ts";
import type { Bundle, EvalResult } from "../../../packages/assay/src/entries/index.ts";

const hex = (digit: string) => digit.repeat(64);
const digest = (name: string, digit: string) => `assay-${name}-v1:sha256:${hex(digit)}`;

const metadata: EvalResult["metadata"] = {
  labels: { team: "x", stage: "one" },
  target: {
    name: "codex_cli",
    kind: "runner",
    version: "0.171.0",
    config: { model: "m-1", sandbox: "workspace-write", timeout_s: 15, env: {} },
  },
  startedAt: "2026-12-01T23:02:32.614000Z",
  finishedAt: "2026-12-01T23:03:01.651000Z",
  durationSec: 29.04,
  sdkVersion: "0.1.0",
};

const predicate = {
  run: { id: "run-1", suite_name: "shop" },
  runner: { origins: { model: "flag", sandbox: "default", timeout_s: "suite", env: "default" } },
  digests: {
    settings: digest("settings", "1"),
    resolved: digest("resolved", "2"),
    plan: digest("plan", "3"),
    tasks: digest("tasks", "4"),
    code: { unknown: "the target is not code" },
  },
  source: { commit: "c".repeat(40), is_dirty: true },
  host: { os: "linux", architecture: "x64", node_version: "20.20.2" },
  tasks: { count: 7, trials_per_task: 1 },
  invocations: [{ command: ["assay", "run", "shop.eval.ts"] }],
  usage: {
    attempts: 16,
    prompt_tokens: 4000,
    completion_tokens: 50,
    cost_usd: { unknown: "no attempt reported it" },
  },
  redactions: { secret: 2, key_rule: 1 },
  parents: [] as object[],
};

const linesFor = (changes: object = {}, { width = 80, more = {} } = {}) =>
  provenanceLines({ ...metadata, ...more }, { predicate: { ...predicate, ...changes } }, width);

describe("what made a result, as text", () => {
  it("has target, options with their origins, usage, place and whole digests", () => {
    expect(linesFor()).toEqual([
      "suite     shop: 7 tasks, 1 trial each",
      "run       run-1",
      "target    codex_cli 0.171.0 (runner)",
      "model     m-1 (requested)",
      'options   model = "m-1" (flag)',
      "          timeout_s = 15 (suite)",
      'defaults  sandbox = "workspace-write", env = {}',
      "labels    team=x stage=one",
      "command   assay run shop.eval.ts",
      "started   2026-12-01T23:02:32.614000Z, took 29.0 s",
      "usage     16 attempts, prompt tokens 4000, completion tokens 50",
      "cost      unknown: no attempt reported it",
      "assay     0.1.0, Node 20.20.2, linux x64",
      `git       ${"c".repeat(40)}, with uncommitted changes`,
      "redacted  secret 2, key_rule 1",
      "digests   each begins with assay-<name>-v1:sha256:",
      `settings  ${hex("1")}`,
      `resolved  ${hex("2")}`,
      `plan      ${hex("3")}`,
      `tasks     ${hex("4")}`,
      "code      unknown: the target is not code",
    ]);
  });

  it("says once why no tokens are known, and costs in US dollars", () => {
    const unknown = { unknown: "no attempt reported it" };
    const usage = {
      attempts: 1,
      prompt_tokens: unknown,
      completion_tokens: unknown,
      cost_usd: 0.5,
    };

    expect(linesFor({ usage })).toEqual(
      expect.arrayContaining([
        "usage     1 attempt, tokens unknown: no attempt reported it",
        "cost      0.5000 USD",
      ]),
    );
  });

  it("says where its trials come from, step by step", () => {
    const steps = ["its trials were scored again from run second", "those of run second \u001b[2J"];
    const lines = provenanceLines(metadata, { predicate }, 80, steps);
    const index = lines.indexOf("lineage   its trials were scored again from run second");

    expect(lines[index + 1]).toBe("          those of run second \\x1b[2J");
  });

  it("names the starts that it went on with, with their digests", () => {
    const bundleDigest = `sha256:${hex("a")}`;
    const parent = { relation: "resumed", run_id: "run-0", bundle_digest: bundleDigest };
    const lines = linesFor({ parents: [parent] });

    expect(lines[lines.indexOf("resumed   from run-0") + 1]).toBe(`  ${bundleDigest}`);
  });

  it("says at which start of the run the command was given", () => {
    const invocations = [{ command: ["assay", "run"] }, { command: ["assay", "run", "--resume"] }];

    expect(linesFor({ invocations })).toContain(
      "command   assay run --resume (start 2 of the run)",
    );
  });

  it("writes a digest of another form whole, below its name", () => {
    const lines = linesFor({
      digests: { settings: `other-settings-v2:sha512:${hex("1")}${hex("2")}` },
    });

    expect(lines.slice(-2)).toEqual([
      "settings",
      `other-settings-v2:sha512:${hex("1")}${hex("2")}`,
    ]);
  });

  it("leaves out a digest of nothing, and has one that it does not know last", () => {
    const digests = { extra: digest("extra", "9"), content: null, plan: digest("plan", "3") };

    expect(linesFor({ digests }).slice(-2)).toEqual([
      `plan      ${hex("3")}`,
      `extra     ${hex("9")}`,
    ]);
  });

  it("parts long options at their commas, and keeps within the width", () => {
    const config = {
      overrides: { first: "x".repeat(40), second: ["y".repeat(30), "日".repeat(60)] },
    };
    const lines = linesFor(
      {},
      { more: { target: { ...metadata.target, config }, labels: { note: "z".repeat(200) } } },
    );

    expect(lines).toContain(`            "second": [ "${"y".repeat(30)}",`);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(80);
  });

  it("cuts a value that would fill the screen", () => {
    const config = { prompt: "x".repeat(100_000) };

    expect(linesFor({}, { more: { target: { ...metadata.target, config } } }).length).toBeLessThan(
      40,
    );
  });

  it("of trials that were scored again shows what was evaluated, from the nearest that says so", () => {
    const target = { name: "imported", kind: "imported", version: null, config: {} } as const;
    const parents = [
      { relation: "rescored", run_id: "second", target },
      { relation: "rescored", run_id: "first", target: metadata.target, tasks_left_out: 2 },
    ];

    const lines = linesFor({ parents, runner: {} }, { more: { target }, width: 100 });

    expect(lines.slice(2, 6)).toEqual([
      "target    codex_cli 0.171.0 (runner); its trials were scored again",
      "model     m-1 (requested)",
      'options   model = "m-1"',
      '          sandbox = "workspace-write"',
    ]);
    expect(linesFor({}, { more: { target } })).toContain("target    imported (imported)");
  });

  it("says which option names the model, whence, and what answered", () => {
    const set_by = { option: "config_overrides.model", origin: "flag" };
    const models = { requested: "m-2", set_by, served: ["m-2-2026"] };
    const silent = { ...models, set_by: { unknown: "x" }, served: { unknown: "x" } };

    expect(linesFor({ models }, { width: 100 })[3]).toBe(
      "model     m-2 (requested: config_overrides.model, flag); served by m-2-2026",
    );
    expect(linesFor({ models: silent })[3]).toBe("model     m-2 (requested)");
  });

  it("says of an option that was set in part where the part came from", () => {
    const runner = { origins: { ...predicate.runner.origins, "env.A": "flag" } };

    expect(linesFor({ runner })).toContain("          env = {} (default, A: flag)");
  });

  it("of a bundle of another writer says what metadata holds", () => {
    expect(provenanceLines({ ...metadata, sdkVersion: null }, null, 80)).toEqual([
      "target    codex_cli 0.171.0 (runner)",
      "model     m-1 (requested)",
      'options   model = "m-1"',
      '          sandbox = "workspace-write"',
      "          timeout_s = 15",
      "          env = {}",
      "labels    team=x stage=one",
      "started   2026-12-01T23:02:32.614000Z, took 29.0 s",
      "assay     unknown",
      "digests   no provenance.json",
    ]);
  });

  it("shows control characters", () => {
    const lines = linesFor(
      { run: { id: "r\u001b[2J", suite_name: "s\n" } },
      {
        more: { labels: { "a\u0007": "b\u202e" } },
      },
    );

    expect(lines.join("\n")).not.toMatch(/[^\P{Cc}\n]|\u202e/u);
  });
});

describe("how a run ended", () => {
  const result = {
    status: "incomplete",
    statusCause: "a limit was reached",
    workDir: "/runs/one",
    bundleDigest: `sha256:${hex("b")}`,
  } as EvalResult;

  it("has status, cause and place, and the digest last", () => {
    expect(endingLines(result, { cwd: "/runs", width: 80 })).toEqual([
      "status    incomplete: a limit was reached",
      "bundle    one",
      `sha256:${hex("b")}`,
    ]);
  });

  it.each([
    ["/", "runs/one"],
    ["/runs/one", "."],
    ["/elsewhere", "/runs/one"],
  ])("names the bundle from %s as %s", (cwd, shown) => {
    expect(endingLines(result, { cwd, width: 80 })).toContain(`bundle    ${shown}`);
  });

  it("never parts a path", () => {
    const workDir = `/runs/${"long folder/".repeat(10)}`;

    expect(endingLines({ ...result, workDir }, { cwd: "/x", width: 80 }).slice(1, 3)).toEqual([
      "bundle",
      workDir,
    ]);
  });

  it("says when there are no digests", () => {
    expect(endingLines({ ...result, bundleDigest: "" }, { cwd: "/", width: 80 }).at(-1)).toBe(
      "no digests: not verified",
    );
  });

  it.each([
    [null, "verified  the records are as they were sealed; evidence not verified"],
    ["the run has not ended", "verified  nothing: the run has not ended"],
  ])("says of a bundle that was read what was verified: %j", (unsealedBecause, line) => {
    const bundle = { ...result, unsealedBecause, gaps: [] as readonly string[] } as Bundle;

    const lines = bundleEndingLines(bundle, { cwd: "/", width: 80 });

    expect(lines.slice(-2)).toEqual([line, result.bundleDigest]);
  });
});
