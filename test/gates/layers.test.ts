import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { repoRoot } from "../support/tools.ts";
import { linkModules, makeTree, type Tree } from "../support/trees.ts";

interface Violation {
  readonly from: string;
  readonly to: string;
  readonly rule: { readonly name: string };
}

/** Each file breaks the rule of its row, and only that one. */
const forbidden: readonly (readonly [rule: string, file: string, text: string])[] = [
  ["no-unknown-folder", "helpers/a.ts", 'import { L0 } from "../support/ok.ts"; L0;'],
  [
    "l0-imports-l0-only",
    "schema/up.ts",
    'import type { C } from "../contracts/ok.ts"; export type D = C;',
  ],
  ["l0-is-free-of-io", "errors/io.ts", 'import { readFileSync } from "node:fs"; readFileSync;'],
  ["l0-third-party", "support/third.ts", 'import { z } from "zod"; import ora from "ora"; z; ora;'],
  [
    "l1-imports-l0-only",
    "contracts/up.ts",
    'import type { P } from "../platform/ok.ts"; export type D = P;',
  ],
  ["l1-types-only", "contracts/value.ts", 'import { L0 } from "../support/ok.ts"; L0;'],
  [
    "l1-third-party",
    "contracts/third.ts",
    'import type { Options } from "execa"; export type O = Options;',
  ],
  ["l2-platform", "platform/side.ts", 'import { S } from "../statistics/ok.ts"; S;'],
  [
    "l2-metrics",
    "metrics/m/up.ts",
    'import type { P } from "../../platform/ok.ts"; export type D = P;',
  ],
  ["l2-templates", "templates/side.ts", 'import { S } from "../statistics/ok.ts"; S;'],
  [
    "l2-statistics",
    "statistics/side.ts",
    'import type { P } from "../platform/ok.ts"; export type D = P;',
  ],
  ["l2-trajectory", "trajectory/side.ts", 'import { T } from "../templates/ok.ts"; T;'],
  ["no-metric-to-metric", "metrics/m/side.ts", 'import { N } from "../n/index.ts"; N;'],
  ["l3-not-upward", "bundle/up.ts", 'import type { E } from "../engine/ok.ts"; export type D = E;'],
  ["no-runner-to-runner", "runners/r/side.ts", 'import { N } from "../n/index.ts"; N;'],
  [
    "codex-docker-knows-codex-only",
    "runners/codex-docker/side.ts",
    'import { N } from "../n/index.ts"; N;',
  ],
  [
    "fabric-container-knows-fabric-only",
    "runners/fabric-container/side.ts",
    'import { N } from "../n/index.ts"; N;',
  ],
  [
    "l3-knows-no-concrete-runner",
    "targets/side.ts",
    'import { N } from "../runners/n/index.ts"; N;',
  ],
  [
    "l4-knows-no-concrete-runner",
    "engine/runner.ts",
    'export const r = () => import("../runners/n/index.ts");',
  ],
  [
    "l4-knows-no-concrete-metric",
    "engine/metric.ts",
    'import { N } from "../metrics/n/index.ts"; N;',
  ],
  [
    "l4-not-sideways-or-upward",
    "report/side.ts",
    'import type { E } from "../engine/ok.ts"; export type D = E;',
  ],
  [
    "results-use-only-the-text-of-the-report",
    "engine/results/page.ts",
    'import type { H } from "../../report/html/ok.ts"; export type D = H;',
  ],
  [
    "cli-uses-the-public-surface",
    "cli/deep.ts",
    'import type { E } from "../engine/ok.ts"; export type D = E;',
  ],
  ["entries-not-cli", "entries/cli.ts", 'import { M } from "../cli/ok.ts"; M;'],
  ["only-entries-re-export", "engine/barrel.ts", 'export { L0 } from "../support/ok.ts";'],
  ["only-one-home-for-canonicalize", "support/other.ts", 'import c from "canonicalize"; c;'],
  [
    "only-one-home-for-fastest-levenshtein",
    "errors/names.ts",
    'import { distance } from "fastest-levenshtein"; distance;',
  ],
  ["only-one-home-for-execa", "runners/r/spawn.ts", 'import { execa } from "execa"; execa;'],
  [
    "only-one-home-for-minijinja-js",
    "metrics/m/template.ts",
    'import { Environment } from "minijinja-js"; Environment;',
  ],
  [
    "only-one-home-for-tar-stream",
    "runners/r/archive.ts",
    'import { pack } from "tar-stream"; pack;',
  ],
  [
    "only-one-home-for-@secretlint/secretlint-rule-preset-recommend",
    "engine/rules.ts",
    'import { rules } from "@secretlint/secretlint-rule-preset-recommend"; rules;',
  ],
  ["only-one-home-for-smol-toml", "runners/r/toml.ts", 'import { parse } from "smol-toml"; parse;'],
  ["only-one-home-for-jiti", "runners/r/load.ts", 'import { createJiti } from "jiti"; createJiti;'],
  ["only-one-home-for-yaml", "engine/plan.ts", 'import { parse } from "yaml"; parse;'],
  ["only-one-home-for-commander", "engine/terminal.ts", 'import pc from "picocolors"; pc;'],
  ["no-undeclared-package", "engine/dev.ts", 'import fc from "fast-check"; fc;'],
  ["no-unresolvable", "engine/nowhere.ts", 'import "./nowhere-at-all.ts";'],
];

const allowed: Readonly<Record<string, string>> = {
  "support/ok.ts": "export const L0 = 0;",
  "contracts/ok.ts": 'import type { L0 } from "../support/ok.ts"; export type C = typeof L0;',
  "platform/ok.ts":
    'import { execa } from "execa"; import "node:fs"; execa; export interface P { p: 1 }',
  "statistics/ok.ts": "export const S = 0;",
  "templates/ok.ts": 'import { Environment } from "minijinja-js"; export const T = Environment;',
  "metrics/define/ok.ts": 'import { T } from "../../templates/ok.ts"; export const MD = T;',
  "metrics/n/index.ts":
    'import { MD } from "../define/ok.ts"; import { S } from "../../statistics/ok.ts"; export const N = [MD, S];',
  "metrics/map.ts": 'export const map = { n: () => import("./n/index.ts") };',
  "runners/define/ok.ts": 'import { T } from "../../templates/ok.ts"; export const RD = T;',
  "runners/n/index.ts": 'import { RD } from "../define/ok.ts"; export const N = RD;',
  "runners/map.ts": 'export const map = { n: () => import("./n/index.ts") };',
  "engine/ok.ts":
    'import { map } from "../runners/map.ts"; import { RD } from "../runners/define/ok.ts"; map; RD; export interface E { e: 1 }',
  "report/text/ok.ts": "export interface R { r: 1 }",
  "report/html/ok.ts": "export interface H { h: 1 }",
  "engine/results/print.ts": 'import type { R } from "../../report/text/ok.ts"; export type D = R;',
  "engine/suite/read.ts":
    'import { parse } from "yaml"; import { createJiti } from "jiti"; parse; createJiti;',
  "entries/ok.ts": 'export { N } from "../runners/n/index.ts";',
  "cli/ok.ts":
    'import pc from "picocolors"; import { N } from "../entries/ok.ts"; export const M = [pc, N];',
  "engine/circle-a.ts": 'import type { B } from "./circle-b.ts"; export interface A { b: B }',
  "engine/circle-b.ts": 'import type { A } from "./circle-a.ts"; export interface B { a: A }',
};

let violations: readonly Violation[] = [];
let tree: Tree | undefined;

beforeAll(() => {
  const sources = {
    ...allowed,
    ...Object.fromEntries(forbidden.map(([, file, text]) => [file, text])),
  };
  tree = makeTree({
    "packages/assay/package.json": readFileSync(
      join(repoRoot, "packages/assay/package.json"),
      "utf8",
    ),
    ...Object.fromEntries(
      Object.entries(sources).map(([file, text]) => [`packages/assay/src/${file}`, `${text}\n`]),
    ),
  });
  linkModules(tree);
  const command = join(repoRoot, "node_modules/dependency-cruiser/bin/dependency-cruise.mjs");
  const config = join(repoRoot, ".dependency-cruiser.mjs");
  const result = spawnSync(
    process.execPath,
    [command, "--config", config, "--output-type", "json", "packages/assay/src"],
    { cwd: tree.root, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 },
  );
  violations = (JSON.parse(result.stdout) as { summary: { violations: Violation[] } }).summary
    .violations;
});

afterAll(() => tree?.remove());

function rulesBrokenBy(file: string): readonly string[] {
  const broken = violations.filter((violation) => violation.from === `packages/assay/src/${file}`);
  return [...new Set(broken.map((violation) => violation.rule.name))];
}

it.each(forbidden)("%s is reported for %s", (rule, file) => {
  expect(rulesBrokenBy(file)).toContain(rule);
});

it("a cycle of type-only imports is reported", () => {
  expect([...rulesBrokenBy("engine/circle-a.ts"), ...rulesBrokenBy("engine/circle-b.ts")]).toEqual([
    "no-cycles",
  ]);
});

it.each(Object.keys(allowed).filter((file) => !file.includes("circle")))(
  "%s breaks no rule",
  (file) => {
    expect(rulesBrokenBy(file)).toEqual([]);
  },
);

it("every rule is shown to fire by a row above", async () => {
  const config = (await import("../../.dependency-cruiser.mjs")) as {
    default: { forbidden: { name: string; comment: string }[] };
  };
  const names = config.default.forbidden.map((rule) => rule.name);

  expect(names.toSorted()).toEqual([...forbidden.map(([rule]) => rule), "no-cycles"].toSorted());
  expect(config.default.forbidden.every((rule) => rule.comment.length > 20)).toBe(true);
});
