import { describe, expect, it } from "vitest";

import { provenanceTables } from "../../../packages/assay/src/cli/print/provenance-tables.ts";
import type { EvalResult } from "../../../packages/assay/src/entries/index.ts";

const metadata = {
  target: {
    name: "codex_cli",
    kind: "runner",
    version: "0.171.0",
    config: {
      config_overrides: { model: "m-1", "features.x": true },
      env: {},
      prompt_builder: "shop#a prompt of words that do not fit beside the name of their option",
      [`long_${"x".repeat(30)}`]: 1,
    },
  },
} as unknown as EvalResult["metadata"];

const hex = "0123456789abcdef".repeat(4);

const statement = (more: object = {}) => ({
  predicate: {
    run: { id: "r1", status_cause: null },
    runner: {
      config: {},
      origins: {
        config_overrides: "suite",
        "config_overrides.model": "flag",
        env: "default",
        prompt_builder: "environment",
      },
      roles: { config_overrides: "shapes", env: "shapes", prompt_builder: "operational" },
    },
    prompt: { unknown: "nobody says" },
    digests: { settings: `assay-settings-v1:sha256:${hex}`, content: null },
    labels: {},
    code_files: Array.from({ length: 30 }, (_item, index) => ({ path: `f${index}.ts` })),
    models: { served: ["a", "b"] },
    ...more,
  },
});

describe("the provenance as tables", () => {
  it("begins with each option, its value, where it came from, and its role", () => {
    expect(provenanceTables(metadata, statement(), 80).slice(0, 14)).toEqual([
      "target  codex_cli 0.171.0 (runner)",
      "",
      "option                    value                         origin      role",
      "-".repeat(80),
      'config_overrides          {"model":"m-1","features.x":  suite       shapes',
      "                          true}",
      "  .model                                                flag",
      "env                       {}                            default     shapes",
      'prompt_builder            "shop#a prompt of words that  environment operational',
      "                          do not fit beside the name",
      '                          of their option"',
      "long_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
      "                          1",
      "",
    ]);
  });

  it("has each section fact by fact: values, reasons, lists, whole digests", () => {
    const lines = provenanceTables(metadata, statement(), 80);

    expect(lines).toEqual(
      expect.arrayContaining([
        "run",
        "  id            r1",
        "  status_cause  null",
        "prompt  unknown: nobody says",
        "labels  none",
        "  settings  assay-settings-v1:sha256:",
        `      ${hex}`,
        "  [19].path  f19.ts",
        "             and 10 more: see --json",
        "  served  a b",
      ]),
    );
    expect(lines).not.toContain("runner");
    expect(lines.join("\n")).not.toContain("f20.ts");
  });

  it("parts no path or bare digest that a line can hold", () => {
    const program = `/opt/${"d".repeat(60)}/codex`;
    const tool = { "observed.program": program, lockfile_sha256_of_the_tool: hex };
    const lines = provenanceTables(metadata, statement({ tool }), 80);

    const start = lines.indexOf("tool");
    expect(lines.slice(start + 1, start + 5)).toEqual([
      "  observed.program",
      `      ${program}`,
      "  lockfile_sha256_of_the_tool",
      `      ${hex}`,
    ]);
  });

  it("has the sections in the order in which they are asked for, unknown ones last", () => {
    const sections = ["parents", "usage", "other", "digests", "run"];
    const lines = provenanceTables(
      metadata,
      { predicate: Object.fromEntries(sections.map((name) => [name, "x"])) },
      80,
    );

    expect(lines.filter((line) => line.endsWith("  x"))).toEqual(
      ["run", "digests", "usage", "parents", "other"].map((name) => `${name}  x`),
    );
  });

  it("says the environment of a start where it is not that of the last one", () => {
    const [assay, host, source] = [{ version: "1" }, { os: "linux" }, { commit: "c" }];
    const invocations = [
      { id: "a", environment: { assay, host: { os: "darwin" }, source } },
      { id: "b", environment: { assay, host, source } },
    ];
    const lines = provenanceTables(metadata, statement({ assay, host, source, invocations }), 80);

    expect(lines).toContain("  [0].environment.host.os     darwin");
    expect(lines).toContain("  [1].environment             see assay, host, source");
  });

  it("keeps within 80 columns, and shows control characters", () => {
    const parameters = { [`k${"e".repeat(100)}y`]: "v".repeat(500), "\u001b[2J": "\u0007" };
    const lines = provenanceTables(metadata, statement({ parameters }), 80);

    for (const line of lines) expect(line.length, line).toBeLessThanOrEqual(80);
    expect(lines.join("\n")).not.toMatch(/[^\P{Cc}\n]/u);
  });

  it("says of a bundle without a statement that no more is known", () => {
    const lines = provenanceTables(metadata, null, 80);

    expect(lines.at(-1)).toBe("There is no provenance.json: no more is known.");
    expect(lines).toContain("env                       {}");
  });
});
