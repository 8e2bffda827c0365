// @ts-check
// Holds what is told against what is there: code in the documents compiles, links lead to something, and commands are
// called by names and options that exist. A block that is a piece of something says so: ```ts part. One that is shown from
// a file is compiled there.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const place = join(root, ".cache/docs");

const listed = spawnSync("git", ["ls-files", "--", "*.md"], { cwd: root, encoding: "utf8" });
const documents = listed.stdout.split("\n").filter((name) => name !== "");

/** @type {string[]} */
const problems = [];

/** @typedef {{ readonly language: string, readonly line: number, readonly code: string }} Block */

/** @param {string} text @returns {Block[]} */
function blocksOf(text) {
  return [...text.matchAll(/^(<!-- from .*\n)?```([^\n]*)\n([\s\S]*?)^```$/gm)].map((match) => ({
    language: match[1] === undefined ? (match[2] ?? "").trim() : "",
    line: text.slice(0, match.index).split("\n").length + 1,
    code: match[3] ?? "",
  }));
}

/** @param {string} document @param {string} text */
function checkLinks(document, text) {
  const prose = text.replace(/^```[\s\S]*?^```$/gm, (block) => block.replace(/[^\n]/g, ""));
  for (const match of prose.matchAll(/\]\(([^)\s]+)\)/g)) {
    const [target = "", anchor] = (match[1] ?? "").split("#");
    if (/^[a-z]+:/.test(target)) continue;
    const line = prose.slice(0, match.index).split("\n").length;
    const file = target === "" ? join(root, document) : resolve(root, dirname(document), target);
    if (!existsSync(file)) problems.push(`${document}:${line}: there is no ${target}`);
    else if (anchor !== undefined && file.endsWith(".md") && !anchorsOf(file).has(anchor))
      problems.push(`${document}:${line}: ${target || document} has no heading for #${anchor}`);
  }
}

/** @param {string} file */
function anchorsOf(file) {
  const headings = readFileSync(file, "utf8").matchAll(/^#+ +(.*)$/gm);
  return new Set(
    [...headings].map(([, heading = ""]) =>
      heading
        .toLowerCase()
        .replace(/[^\p{Letter}\p{Number}\s_-]/gu, "")
        .trim()
        .replaceAll(" ", "-"),
    ),
  );
}

/** The options of each command, as its help tells them. @type {Map<string, ReadonlySet<string>>} */
const known = new Map();

/** @param {string} command */
function optionsOf(command) {
  const options = known.get(command) ?? new Set(helpOf(command).match(/--[a-z][a-z-]*/g));
  known.set(command, options);
  return options;
}

/** @param {string} command */
function helpOf(command) {
  const argv = [join(root, "packages/assay/bin/assay.js"), ...command.split(" "), "--help"];
  const help = spawnSync(process.execPath, argv, { encoding: "utf8" });
  return help.status === 0 ? help.stdout : "";
}

/** @param {string} document @param {Block} block */
function checkCommands(document, { code, line }) {
  const commands = code.replaceAll(/\\\n/g, "  ").split("\n");
  for (const [index, text] of commands.entries()) {
    const words = /^(?:\$ )?(?:npx )?assay (.*)$/.exec(text.trim())?.[1]?.split(/\s+/) ?? [];
    const [command = ""] = words;
    if (!/^[a-z]+$/.test(command)) continue;
    const options = optionsOf(command);
    const at = `${document}:${line + index}`;
    if (options.size === 0) problems.push(`${at}: there is no command "assay ${command}"`);
    for (const word of words.slice(1)) {
      const option = /^--[a-z][a-z-]*/.exec(word)?.[0];
      if (option !== undefined && options.size > 0 && !options.has(option))
        problems.push(`${at}: "assay ${command}" has no option ${option}`);
    }
  }
}

rmSync(place, { recursive: true, force: true });
mkdirSync(place, { recursive: true });
/** @type {Map<string, { readonly document: string, readonly line: number }>} */
const origins = new Map();
for (const document of documents) {
  const text = readFileSync(join(root, document), "utf8");
  checkLinks(document, text);
  for (const block of blocksOf(text)) {
    if (block.language === "sh") checkCommands(document, block);
    if (block.language !== "ts") continue;
    const name = `block-${origins.size}.ts`;
    origins.set(name, { document, line: block.line });
    writeFileSync(join(place, name), block.code);
  }
}
writeFileSync(
  join(place, "tsconfig.json"),
  JSON.stringify({
    extends: "../../tsconfig.json",
    compilerOptions: { incremental: false },
    include: ["./*.ts"],
    exclude: [],
  }),
);
const tsc = join(root, "node_modules/typescript/bin/tsc");
const compiled = spawnSync(process.execPath, [tsc, "-p", place, "--pretty", "false"], {
  cwd: place,
  encoding: "utf8",
});
for (const message of compiled.stdout.split("\n").filter((text) => text !== "")) {
  const found = /^(block-\d+\.ts)\((\d+),(\d+)\): (.*)$/.exec(message);
  const origin = origins.get(found?.[1] ?? "");
  problems.push(
    origin === undefined
      ? message
      : `${origin.document}:${origin.line + Number(found?.[2]) - 1}: ${found?.[4]}`,
  );
}
if (compiled.status !== 0 && problems.length === 0) problems.push("the code could not be compiled");

for (const problem of problems) process.stdout.write(`${problem}\n`);
process.stdout.write(
  `docs: ${documents.length} documents, ${origins.size} pieces of code, ${known.size} commands, ${problems.length} problems\n`,
);
if (problems.length > 0) process.exitCode = 1;
