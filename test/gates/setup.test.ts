import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { repoRoot } from "../support/tools.ts";
import { makeTree, type Tree } from "../support/trees.ts";

/** Stands in for npm: notes its arguments and "installs" the compiler below. */
const fakeNpm = `
const { appendFileSync, cpSync, existsSync } = require("node:fs");
appendFileSync("calls.log", "npm " + process.argv.slice(2, 4).join(" ") + "\\n");
console.log("npm talks");
if (existsSync("npm-is-broken")) process.exit(7);
cpSync("fake/tsc", "node_modules/typescript/bin/tsc", { recursive: true });
`;

/** Stands in for tsc: one output per source, and none of the checks. */
const fakeTsc = `
const { appendFileSync, mkdirSync, readdirSync, writeFileSync } = require("node:fs");
appendFileSync("calls.log", "tsc\\n");
mkdirSync("packages/assay/dist", { recursive: true });
for (const name of readdirSync("packages/assay/src")) {
  writeFileSync("packages/assay/dist/" + name.replace(/\\.ts$/, ".js"), "");
}
`;

let tree: Tree;

beforeEach(() => {
  tree = makeTree({
    "scripts/setup.mjs": readFileSync(join(repoRoot, "scripts/setup.mjs"), "utf8"),
    "package-lock.json": '{ "packages": { "node_modules/a": { "version": "1.0.0" } } }',
    "tsconfig.base.json": "{}",
    "packages/assay/tsconfig.json": "{}",
    "packages/assay/src/one.ts": "export const one = 1;",
    "packages/assay/src/two.ts": "export const two = 2;",
    "fake/npm-cli.js": fakeNpm,
    "fake/tsc": fakeTsc,
  });
});

afterEach(() => tree.remove());

function setup(...args: readonly string[]) {
  const before = calls().length;
  const result = spawnSync(process.execPath, ["scripts/setup.mjs", ...args], {
    cwd: tree.root,
    encoding: "utf8",
    env: { ...process.env, npm_execpath: join(tree.root, "fake/npm-cli.js") },
  });
  return { ...result, calls: calls().slice(before) };
}

function calls(): readonly string[] {
  const log = join(tree.root, "calls.log");
  return existsSync(log) ? readFileSync(log, "utf8").trimEnd().split("\n") : [];
}

it("a fresh checkout is installed, then built, without a word on stdout", () => {
  const first = setup();

  expect(first.status).toBe(0);
  expect(first.calls).toEqual(["npm ci --include=dev", "tsc"]);
  expect(first.stdout).toBe("");
  expect(first.stderr).toContain("npm talks");
});

it("a checkout that is up to date is left alone in silence", () => {
  setup();

  const second = setup();

  expect(second).toMatchObject({ status: 0, calls: [], stdout: "", stderr: "" });
});

it("a changed lockfile installs again", () => {
  setup();
  writeFileSync(join(tree.root, "package-lock.json"), '{ "packages": {} }');

  expect(setup().calls[0]).toBe("npm ci --include=dev");
});

it("a changed source builds and does not install", () => {
  setup();
  writeFileSync(join(tree.root, "packages/assay/src/one.ts"), "export const one = 11;");

  expect(setup().calls).toEqual(["tsc"]);
});

it("a changed test builds nothing", () => {
  setup();
  writeFileSync(join(tree.root, "packages/assay/src/one.test.ts"), "export {};");

  expect(setup().calls).toEqual([]);
});

it("a source that is gone leaves no output behind", () => {
  setup();
  rmSync(join(tree.root, "packages/assay/src/two.ts"));

  setup();

  expect(existsSync(join(tree.root, "packages/assay/dist/one.js"))).toBe(true);
  expect(existsSync(join(tree.root, "packages/assay/dist/two.js"))).toBe(false);
});

it("a removed build is made again", () => {
  setup();
  rmSync(join(tree.root, "packages/assay/dist"), { recursive: true });

  expect(setup().calls).toEqual(["tsc"]);
});

it("--build builds although nothing changed", () => {
  setup();

  expect(setup("--build").calls).toEqual(["tsc"]);
});

it("versions that npm installed by hand before are taken as they are", () => {
  setup();
  rmSync(join(tree.root, "node_modules/.assay-setup"));
  writeFileSync(
    join(tree.root, "node_modules/.package-lock.json"),
    '{ "packages": { "node_modules/a": { "version": "1.0.0" } } }',
  );

  expect(setup().calls).toEqual([]);
});

it("an install that fails says so, ends with 3 and is tried again next time", () => {
  writeFileSync(join(tree.root, "npm-is-broken"), "");

  const broken = setup();
  rmSync(join(tree.root, "npm-is-broken"));
  const mended = setup();

  expect(broken.status).toBe(3);
  expect(broken.stderr).toContain("setup: npm ci ended with 7");
  expect(mended.calls).toEqual(["npm ci --include=dev", "tsc"]);
});

it("the lock of a process that died does not block the next one", () => {
  setup();
  const dead = spawnSync(process.execPath, ["--eval", "0"]).pid;
  writeFileSync(join(tree.root, "packages/assay/src/one.ts"), "export const one = 12;");
  const planted = makeTree({ pid: String(dead) });
  spawnSync("cp", ["-r", planted.root, join(tree.root, ".cache/setup.lock")]);
  planted.remove();

  expect(setup()).toMatchObject({ status: 0, calls: ["tsc"] });
});
