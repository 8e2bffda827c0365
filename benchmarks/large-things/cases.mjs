// @ts-check
// What is large, how it is run, and what has to be true of the bundle afterwards.

import { once } from "node:events";
import {
  chmodSync,
  createWriteStream,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import process from "node:process";

import { rowsOf } from "./rows.mjs";

/**
 * @typedef {object} Case
 * @property {string} name
 * @property {string} about
 * @property {number} [exitCode] default 0
 * @property {string} [what] the parameter of the suite; default the name
 * @property {readonly string[]} [arguments] of `assay run`, behind the suite
 * @property {string} [suite] in the folder of the case; default the suite of large things
 * @property {(dir: string) => void | Promise<void>} [prepare]
 * @property {(run: string) => Promise<string> | string} [tell] what became of it
 * @property {RegExp} expected of what `tell` and the error output say
 * @property {boolean} [isRead] also shown and scored again
 */

/** @param {string} run */
async function trialFacts(run) {
  const statuses = new Map();
  const notes = new Set();
  for await (const { status, error, output, evidence, metadata } of rowsOf(
    join(run, "trials.jsonl"),
  )) {
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    if (error !== null && error !== undefined)
      notes.add(`${error.type} (message of ${Buffer.byteLength(error.message ?? "")} bytes)`);
    const text = output?.output_text ?? null;
    if (text !== null && text.length > 1000)
      notes.add(
        `text of ${Buffer.byteLength(text)} bytes${text.includes("\uFFFD") ? ", broken" : ""}`,
      );
    for (const [key, value] of Object.entries(output?.metadata ?? {})) notes.add(`${key} ${value}`);
    if (metadata?.output_truncated === true) notes.add("output_truncated true");
    const omitted = evidence?.descriptors?.final_state?.metadata?.omitted;
    if (omitted !== undefined) notes.add(`left out ${JSON.stringify(omitted)}`);
  }
  const counts = [...statuses].map(([status, count]) => `${count} ${status}`);
  return [...counts, ...notes].join(", ");
}

/** @param {string} run */
async function evidenceFacts(run) {
  let files = 0;
  let bytes = 0;
  let truncated = 0;
  let broken = 0;
  for await (const row of rowsOf(join(run, "evidence.jsonl"))) {
    files += 1;
    bytes += row.size_bytes;
    if (row.is_truncated) truncated += 1;
    if (row.size_bytes < 100e6 && isBroken(readFileSync(join(run, row.path)))) broken += 1;
  }
  return `${files} files of evidence, ${bytes} bytes, ${truncated} truncated${broken > 0 ? `, ${broken} with broken characters` : ""}`;
}

/** @param {Uint8Array} bytes */
function isBroken(bytes) {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return false;
  } catch {
    return true;
  }
}

/** @param {string} run */
async function scoreFacts(run) {
  const kinds = new Map();
  for await (const { metric_type: type, status, outputs, diagnostics } of rowsOf(
    join(run, "scores.jsonl"),
  )) {
    if (type !== "large") continue;
    const why = diagnostics
      .map((/** @type {any} */ { details }) => details?.exception_type)
      .find(Boolean);
    const text = `${status} score with ${outputs.length} outputs${why === undefined ? "" : `, ${why}`}`;
    kinds.set(text, (kinds.get(text) ?? 0) + 1);
  }
  return [...kinds].map(([text, count]) => `${count} ${text}`).join(", ");
}

/** @param {string} run */
const all = async (run) => `${await trialFacts(run)}; ${await evidenceFacts(run)}`;

/** @param {string} file @param {number} count @param {(index: number) => object} rowAt */
async function writeRows(file, count, rowAt) {
  const stream = createWriteStream(file);
  for (let index = 0; index < count; index += 1)
    if (!stream.write(`${JSON.stringify(rowAt(index))}\n`)) await once(stream, "drain");
  stream.end();
  await once(stream, "close");
}

/** @param {number} index */
const taskAt = (index) => ({
  id: `task-${index}`,
  intent: "answers yes",
  inputs: { instruction: `Say yes, for the ${index}th time.` },
});

const isolated = ["-P", "isolated=yes"];

/** @type {readonly Case[]} */
export const cases = [
  {
    name: "evidence-file",
    about: "one file of evidence of 1 GiB",
    expected: /1 completed; 1 files of evidence, 67108864 bytes, 1 truncated$/,
    tell: all,
    isRead: true,
  },
  {
    name: "evidence-edge",
    about: "one of 64 MiB and a byte, cut inside a character",
    expected: /1 completed; 1 files of evidence, 67108862 bytes, 1 truncated$/,
    tell: all,
  },
  {
    name: "evidence-total",
    about: "18 files of 60 MiB: more than 1 GiB",
    expected: /1 completed; 18 files of evidence, 1073741824 bytes, 1 truncated$/,
    tell: all,
  },
  {
    name: "evidence-files",
    about: "21,000 files in 21 folders",
    expected: /left out {"in_omitted_folder":1000,"over_entry_count":22}; 19979 files of evidence/,
    tell: all,
    isRead: true,
  },
  {
    name: "output-text",
    about: "an output of 200 MB of characters of three bytes",
    expected: /1 completed, text of 419430[0-4] bytes, truncated_from_bytes 199999998/,
    tell: trialFacts,
    isRead: true,
  },
  {
    name: "response",
    about: "a response of 200 MB",
    exitCode: 0,
    expected: /1 partial, OutputTooLarge/,
    tell: trialFacts,
  },
  {
    name: "error",
    about: "an error with a message of 200 MB",
    expected: /1 partial, AgentError \(message of 6553\d bytes\)/,
    tell: trialFacts,
  },
  {
    name: "log-endless",
    about: "an agent that logs without end",
    expected: /1 partial, TimeoutError/,
    tell: all,
  },
  {
    name: "log-lines",
    about: "100 lines of a log of 12 MB each",
    expected: /1 completed/,
    tell: all,
  },
  { name: "steps", about: "100 steps of 12 MB each", expected: /1 completed/, tell: all },
  { name: "many-steps", about: "300,000 steps", expected: /1 completed/, tell: all },
  {
    name: "descriptors",
    about: "300,000 pieces of inline evidence",
    expected: /1 completed/,
    tell: all,
  },
  {
    name: "score",
    about: "a score object of 50 MB",
    exitCode: 4,
    expected: /1 failed score with 0 outputs, OutputTooLarge/,
    tell: scoreFacts,
  },
  {
    name: "diagnostics",
    about: "50 MB of diagnostics of a metric",
    expected: /1 completed score with 1 outputs/,
    tell: scoreFacts,
  },
  {
    name: "outputs",
    about: "a metric with 100,000 outputs",
    expected: /1 completed score with 100000 outputs/,
    tell: scoreFacts,
    isRead: true,
  },
  {
    name: "inputs",
    about: "2 tasks with inputs of 50 MB",
    expected: /2 completed/,
    tell: trialFacts,
    isRead: true,
  },
  {
    name: "inputs-row",
    about: "a row of 200 MB in tasks.jsonl",
    expected: /1 completed/,
    tell: trialFacts,
    isRead: true,
  },
  {
    name: "trial-row",
    about: "a row of 200 MB in trials.jsonl of another writer",
    expected: /1 completed/,
    tell: trialFacts,
    isRead: true,
    // Only another writer leaves such a row: Assay cuts what it stores.
    prepare: () => {},
  },
  {
    name: "tasks",
    about: "100,000 tasks in one JSONL file, of a module",
    expected: /100000 completed/,
    tell: trialFacts,
    prepare: (dir) => writeRows(join(dir, "tasks.jsonl"), 100_000, taskAt),
    isRead: true,
  },
  {
    name: "tasks-yaml",
    about: "100,000 tasks and trials in JSONL files, of a YAML suite",
    suite: "suite.yaml",
    expected: /100000 completed/,
    tell: trialFacts,
    prepare: async (dir) => {
      await writeRows(join(dir, "tasks.jsonl"), 100_000, taskAt);
      await writeRows(join(dir, "trials.jsonl"), 100_000, (index) => ({
        id: `task-${index}:trial`,
        task_id: `task-${index}`,
        status: "completed",
        output: { output_text: "yes" },
      }));
      const metrics = `metrics:\n  - { type: exact-match, reference: "yes" }\n`;
      writeFileSync(
        join(dir, "suite.yaml"),
        `name: many\ntasks: tasks.jsonl\ntrials: trials.jsonl\n${metrics}`,
      );
    },
    isRead: true,
  },
  {
    name: "print-flood",
    about: "an isolated agent that prints 200 MB to both streams",
    arguments: isolated,
    expected:
      /1 completed, output_truncated true; 2 files of evidence, 335544\d\d bytes, 0 truncated$/,
    tell: all,
  },
  {
    name: "reply",
    about: "an isolated agent that replies with 200 MB",
    arguments: isolated,
    expected: /1 partial, OutputTooLarge/,
    tell: all,
  },
  {
    name: "print-endless",
    about: "an isolated agent that prints without end",
    arguments: isolated,
    expected: /1 partial, TimeoutError/,
    tell: all,
  },
  {
    name: "log-endless-isolated",
    what: "log-endless",
    about: "an isolated agent that logs without end",
    arguments: isolated,
    expected: /1 partial, TimeoutError/,
    tell: all,
  },
  {
    name: "steps-isolated",
    what: "steps",
    about: "100 steps of 12 MB each, isolated",
    arguments: isolated,
    expected: /1 completed/,
    tell: all,
  },
  {
    name: "inputs-isolated",
    what: "inputs",
    about: "2 tasks with inputs of 50 MB, isolated",
    arguments: isolated,
    expected: /2 completed/,
    tell: trialFacts,
  },
  {
    name: "codex",
    about: "a Codex CLI that prints 200 MB of events",
    expected: /1 completed/,
    tell: all,
    prepare: fakeCodex,
  },
];

/** @param {string} dir */
function fakeCodex(dir) {
  const bin = join(dir, "bin");
  mkdirSync(bin);
  const program = `#!${process.execPath}
const { readFileSync, writeFileSync, writeSync } = require("node:fs");
const args = process.argv.slice(2);
if (args[0] === "--version") { console.log("codex-cli 0.171.0"); process.exit(0); }
if (args[0] === "sandbox") process.exit(0);
readFileSync(0);
const emit = (event) => {
  const bytes = Buffer.from(JSON.stringify(event) + "\\n");
  for (let at = 0; at < bytes.length; ) {
    try { at += writeSync(1, bytes, at); } catch (thrown) { if (thrown.code !== "EAGAIN") throw thrown; }
  }
};
emit({ type: "thread.started", thread_id: "large" });
for (let index = 0; index < 400; index += 1)
  emit({ type: "item.completed", item: { id: "item_" + index, type: "command_execution", command: "print",
    aggregated_output: "€".repeat(166_000), exit_code: 0, status: "completed" } });
emit({ type: "item.completed", item: { id: "last", type: "agent_message", text: "yes" } });
emit({ type: "turn.completed", usage: { input_tokens: 1, cached_input_tokens: 0, output_tokens: 1 } });
writeFileSync(args[args.indexOf("--output-last-message") + 1], "yes");
`;
  writeFileSync(join(bin, "codex"), program);
  chmodSync(join(bin, "codex"), 0o755);
}

/** Makes of a bundle one of another writer with a trial of 200 MB. @param {string} run */
export function asForeign(run) {
  for (const name of ["plan.json", "provenance.json", "attempts.jsonl", "evidence.jsonl"])
    rmSync(join(run, name), { force: true });
  const { schema_version, provenance_sha256, self_digest, ...manifest } = JSON.parse(
    readFileSync(join(run, "run.json"), "utf8"),
  );
  writeFileSync(join(run, "run.json"), JSON.stringify({ ...manifest, artifacts: {} }));
  const row = JSON.parse(readFileSync(join(run, "trials.jsonl"), "utf8"));
  row.output.response = { large: "x".repeat(200e6) };
  writeFileSync(join(run, "trials.jsonl"), `${JSON.stringify(row)}\n`);
}
