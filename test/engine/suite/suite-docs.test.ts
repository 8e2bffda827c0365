import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadSuite } from "../../../packages/assay/src/engine/suite/load-suite.ts";
import { metricFromConfig } from "../../../packages/assay/src/metrics/map.ts";
import { runnerMap } from "../../../packages/assay/src/runners/map.ts";
import {
  suiteDefinitionSchema,
  suiteSpecSchema,
  taskSpecSchema,
} from "../../../packages/assay/src/schema/suite.ts";
import { toSnakeCase } from "../../../packages/assay/src/support/names.ts";
import { repoRoot } from "../../support/tools.ts";
import { loadRequest, suiteFolder } from "./suite-folder.ts";

const text = readFileSync(join(repoRoot, "docs/suites.md"), "utf8");
const example = (language: string) =>
  new RegExp(`\`\`\`${language}\n(.*?)\n\`\`\``, "s").exec(text)?.[1] ?? "";
const request = { ...loadRequest, runners: runnerMap, metricFromConfig };

describe("docs/suites.md", () => {
  it("names every key of a suite, in both spellings, and of a task", () => {
    const keys = [
      ...Object.keys(suiteDefinitionSchema.shape),
      ...Object.keys(suiteSpecSchema.shape).map(toSnakeCase),
      ...Object.keys(taskSpecSchema.shape),
    ];

    expect(keys.filter((key) => !text.includes(`\`${key}\``))).toEqual([]);
  });

  it.each([
    ["ts", "checkout.eval.ts"],
    ["yaml", "checkout.yaml"],
  ])("has an example in %s that loads", async (language, name) => {
    const suite = await loadSuite(join(suiteFolder({ [name]: example(language) }), name), request);

    expect(suite).toMatchObject({
      name: "checkout",
      trialsPerTask: 3,
      labels: { team: "checkout" },
      tasks: [{ id: "sum-1", reference: { answer: "5" } }],
    });
  });
});
