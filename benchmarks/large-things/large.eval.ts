// The suite of large things: `-P what=NAME` chooses one. Agents and metrics do nothing but the one thing that is large.
import { closeSync, mkdirSync, openSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { defineMetric, defineSuite, type Metric } from "assay";
import { exactMatch } from "assay/metrics";
import { type CallableContext, callable, codexCli } from "assay/runners";
import { z } from "zod";

const mebibyte = 1024 * 1024;
const megabyte = 1_000_000;
/** Of three bytes: what is cut at a number of bytes is cut inside of one twice out of three times. */
const wide = "€";

type Reply = string | { readonly outputText: string; readonly response: Record<string, string> };
type Agent = (task: object, context: CallableContext) => Reply | Promise<Reply>;

const agents: Readonly<Record<string, Agent>> = {
  "evidence-file": (_task, { workspace }) => writeText(join(workspace, "large.txt"), 1024),
  "evidence-edge": (_task, { workspace }) => {
    writeFileSync(join(workspace, "edge.txt"), `aa${wide.repeat((64 * mebibyte - 1) / 3)}`);
    return "yes";
  },
  "evidence-total": (_task, { workspace }) =>
    repeat(18, (index) => writeText(join(workspace, `part-${index}.txt`), 60)),
  "evidence-files": (_task, { workspace }) =>
    repeat(21, (folder) => {
      mkdirSync(join(workspace, `folder-${folder}`));
      repeat(1000, (index) =>
        writeFileSync(join(workspace, `folder-${folder}`, `file-${index}.txt`), `${index}\n`),
      );
    }),
  "output-text": () => wide.repeat((200 * megabyte) / 3),
  reply: () => wide.repeat((200 * megabyte) / 3),
  response: () => ({ outputText: "yes", response: { large: "x".repeat(200 * megabyte) } }),
  error: () => {
    throw new Error(wide.repeat((200 * megabyte) / 3));
  },
  "log-endless": async (_task, { signal, log }) => {
    while (!signal.aborted) {
      repeat(1000, () => log.info("It goes on. ".repeat(80)));
      await turn();
    }
    return "yes";
  },
  "log-lines": (_task, { log }) => repeat(100, () => log.info(wide.repeat(4 * megabyte))),
  steps: (_task, { step }) => repeat(100, () => step({ message: wide.repeat(4 * megabyte) })),
  "many-steps": (_task, { step }) => repeat(300_000, () => step({ message: "one more" })),
  descriptors: (_task, { evidence }) =>
    repeat(300_000, (index) => evidence.add(`note-${index}`, { kind: "note", data: { index } })),
  "print-endless": () => {
    for (;;) writeAll(1, `${"It goes on. ".repeat(80)}\n`);
  },
  "print-flood": () => {
    const line = `${wide.repeat(333_333)}\n`;
    return repeat(200, () => {
      writeAll(1, line);
      writeAll(2, line);
    });
  },
};

const outputNames = Array.from({ length: 100_000 }, (_item, index) => `output-${index}`);
const parts = { type: "large", config: z.strictObject({}) };
const metrics: Readonly<Record<string, () => Metric>> = {
  score: defineMetric({
    ...parts,
    description: "Gives an object of 50 MB.",
    outputs: [{ name: "large", kind: "model" }],
    compute: () => ({ outputs: { large: { rows: Array(50).fill("x".repeat(megabyte)) } } }),
  }),
  diagnostics: defineMetric({
    ...parts,
    description: "Gives 50 diagnostics of 2 MB each.",
    outputs: [{ name: "value", kind: "continuous" }],
    compute: () => ({
      outputs: { value: 1 },
      diagnostics: Array.from({ length: 50 }, () => ({
        message: wide.repeat(megabyte / 3),
        details: { large: "x".repeat(megabyte) },
      })),
    }),
  }),
  outputs: defineMetric({
    ...parts,
    description: "Gives 100,000 numbers.",
    outputs: outputNames.map((name) => ({ name, kind: "continuous" as const })),
    compute: () => ({ outputs: Object.fromEntries(outputNames.map((name) => [name, 1])) }),
  }),
};

function tasksOf(what: string, dir: string) {
  if (what === "tasks") return { jsonl: join(dir, "tasks.jsonl") };
  const one = { id: "one", intent: "answers yes", inputs: { instruction: "Say yes." } };
  if (!what.startsWith("inputs")) return [one];
  const sizes = what === "inputs-row" ? [200] : [50, 50];
  return sizes.map((size, index) => ({
    ...one,
    id: `large-${index}`,
    inputs: { ...one.inputs, large: "x".repeat(size * megabyte) },
  }));
}

export default function largeThing({
  what = "",
  dir = "",
  isolated = "no",
}: Record<string, string>) {
  const agent = agents[what] ?? (() => "yes");
  // A process of its own has to start before there is anything to be stopped.
  const timeoutS = what.endsWith("endless") ? (isolated === "yes" ? 20 : 3) : null;
  const target =
    what === "codex"
      ? codexCli({ model: "large" })
      : callable({
          name: "large",
          agent,
          timeoutS,
          isolation: isolated === "yes" ? "process" : "none",
        });
  const metric = metrics[what];
  return defineSuite({
    name: "large-things",
    tasks: tasksOf(what, dir),
    metrics: [exactMatch({ reference: "yes" }), ...(metric === undefined ? [] : [metric()])],
    target,
  });
}

function repeat(count: number, work: (index: number) => void): string {
  for (let index = 0; index < count; index += 1) work(index);
  return "yes";
}

function writeText(file: string, mebibytes: number): string {
  const text = Buffer.from(`${"text ".repeat(204)}end\n`.repeat(1024));
  const to = openSync(file, "w");
  repeat(mebibytes, () => writeSync(to, text));
  closeSync(to);
  return "yes";
}

/** A descriptor that is a pipe may take nothing for now. */
function writeAll(to: number, text: string): void {
  const bytes = Buffer.from(text);
  for (let written = 0; written < bytes.length; ) {
    try {
      written += writeSync(to, bytes, written);
    } catch (thrown) {
      if (!(thrown instanceof Error && "code" in thrown && thrown.code === "EAGAIN")) throw thrown;
    }
  }
}
