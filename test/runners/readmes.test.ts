import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { loadSuite } from "assay";
import { expect, it } from "vitest";

import { suiteFolder } from "../engine/suite/suite-folder.ts";
import { repoRoot } from "../support/tools.ts";

const place = "packages/assay/src/runners";
const readmes = readdirSync(join(repoRoot, place), { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith("README.md"))
  .map((file) => ({ file, text: readFileSync(join(repoRoot, place, file), "utf8") }));
const suites = readmes.flatMap(({ file, text }) =>
  [...text.matchAll(/^```yaml\n([\s\S]*?)^```$/gm)].map(([, yaml = ""]) => ({ file, yaml })),
);

/** What the suites name, as they name it. */
const named = {
  "data/example.jsonl": `{"responses_create_params":{"input":[{"role":"user","content":"hi"}]}}\n`,
  "datasets/terminal/hello/task.toml": `version = "1.0"\n[task]\nname = "acme/hello"\n`,
  "datasets/terminal/hello/instruction.md": "Say hello.\n",
};

it.each(suites)("the suite that $file shows is one", async ({ yaml }) => {
  const root = suiteFolder({ ...named, "suite.yaml": `name: shown\n${yaml}` });

  const suite = await loadSuite(join(root, "suite.yaml"));

  expect(suite.target).not.toBeNull();
});

it("harnesses that others made are shown by a suite each", () => {
  const shown = suites.map(({ file }) => file.replace("/README.md", ""));

  expect(shown).toEqual(expect.arrayContaining(["fabric", "fabric-container", "gym", "harbor"]));
});
