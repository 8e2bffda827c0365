import { spawnSync } from "node:child_process";
import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { repoRoot } from "../support/tools.ts";
import { linkModules, makeTree, type Tree } from "../support/trees.ts";

const bans: readonly (readonly [ban: string, code: string, message: string])[] = [
  ["the console", "console.log(1);", "noConsole"],
  ["process.env", 'export const a = process.env["A"];', "noProcessEnv"],
  ["process.env by destructuring", "const { env } = process; export const a = env;", "plugin"],
  [
    "process.env through an import",
    'import { env } from "node:process"; export const a = env;',
    "noRestrictedImports",
  ],
  ["Date.now", "export const a = Date.now();", "plugin"],
  ["the current Date", "export const a = new Date();", "plugin"],
  ["Math.random", "export const a = Math.random();", "plugin"],
  ["JSON.parse", 'export const a: unknown = JSON.parse("1");', "plugin"],
  ["JSON.parse as a value", "export const a = JSON.parse;", "plugin"],
  [
    "files",
    'import { readFileSync } from "node:fs"; export const a = readFileSync;',
    "noRestrictedImports",
  ],
  [
    "files by a late import",
    'export const a = () => import("node:fs/promises");',
    "noRestrictedImports",
  ],
  [
    "child processes",
    'import { spawn } from "node:child_process"; export const a = spawn;',
    "noRestrictedImports",
  ],
  [
    "floating promises",
    "async function f() { await 0; } export function g() { f(); }",
    "noFloatingPromises",
  ],
  ["non-null assertions", "export const a = (x: string[]) => x[0]!;", "noNonNullAssertion"],
  ["default exports", "export default 1;", "noDefaultExport"],
  ["any", "export const a: any = 1;", "noExplicitAny"],
  ["export *", 'export * from "./case-0.ts";', "noReExportAll"],
];

let tree: Tree | undefined;
let reported = new Map<string, string[]>();

beforeAll(() => {
  const sources = bans.map(([, code], index) => [
    `packages/assay/src/engine/case-${index}.ts`,
    `${code}\n`,
  ]);
  tree = makeTree({
    "biome.json": readFileSync(join(repoRoot, "biome.json"), "utf8"),
    "packages/assay/src/support/json.ts": 'export const a: unknown = JSON.parse("1");\n',
    "packages/assay/src/platform/clock.ts":
      'import { readFileSync } from "node:fs";\n\nexport const a = [readFileSync, process.env, Date.now(), Math.random()];\n',
    "packages/assay/src/cli/main.ts": 'console.log(process.env["A"]);\n',
    "packages/assay/src/engine/case.test.ts":
      'export const a = [JSON.parse("1"), Date.now(), process.env];\n',
    ...Object.fromEntries(sources),
  });
  linkModules(tree);
  cpSync(join(repoRoot, "scripts/lint"), join(tree.root, "scripts/lint"), { recursive: true });
  reported = lint(tree.root);
});

afterAll(() => tree?.remove());

function lint(root: string): Map<string, string[]> {
  const command = join(repoRoot, "node_modules/@biomejs/biome/bin/biome");
  const args = ["lint", "--reporter=github", "--max-diagnostics=none", "packages"];
  const result = spawnSync(process.execPath, [command, ...args], { cwd: root, encoding: "utf8" });
  const found = new Map<string, string[]>();
  for (const line of result.stdout.split("\n")) {
    const [, rule, file] = /^::error title=([^,]+),file=([^,]+),/.exec(line) ?? [];
    if (rule === undefined || file === undefined) continue;
    const path = file.slice(file.indexOf("packages/assay/"));
    found.set(path, [...(found.get(path) ?? []), rule]);
  }
  return found;
}

it.each(bans)("the sources may not use %s", (ban, _code, rule) => {
  const index = bans.findIndex(([name]) => name === ban);

  const rules = reported.get(`packages/assay/src/engine/case-${index}.ts`) ?? [];

  expect(rules.join(" ")).toContain(rule);
});

it.each([
  "packages/assay/src/support/json.ts",
  "packages/assay/src/platform/clock.ts",
  "packages/assay/src/cli/main.ts",
  "packages/assay/src/engine/case.test.ts",
])("%s may use what its place is for", (file) => {
  expect(reported.get(file) ?? []).toEqual([]);
});
