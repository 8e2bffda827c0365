/**
 * A suite whose agent leaves credentials wherever agents leave them. Which ones, and how they are written, is in the file
 * that the variable PLANT_FILE names; nothing here is one. It is written into a folder as `plant.eval.mjs`.
 */
export const plantingSuite = `
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { defineSuite } from "assay";
import { exactMatch } from "assay/metrics";
import { callable } from "assay/runners";

const plan = JSON.parse(readFileSync(process.env["PLANT_" + "FILE"], "utf8"));
const ways = {
  output: (texts) => texts.join("\\n"),
  response: (texts) => ({ outputText: "x", response: { choices: texts.map((text) => ({ message: { content: text } })) } }),
  metadata: (texts) => ({ outputText: "x", metadata: { log: texts, text: Object.fromEntries(texts.map((text, at) => [text, at])) } }),
  step: (texts, { step }) => {
    for (const text of texts)
      step({
        message: "I ran a tool",
        toolCalls: [{ name: "shell", arguments: { command: text } }],
        observations: [{ content: text }],
      });
    return "x";
  },
  throw: (texts) => {
    throw new Error("HTTP 401: " + JSON.stringify({ error: { message: texts.join(" ") } }));
  },
  stack: (texts) => {
    const error = new Error("it broke");
    error.stack = "Error: it broke\\n" + texts.map((text) => "    at call (" + text + ")").join("\\n");
    throw error;
  },
  log: (texts, { log }) => {
    for (const text of texts) log.warn("found " + text);
    return "x";
  },
  files: (texts, { workspace }) => {
    writeFileSync(join(workspace, "config.ini"), texts.join("\\n"));
    return "x";
  },
  borders: (texts, { workspace }) => {
    const border = 64 * 1024;
    let file = "";
    for (const text of texts) {
      const next = (Math.floor((file.length + text.length) / border) + 1) * border;
      file = file.padEnd(next - Math.floor(text.length / 2) - 1, "lorem ipsum ") + " " + text + "\\n";
    }
    writeFileSync(join(workspace, "long.log"), file);
    return "x";
  },
  names: (texts, { workspace, evidence }) => {
    for (const text of texts) {
      mkdirSync(join(workspace, text));
      writeFileSync(join(workspace, text, text), "x");
      evidence.add(text, { kind: "log", data: { of: text } });
    }
    return "x";
  },
  tar: (texts, { workspace }) => {
    texts.forEach((text, at) => {
      writeFileSync(join(workspace, "in.txt"), text);
      execFileSync("tar", ["-cf", "a" + at + ".tar", "in.txt"], { cwd: workspace });
    });
    writeFileSync(join(workspace, "in.txt"), "");
    return "x";
  },
  gzip: (texts, { workspace }) => {
    texts.forEach((text, at) => writeFileSync(join(workspace, "a" + at + ".gz"), gzipSync("log\\n" + text)));
    return "x";
  },
};

export default defineSuite({
  name: "plant",
  secrets: plan.declared,
  labels: { note: plan.label },
  tasks: Object.keys(plan.agents).map((id) => ({
    id,
    intent: "plants " + plan.agents[id].as,
    inputs: { instruction: "plant", given: plan.agents[id].isGiven ? plan.agents[id].texts : [] },
  })),
  metrics: [
    exactMatch({ reference: "x" }),
    async function telling({ output }) {
      if (String(output).length > 5) throw new Error("it is not: " + output);
      return { name: "telling", score: 1 };
    },
  ],
  target: callable({
    name: "planter",
    agent: (task, context) => ways[plan.agents[task.id].as](plan.agents[task.id].texts, context),
  }),
});
`;

/** Switches the redactor off in a process that is started with `--import` of this: a loader that gives another module in its place. */
export const withoutRedactor = `
import { register } from "node:module";

const hooks = \`
export async function load(url, context, next) {
  if (!url.endsWith("/provenance/redaction/redactor.js")) return next(url, context);
  const source = "export function createRedactor() {" +
    "const same = (value) => value;" +
    "const stream = () => ({ lookahead: 0, push: (chunk) => Buffer.from(chunk), end: () => new Uint8Array(0), count: 0 });" +
    "const document = async (text) => ({ text, removed: 0 });" +
    "return { text: same, json: same, settings: same, document, stream, mayContain: () => false, countWithheld() {}, counts: () => ({}) }; }";
  return { format: "module", source, shortCircuit: true };
}
\`;
register("data:text/javascript," + encodeURIComponent(hooks));
`;
