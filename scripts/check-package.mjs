// @ts-check
// Packs the library, installs the tarball in an empty project under strict engines and without
// install scripts, and checks what a user would get. Installed versions come from the registry.
import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { undocumentedKeys } from "./check-hover.mjs";

const maxDependencies = 15;
const maxInstalledMb = 30;

const root = fileURLToPath(new URL("..", import.meta.url));
const packageDir = join(root, "packages/assay");
const scratch = mkdtempSync(join(tmpdir(), "assay-package-"));
const project = join(scratch, "project");
/** @type {string[]} */
const problems = [];

/** @param {string} name @param {boolean} ok @param {string} detail */
function check(name, ok, detail) {
  process.stdout.write(
    `package: ${ok ? "ok  " : "FAIL"} ${name}${detail === "" ? "" : ` (${detail})`}\n`,
  );
  if (!ok) problems.push(name);
}

/** @param {string} command @param {readonly string[]} args @param {string} cwd */
function run(command, args, cwd) {
  const result = spawnSync(command, args, { cwd, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });
  const output =
    `${result.stdout ?? ""}${result.stderr ?? ""}${result.error?.message ?? ""}`.trim();
  return { ok: result.status === 0, stdout: result.stdout ?? "", output };
}

/** @param {readonly string[]} args @param {string} cwd */
function npm(args, cwd) {
  const cli = process.env["npm_execpath"];
  if (cli?.endsWith("npm-cli.js")) return run(process.execPath, [cli, ...args], cwd);
  return run("npm", args, cwd);
}

/** @param {string} folder @returns {number} */
function sizeOf(folder) {
  let bytes = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) bytes += sizeOf(path);
    else if (entry.isFile()) bytes += statSync(path).size;
  }
  return bytes;
}

function pack() {
  const packed = npm(["pack", "--json", "--pack-destination", scratch], packageDir);
  if (!packed.ok) throw new Error(`npm pack failed:\n${packed.output}`);
  const parsed = JSON.parse(packed.stdout);
  const entry = Array.isArray(parsed) ? parsed[0] : Object.values(parsed)[0];
  const files = /** @type {{ path: string }[]} */ (entry.files).map((file) => file.path);
  return { tarball: join(scratch, entry.filename), files };
}

/** @param {string} tarball */
function lintTarball(tarball) {
  const publint = run(
    process.execPath,
    [join(root, "node_modules/publint/src/cli.js"), "run", tarball, "--strict"],
    root,
  );
  check("publint", publint.ok, publint.ok ? "" : `\n${publint.output}\n`);
  const types = run(
    process.execPath,
    [
      join(root, "node_modules/@arethetypeswrong/cli/dist/index.js"),
      tarball,
      ...["--profile", "esm-only", "--no-definitely-typed", "--format", "ascii"],
    ],
    root,
  );
  check("types resolve (attw, esm-only)", types.ok, types.ok ? "" : `\n${types.output}\n`);
}

/** @param {readonly string[]} files */
function checkContents(files) {
  const unwanted = files.filter((path) =>
    /(\.test\.|\/fixtures\/|\.tsbuildinfo|\.build-stamp)/.test(path),
  );
  check("no tests, fixtures or stamps packed", unwanted.length === 0, unwanted.join(", "));
  const wanted = [
    ...["README.md", "LICENSE", "bin/assay.js"],
    "dist/runners/fabric/driver/fabric_driver.py",
  ].filter((path) => !files.includes(path));
  check("README, LICENSE, command and driver are packed", wanted.length === 0, wanted.join(", "));
}

/** @param {string} tarball */
function install(tarball) {
  mkdirSync(project);
  writeFileSync(
    join(project, "package.json"),
    JSON.stringify({ name: "empty", private: true, type: "module" }),
  );
  const installed = npm(
    [
      "install",
      tarball,
      "--ignore-scripts",
      "--engine-strict",
      "--prefer-offline",
      "--no-audit",
      "--no-fund",
    ],
    project,
  );
  check(
    "installs in an empty project",
    installed.ok,
    installed.ok ? "" : `\n${installed.output}\n`,
  );
  return installed.ok;
}

function checkInstall() {
  const manifest = JSON.parse(
    readFileSync(join(project, "node_modules/assay/package.json"), "utf8"),
  );
  const direct = Object.keys(manifest.dependencies).length;
  check(
    `at most ${maxDependencies} direct dependencies`,
    direct <= maxDependencies,
    String(direct),
  );
  const mb = sizeOf(join(project, "node_modules")) / 1e6;
  check(`at most ${maxInstalledMb} MB installed`, mb <= maxInstalledMb, `${mb.toFixed(1)} MB`);
  const lock = JSON.parse(readFileSync(join(project, "package-lock.json"), "utf8"));
  const scripted = Object.keys(lock.packages).filter(
    (path) => lock.packages[path].hasInstallScript,
  );
  check("no install scripts", scripted.length === 0, scripted.join(", "));
  for (const key of Object.keys(manifest.exports).filter((name) => name !== "./package.json")) {
    checkEntry(key.replace(/^\./, "assay"));
  }
  checkTypes(Object.keys(manifest.exports).filter((name) => name !== "./package.json"));
  checkRootIsLight();
  const version = npm(["exec", "--offline", "--no", "--", "assay", "--version"], project);
  const said = version.ok && version.stdout.includes(manifest.version);
  check("npx assay --version", said, version.output);
}

/** @param {string} specifier */
function checkEntry(specifier) {
  const code = `console.log(Object.keys(await import(${JSON.stringify(specifier)})).length)`;
  const result = run(process.execPath, ["--input-type=module", "--eval", code], project);
  check(`import "${specifier}"`, result.ok && Number(result.stdout) > 0, result.output);
}

/**
 * The declarations themselves are checked too, as in a project that skips none and has no types of Node.
 * @param {readonly string[]} entries
 */
function checkTypes(entries) {
  const imports = entries.map(
    (entry, index) => `export * as entry${index} from "${entry.replace(/^\./, "assay")}";`,
  );
  writeFileSync(join(project, "consumer.ts"), imports.join("\n"));
  const compilerOptions = {
    ...{ noEmit: true, strict: true, skipLibCheck: false },
    ...{ module: "nodenext", target: "es2022", types: [] },
  };
  writeFileSync(
    join(project, "tsconfig.json"),
    JSON.stringify({ compilerOptions, files: ["consumer.ts"] }),
  );
  const compiled = run(process.execPath, [join(root, "node_modules/typescript/bin/tsc")], project);
  check("declarations compile (skipLibCheck: false)", compiled.ok, compiled.output);
  const silent = undocumentedKeys(project);
  check("each key of a definition has its help", silent.length === 0, silent.join(", "));
}

/** A program that only reads bundles must not load what starts processes. */
function checkRootIsLight() {
  const code =
    'await import("assay"); console.log(process.moduleLoadList.includes("NativeModule child_process"))';
  const result = run(process.execPath, ["--input-type=module", "--eval", code], project);
  check('import "assay" loads no child_process', result.stdout.trim() === "false", result.output);
}

try {
  const { tarball, files } = pack();
  check("npm pack", existsSync(tarball), `${files.length} files`);
  checkContents(files);
  lintTarball(tarball);
  if (install(tarball)) checkInstall();
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
process.stdout.write(`package: ${problems.length} problems\n`);
if (problems.length > 0) process.exitCode = 1;
