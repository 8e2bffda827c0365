import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type RunnerEntry, runnerMap } from "assay/runners";
import { describe, expect, it } from "vitest";

import { toSnakeCase } from "../../packages/assay/src/support/names.ts";
import { repoRoot } from "../support/tools.ts";

const root = join(repoRoot, "packages/assay/src/runners");
const mapText = readFileSync(join(root, "map.ts"), "utf8");
const folders = new Map(
  [...mapText.matchAll(/^ {2}(\w+): async[^"]*import\("\.\/([a-z-]+)\/runner\.ts"\)/gm)].map(
    ([, name = "", folder = ""]) => [name, folder],
  ),
);

describe("the runner map", () => {
  it("has an entry for every folder of a runner, and a folder for every entry", () => {
    const found = readdirSync(root, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && entry.name !== "define")
      .map(({ name }) => name);

    expect([...folders.keys()].sort()).toStrictEqual(Object.keys(runnerMap).sort());
    expect([...folders.values()].sort()).toStrictEqual(found.sort());
  });
});

describe.each(Object.entries(runnerMap))("the runner %s", (name, load) => {
  const folder = join(root, folders.get(name) ?? "");
  const definition = async (): Promise<RunnerEntry["definition"]> => (await load()).definition;

  it("has the name under which it is found", async () => {
    expect((await definition()).name).toBe(name);
    expect(name).toMatch(/^[a-z][a-z0-9_]*$/);
  });

  it("has the files that every runner has, and those that a tool asks for", async () => {
    const always = ["index.ts", "options.ts", "outcome.ts", "runner.ts", "README.md"];
    const forTools = ["prerequisites.ts", "invocation.ts"];
    const { needs } = await definition();

    const wanted = needs.length > 0 ? [...always, ...forTools] : always;

    expect(wanted.filter((file) => !existsSync(join(folder, file)))).toStrictEqual([]);
  });

  it("is put through the conformance kit by a test of its folder, or of that beside the tests of its tool", () => {
    const beside = join(repoRoot, "test/runners", folders.get(name) ?? "");
    const tests = [folder, beside]
      .filter((place) => existsSync(place))
      .flatMap((place) => readdirSync(place).map((file) => join(place, file)))
      .filter((file) => file.endsWith(".test.ts"));

    const callers = tests.filter((file) =>
      readFileSync(file, "utf8").includes("runnerConformance("),
    );

    expect(callers).not.toEqual([]);
  });

  it("tells in its README what is run, what is recorded, how trials end, and what it cannot do", () => {
    const text = readFileSync(join(folder, "README.md"), "utf8");

    for (const part of [
      `# \`${name}\``,
      "**What is run**",
      "**What is recorded**",
      "**Status**",
      "**Known gaps**",
    ]) {
      expect(text).toContain(part);
    }
  });

  it("names every option in its README, describes it, and says of operational ones why they change nothing", async () => {
    const { options, description } = await definition();
    const text = readFileSync(join(folder, "README.md"), "utf8");

    expect(description).toMatch(/^[A-Z].*\.$/);
    for (const [option, { schema, role, why }] of Object.entries(options)) {
      expect(text).toContain(`\`${toSnakeCase(option)}\``);
      expect(schema.description ?? "", option).not.toBe("");
      if (role === "operational") expect(why, option).toMatch(/\w+ \w+/);
    }
  });
});
