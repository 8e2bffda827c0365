import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

import { parseToml } from "../../../packages/assay/src/runners/harbor/toml.ts";
import { sharedFixtures } from "../../support/tools.ts";

const read = (text: string) => parseToml(text, "task.toml");

describe("a TOML document", () => {
  it.each<[string, unknown]>([
    ["", {}],
    ['[t]\nx = 1\n[t.u]\n"y z" = "é"\n', { t: { x: 1, u: { "y z": "é" } } }],
    ["a = 99999999999999999999", { a: 99999999999999999999n }],
    ["__proto__ = 1", JSON.parse('{"__proto__": 1}')],
  ])("%j gives its data", (text, data) => {
    expect(read(text)).toEqual(data);
  });

  it("cannot change what other objects inherit", () => {
    read("[t.__proto__]\nx = 1\n[constructor.prototype]\nx = 1");

    expect(({} as Record<string, unknown>)["x"]).toBe(undefined);
  });

  it.each<[string, number, string]>([
    ["a = ", 1, "invalid value"],
    ["x = 1\na = 1\na = 2", 3, "redefine"],
    [`a = ${"[".repeat(500)}${"]".repeat(500)}`, 1, "excessively nested"],
  ])("%j is refused at line %i: %s", (text, line, problem) => {
    expect(() => read(text)).toThrow(problem);
    expect(() => read(text)).toThrow(`task.toml, line ${line}: `);
  });

  it("that a benchmark really has is read whole", () => {
    const text = readFileSync(sharedFixtures("harbor/calculator.task.toml"), "utf8");

    expect(read(text)).toMatchObject({
      schema_version: "1.3",
      task: {
        name: "nvidia/fabric-calculator",
        authors: [{ name: "NVIDIA NeMo Fabric" }],
        keywords: ["agents", "calculator", "coding", "fabric", "harbor"],
      },
      agent: { timeout_sec: 900 },
      environment: { network_mode: "public", cpus: 2, gpus: 0 },
    });
  });
});
