import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";

import type { JsonObject } from "../../../packages/assay/src/support/json.ts";
import { reseal, resealManifest } from "../../support/reseal.ts";
import { forgeDocument, forgeRows, forgeText } from "./verify-kit.ts";

export interface Hostile {
  readonly what: string;
  /** What a stranger made of the bundle; digests are made anew where that says more. */
  readonly make: (dir: string, evidence: string) => void;
  readonly problem: string;
  readonly message: string;
  /** Commands that read the record, and refuse it in the words of `verify`. */
  readonly refusedBy?: readonly ("show" | "diff" | "rescore")[];
}

export const first = (rows: JsonObject[], change: JsonObject) =>
  rows.map((row, index) => (index === 0 ? { ...row, ...change } : row));

export const refOf = (ref: string) => ({
  evidence: { descriptors: { final_state: { kind: "filesystem", ref } }, metadata: {} },
});

/** Of a document that says what the digests are, which are not made anew. */
function writeRaw(dir: string, name: string, from: string, to: string): void {
  const file = join(dir, name);
  writeFileSync(file, readFileSync(file, "utf8").replace(from, to));
}

export const placed: Hostile[] = [
  {
    what: "a ref that climbs out",
    make: (dir) =>
      forgeRows(dir, "trials.jsonl", (rows) => first(rows, refOf("evidence/../../../etc"))),
    problem: "trials.jsonl malformed",
    message: "leads out of the bundle",
    refusedBy: ["rescore"],
  },
  {
    what: "a ref of a partial trial that climbs out",
    make: (dir) =>
      forgeRows(dir, "trials.jsonl", (rows) =>
        first(rows, {
          ...refOf("..\\..\\outside"),
          status: "partial",
          error: { type: "Timeout", message: "it took too long" },
        }),
      ),
    problem: "trials.jsonl malformed",
    message: "leads out of the bundle",
    refusedBy: ["show", "rescore"],
  },
  {
    what: "a path of evidence that climbs out",
    make: (dir) =>
      forgeRows(dir, "evidence.jsonl", (rows) => first(rows, { path: "evidence/../../outside" })),
    problem: "evidence.jsonl malformed",
    message: "leads out of the bundle",
    refusedBy: ["rescore"],
  },
  {
    what: "an absolute path of evidence",
    make: (dir) =>
      forgeRows(dir, "evidence.jsonl", (rows) => first(rows, { path: "/etc/hostname" })),
    problem: "evidence.jsonl malformed",
    message: "leads out of the bundle",
    refusedBy: ["rescore"],
  },
  {
    what: "a subject elsewhere",
    make: (dir) =>
      forgeDocument(dir, "provenance.json", (wire: { subject: unknown[] }) => {
        wire.subject.push({ name: "../outside", digest: { sha256: "0".repeat(64) } });
      }),
    problem: "provenance.json malformed",
    message: '"../outside"',
    refusedBy: ["show", "diff", "rescore"],
  },
  {
    what: "a link in place of a file of rows",
    make: (dir) => {
      renameSync(join(dir, "trials.jsonl"), join(dir, "../trials.jsonl"));
      symlinkSync("../trials.jsonl", join(dir, "trials.jsonl"));
    },
    problem: "trials.jsonl altered",
    message: "nothing that can be read",
  },
  {
    what: "a link in place of run.json",
    make: (dir) => {
      renameSync(join(dir, "run.json"), join(dir, "../run.json"));
      symlinkSync("../run.json", join(dir, "run.json"));
    },
    problem: "run.json malformed",
    message: "run.json",
  },
  {
    what: "a link to the root beside the records",
    make: (dir) => symlinkSync("/", join(dir, "more")),
    problem: "more added",
    message: "link",
  },
  {
    what: "a link out of the evidence",
    make: (_dir, evidence) => symlinkSync("/etc", join(evidence, "etc")),
    problem: "/etc added",
    message: "a link",
  },
  {
    what: "a link in place of all evidence",
    make: (dir) => {
      renameSync(join(dir, "evidence"), join(dir, "../moved"));
      symlinkSync("../moved", join(dir, "evidence"));
    },
    problem: "evidence altered",
    message: "a link",
  },
  {
    what: "a pipe in place of a file of rows",
    make: (dir) => {
      rmSync(join(dir, "scores.jsonl"));
      execFileSync("mkfifo", [join(dir, "scores.jsonl")]);
    },
    problem: "scores.jsonl altered",
    message: "no regular file",
  },
  {
    what: "a pipe in place of the signature",
    make: (dir) => execFileSync("mkfifo", [join(dir, "provenance.dsse.json")]),
    problem: "provenance.dsse.json malformed",
    message: "special file",
  },
  {
    what: "a pipe among the evidence",
    make: (_dir, evidence) => execFileSync("mkfifo", [join(evidence, "pipe")]),
    problem: "/pipe added",
    message: "a special file",
  },
  {
    what: "a file of evidence of 10 GB without content",
    make: (_dir, evidence) => truncateSync(join(evidence, "out.txt"), 10 * 1024 ** 3),
    problem: "/out.txt altered",
    message: "found 10737418240 bytes",
  },
  {
    what: "a document of 10 GB without content",
    make: (dir) => truncateSync(join(dir, "plan.json"), 10 * 1024 ** 3),
    problem: "plan.json altered",
    message: "the most that a document may take",
  },
  {
    what: "a manifest of 10 GB without content",
    make: (dir) => truncateSync(join(dir, "run.json"), 10 * 1024 ** 3),
    problem: "run.json malformed",
    message: "and may have",
  },
  {
    what: "a file that nothing names",
    make: (dir) => writeFileSync(join(dir, "notes.txt"), "hello"),
    problem: "notes.txt added",
    message: "no record names this file",
  },
  {
    what: "a folder that nothing names",
    make: (dir) => mkdirSync(join(dir, "more")),
    problem: "more added",
    message: "folder",
  },
  {
    what: "the report of another bundle",
    make: (dir) => writeFileSync(join(dir, "report.html"), "<p>all passed</p>"),
    problem: "report.html disagrees",
    message: "of another bundle",
  },
  {
    what: "a gate that is a link",
    make: (dir) => symlinkSync("/etc/hostname", join(dir, "gate.json")),
    problem: "gate.json added",
    message: "link",
  },
];

export const spoilt: Hostile[] = [
  {
    what: "a key twice in a row",
    make: (dir) =>
      forgeText(dir, "scores.jsonl", (text) =>
        text.replace('"status":"completed"', '"status":"failed","status":"completed"'),
      ),
    problem: "scores.jsonl malformed",
    message: `line 1: the key "status" of an object stands in it twice`,
    refusedBy: ["show"],
  },
  {
    what: "a key twice in a row of a task",
    make: (dir) =>
      forgeText(dir, "tasks.jsonl", (text) => text.replace('"id":', '"id":"other","id":')),
    problem: "tasks.jsonl malformed",
    message: `line 1: the key "id" of an object stands in it twice`,
    refusedBy: ["show", "diff"],
  },
  {
    what: "a status twice in a row of a trial",
    make: (dir) =>
      forgeText(dir, "trials.jsonl", (text) =>
        text.replace(/\}\n/, ',"st\\u0061tus":"partial"}\n'),
      ),
    problem: "trials.jsonl malformed",
    message: `line 1: the key "status" of an object stands in it twice`,
    refusedBy: ["show", "rescore"],
  },
  {
    what: "a key twice in a row of the ledger",
    make: (dir) =>
      forgeText(dir, "attempts.jsonl", (text) =>
        text.replace('"task_id":', '"task_id":"other","task_id":'),
      ),
    problem: "attempts.jsonl malformed",
    message: `line 1: the key "task_id" of an object stands in it twice`,
    refusedBy: ["rescore"],
  },
  {
    what: "a key twice in a row of evidence",
    make: (dir) =>
      forgeText(dir, "evidence.jsonl", (text) =>
        text.replace('"path":', '"path":"evidence/other","path":'),
      ),
    problem: "evidence.jsonl malformed",
    message: `line 1: the key "path" of an object stands in it twice`,
    refusedBy: ["rescore"],
  },
  {
    what: "a key twice in the last row, deep inside, spelt otherwise",
    make: (dir) =>
      forgeText(dir, "trials.jsonl", (text) =>
        text.replace(/"metadata":\{\}\}\n$/, '"metadata":{"a":{"b":"\\"","\\u0062":2}}}\n'),
      ),
    problem: "trials.jsonl malformed",
    message: `line 4: the key "b" of an object stands in it twice`,
    refusedBy: ["rescore"],
  },
  {
    what: "a key twice in a document",
    make: (dir) =>
      forgeText(dir, "plan.json", (text) =>
        text.replace('"suite_name"', '"run_id": "x",\n  "suite_name"'),
      ),
    problem: "plan.json malformed",
    message: "twice",
    refusedBy: ["diff"],
  },
  {
    what: "a key twice in the metadata",
    make: (dir) =>
      forgeText(dir, "metadata.json", (text) =>
        text.replace('"labels"', '"labels": {},\n  "labels"'),
      ),
    problem: "metadata.json malformed",
    message: `the key "labels" of an object stands in it twice`,
    refusedBy: ["show", "diff", "rescore"],
  },
  {
    what: "a key twice in the manifest",
    make: (dir) => writeRaw(dir, "run.json", '"status"', '"status": "incomplete", "status"'),
    problem: "run.json malformed",
    message: `the key "status" of an object stands in it twice`,
    refusedBy: ["show", "diff", "rescore"],
  },
  {
    what: "a key twice in the summary",
    make: (dir) =>
      forgeText(dir, "summary.json", (text) =>
        text.replace('"trial_count"', '"trial_count": 9,\n  "trial_count"'),
      ),
    problem: "summary.json malformed",
    message: 'the key "trial_count" stands in it twice',
    refusedBy: ["show", "diff"],
  },
  {
    what: "a key twice in the statement",
    make: (dir) => {
      writeRaw(dir, "provenance.json", '"subject"', '"subject": [], "subject"');
      resealManifest(dir);
    },
    problem: "provenance.json malformed",
    message: `the key "subject" of an object stands in it twice`,
    refusedBy: ["show", "diff", "rescore"],
  },
  {
    what: "a row that is nested 100,000 deep",
    make: (dir) =>
      forgeText(dir, "trials.jsonl", (text) =>
        text.replace('"metadata":{}', `"metadata":{"a":${"[".repeat(1e5)}${"]".repeat(1e5)}}`),
      ),
    problem: "trials.jsonl malformed",
    message: "trials.jsonl:1",
    refusedBy: ["rescore"],
  },
  {
    what: "a document that is nested 100,000 deep",
    make: (dir) =>
      forgeText(dir, "metadata.json", (text) =>
        text.replace('"labels": {}', `"labels": ${"[".repeat(1e5)}${"]".repeat(1e5)}`),
      ),
    problem: "metadata.json malformed",
    message: "nested deeper",
    refusedBy: ["show", "diff", "rescore"],
  },
  {
    what: "a manifest that is nested 100,000 deep",
    make: (dir) =>
      writeFileSync(join(dir, "run.json"), `{"a":${"[".repeat(1e5)}${"]".repeat(1e5)}}`),
    problem: "run.json malformed",
    message: "nested deeper",
    refusedBy: ["show", "diff", "rescore"],
  },
  {
    what: "bytes that are no UTF-8",
    make: (dir) => {
      const file = join(dir, "scores.jsonl");
      const bytes = readFileSync(file);
      bytes[bytes.indexOf("constant")] = 0xff;
      writeFileSync(file, bytes);
      reseal(dir);
    },
    problem: "scores.jsonl malformed",
    message: "no UTF-8",
    refusedBy: ["show"],
  },
  {
    what: "a row that is none",
    make: (dir) => {
      appendFileSync(join(dir, "attempts.jsonl"), "[1]\n");
      reseal(dir);
    },
    problem: "attempts.jsonl malformed",
    message: "attempts.jsonl:5",
    refusedBy: ["rescore"],
  },
  {
    what: "half a surrogate pair for an id",
    make: (dir) =>
      forgeText(dir, "trials.jsonl", (text) =>
        text.replace('"id":"t0:stand_in"', '"id":"t0:\\ud800"'),
      ),
    problem: "trials.jsonl disagrees",
    message: "\\ud800",
  },
];

export const contradicting: Hostile[] = [
  {
    what: "a trial less",
    make: (dir) => forgeRows(dir, "trials.jsonl", (rows) => rows.slice(1)),
    problem: "trials.jsonl disagrees",
    message: "it has 1 trials of task",
  },
  {
    what: "a trial twice",
    make: (dir) =>
      forgeRows(dir, "trials.jsonl", ([one, ...rest]) => [
        one as JsonObject,
        one as JsonObject,
        ...rest,
      ]),
    problem: "trials.jsonl disagrees",
    message: "stands in it twice",
  },
  {
    what: "a trial of no task",
    make: (dir) => forgeRows(dir, "trials.jsonl", (rows) => first(rows, { task_id: "none" })),
    problem: "trials.jsonl disagrees",
    message: 'is of task "none"',
  },
  {
    what: "a score of no trial",
    make: (dir) => forgeRows(dir, "scores.jsonl", (rows) => first(rows, { trial_id: "none" })),
    problem: "scores.jsonl disagrees",
    message: "is of a trial that trials.jsonl does not have",
  },
  {
    what: "a score less",
    make: (dir) => forgeRows(dir, "scores.jsonl", (rows) => rows.slice(1)),
    problem: "scores.jsonl disagrees",
    message: "it has no score of trial",
  },
  {
    what: "a score of another run",
    make: (dir) => forgeRows(dir, "scores.jsonl", (rows) => first(rows, { run_id: "other" })),
    problem: "scores.jsonl disagrees",
    message: 'is of the run "other"',
  },
  {
    what: "a score by a metric that the task lacks",
    make: (dir) => forgeRows(dir, "scores.jsonl", (rows) => first(rows, { metric_type: "other" })),
    problem: "scores.jsonl disagrees",
    message: "by a metric that the task does not have",
  },
  {
    what: "another value of a score",
    make: (dir) =>
      forgeRows(dir, "scores.jsonl", (rows) =>
        first(rows, { outputs: [{ name: "score", value: 0.25 }] }),
      ),
    problem: "summary.json disagrees",
    message: 'its values of task "t',
  },
  {
    what: "another mean in the summary",
    make: (dir) =>
      forgeText(dir, "summary.json", (text) => text.replace('"mean": 1,', '"mean": 0.5,')),
    problem: "summary.json disagrees",
    message: "mean 0.5 instead of 1",
  },
  {
    what: "another count in the summary",
    make: (dir) =>
      forgeText(dir, "summary.json", (text) =>
        text.replace('"trial_count": 4', '"trial_count": 5'),
      ),
    problem: "summary.json disagrees",
    message: "trial_count is not what the rows give: 5 instead of 4",
  },
  {
    what: "another target in metadata.json",
    make: (dir) =>
      forgeText(dir, "metadata.json", (text) => text.replaceAll("stand_in", "better_1")),
    problem: "metadata.json disagrees",
    message: "target",
  },
  {
    what: "the plan of another run",
    make: (dir) =>
      forgeDocument(dir, "plan.json", (wire: JsonObject) => ({ ...wire, run_id: "other" })),
    problem: "plan.json disagrees",
    message: "run_id",
  },
  {
    what: "another task in the plan",
    make: (dir) =>
      forgeDocument(
        dir,
        "plan.json",
        (wire: { tasks: { id: string }[] }) => void wire.tasks.reverse(),
      ),
    problem: "plan.json disagrees",
    message: 'task number 0 is "t1"',
  },
  {
    what: "tokens of the prompt of an attempt that were not counted",
    make: (dir) => forgeRows(dir, "attempts.jsonl", (rows) => first(rows, { prompt_tokens: 7 })),
    problem: "provenance.json disagrees",
    message: "usage.prompt_tokens is not what other files say",
  },
  {
    what: "tokens of the answer of an attempt that were not counted",
    make: (dir) =>
      forgeRows(dir, "attempts.jsonl", (rows) => first(rows, { completion_tokens: 7 })),
    problem: "provenance.json disagrees",
    message: "usage.completion_tokens is not what other files say",
  },
  {
    what: "costs of an attempt that were not counted",
    make: (dir) => forgeRows(dir, "attempts.jsonl", (rows) => first(rows, { cost_usd: 0.25 })),
    problem: "provenance.json disagrees",
    message: "usage.cost_usd is not what other files say",
  },
  {
    what: "an attempt less than was counted",
    make: (dir) => forgeRows(dir, "attempts.jsonl", (rows) => rows.slice(1)),
    problem: "provenance.json disagrees",
    message: "usage.attempts",
  },
  {
    what: "evidence of another trial",
    make: (dir) =>
      forgeRows(dir, "evidence.jsonl", (rows) =>
        // Rows stand in the order of arrival: one that is of that trial already would say nothing wrong.
        rows.map((row) =>
          row["task_id"] === "t0" ? { ...row, task_id: "t1", trial_id: "t1:stand_in" } : row,
        ),
      ),
    problem: "evidence.jsonl disagrees",
    message: "not in the folder of its trial",
  },
];
