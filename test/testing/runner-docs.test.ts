import { readFileSync } from "node:fs";
import { join } from "node:path";
import { runnerMap } from "assay/runners";
import { describe, expect, it } from "vitest";

import { trialErrorTypes } from "../../packages/assay/src/schema/trial.ts";
import { repoRoot } from "../support/tools.ts";

const read = (path: string) => readFileSync(join(repoRoot, path), "utf8");
const text = read("docs/runners.md");
const blocks = [...text.matchAll(/<!-- from (\S+)#(\S+) -->\n```ts\n([\s\S]*?)\n```/g)];

describe("docs/runners.md", () => {
  it.each(blocks.map(([, path = "", region = "", code = ""]) => ({ path, region, code })))(
    "shows $region of $path, which is compiled and tested, as it is",
    ({ path, region, code }) => {
      const source = read(path);
      const start = `//#region ${region}\n`;
      const end = `//#endregion ${region}`;

      expect(code).toBe(
        source.slice(source.indexOf(start) + start.length, source.indexOf(end)).trim(),
      );
    },
  );

  it("shows no code that is not taken from such a file", () => {
    expect(blocks.length).toBeGreaterThan(2);
    expect(text.match(/^```ts$/gm)).toHaveLength(blocks.length);
  });

  it.each(Object.keys(runnerMap))("lists %s with a link to its README", (name) => {
    const [, link = ""] =
      new RegExp(`^\\| \\[\`${name}\`\\]\\(\\.\\./([^)]+)\\)`, "m").exec(text) ?? [];

    expect(read(link)).toMatch(new RegExp(`^# \`${name}\``));
  });

  it("lists every type of error that a trial can have", () => {
    const [, list = ""] = /closed list: (.*)\.$/m.exec(text) ?? [];

    expect(list.split(", ").map((type) => type.replaceAll("`", ""))).toStrictEqual([
      ...trialErrorTypes,
    ]);
  });
});
