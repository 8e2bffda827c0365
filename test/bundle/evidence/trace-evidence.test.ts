import {
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { createEvidence } from "../../../packages/assay/src/bundle/evidence/evidence.ts";
import type { TrajectoryFormat } from "../../../packages/assay/src/contracts/trajectory.ts";
import { createNodePlatform } from "../../../packages/assay/src/platform/node-platform.ts";
import { evidenceSetSchema } from "../../../packages/assay/src/schema/evidence.ts";

let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "assay-traces-")));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const platform = createNodePlatform({});
const open = (descriptors: Readonly<Record<string, object>>, isForeign = false) =>
  createEvidence({
    set: evidenceSetSchema.parse({ descriptors }),
    baseDir: folder,
    isForeign,
    files: platform.files,
    process: platform.process("trace-test"),
  });

const atif = (message: string) => ({
  schema_version: "ATIF-v1.4",
  steps: [{ source: "agent", message }],
});
const otlp = (answer: string) => ({
  resourceSpans: [
    {
      scopeSpans: [
        { spans: [{ attributes: [{ key: "output.value", value: { stringValue: answer } }] }] },
      ],
    },
  ],
});
const trace = (more: object) => ({ kind: "trace", ...more });
const inFile = (name: string, content: unknown) => {
  writeFileSync(
    join(folder, name),
    typeof content === "string" ? content : JSON.stringify(content),
  );
  return name;
};

describe("the trajectory of a trial", () => {
  it.each<[string, Record<string, object>, [name?: string, format?: TrajectoryFormat], string]>([
    ["inline", { trace: trace({ data: atif("inline") }) }, [], "inline"],
    [
      "of a declared format",
      { trace: trace({ format: "otlp", data: otlp("spans") }) },
      [],
      "spans",
    ],
    ["of another name", { mine: trace({ format: "atif", data: atif("mine") }) }, ["mine"], "mine"],
    [
      "of the format that is asked for, under the name itself",
      {
        trace: trace({ format: "otlp", data: otlp("spans") }),
        "trace:otlp": trace({ format: "otlp", data: otlp("other") }),
      },
      ["trace", "otlp"],
      "spans",
    ],
    [
      "of the format that is asked for, under the name with the format",
      {
        trace: trace({ format: "otlp", data: otlp("spans") }),
        "trace:atif": trace({ format: "atif", data: atif("steps") }),
      },
      ["trace", "atif"],
      "steps",
    ],
    [
      "by the format that is declared, not by the ending of the name",
      {
        trace: trace({ format: "otlp", data: otlp("spans") }),
        "trace:atif": trace({ data: atif("null") }),
      },
      ["trace", "atif"],
      "null",
    ],
  ])("is read %s", async (_case, descriptors, asked, message) => {
    expect((await open(descriptors).trajectory(...asked)).finalMessage).toBe(message);
  });

  it("is read from a file, once, and inline data win over it", async () => {
    const ref = inFile("trajectory.atif.json", atif("file"));
    const evidence = open({ trace: trace({ format: "atif", ref }) });
    const first = await evidence.trajectory();
    inFile("trajectory.atif.json", atif("changed"));

    expect(first.finalMessage).toBe("file");
    expect(await evidence.trajectory()).toBe(first);
    const both = open({ trace: trace({ ref: "nowhere.json", data: atif("inline") }) });
    expect((await both.trajectory()).finalMessage).toBe("inline");
  });

  it.each<
    [string, Record<string, object>, [name?: string, format?: TrajectoryFormat], string, string]
  >([
    ["is not there", {}, [], "ASSAY_EVIDENCE_UNAVAILABLE", "there is none"],
    [
      "is of another kind",
      { trace: { kind: "logs", ref: "x" } },
      [],
      "ASSAY_EVIDENCE_UNAVAILABLE",
      'of kind "logs"',
    ],
    [
      "is in a format that is not read",
      { trace: trace({ format: "json", data: {} }) },
      [],
      "ASSAY_EVIDENCE_UNAVAILABLE",
      'is in the format "json", not in atif or otlp',
    ],
    [
      "is not there in the format that is asked for",
      { trace: trace({ data: atif("x") }), "trace:otlp": trace({ format: "json", data: {} }) },
      ["trace", "otlp"],
      "ASSAY_EVIDENCE_UNAVAILABLE",
      "of kind trace there is: trace (atif), trace:otlp (json)",
    ],
    [
      "lies in a file that is gone",
      { trace: trace({ ref: "gone.json" }) },
      [],
      "ASSAY_EVIDENCE_UNAVAILABLE",
      "is not there",
    ],
    [
      "is a directory",
      { trace: trace({ ref: "sub" }) },
      [],
      "ASSAY_EVIDENCE_UNAVAILABLE",
      "is no file",
    ],
    [
      "lies on another machine",
      { trace: trace({ ref: "s3://b/t.json" }) },
      [],
      "ASSAY_EVIDENCE_UNAVAILABLE",
      "is not local",
    ],
    ["leads out", { trace: trace({ ref: "../t.json" }) }, [], "ASSAY_PATH_ESCAPES", "leads out"],
    [
      "is a link that leads out",
      { trace: trace({ ref: "link.json" }) },
      [],
      "ASSAY_PATH_ESCAPES",
      "leads out",
    ],
    [
      "is too long",
      { trace: trace({ ref: "long.json" }) },
      [],
      "ASSAY_FILE_UNREADABLE",
      "may have 67108864",
    ],
    [
      "is torn",
      { trace: trace({ ref: "torn.json" }) },
      [],
      "ASSAY_TRAJECTORY_INVALID",
      'evidence "trace": it is not JSON',
    ],
    [
      "is of another format than declared",
      { trace: trace({ data: otlp("x") }) },
      [],
      "ASSAY_TRAJECTORY_INVALID",
      "schema_version",
    ],
  ])("cannot be read when it %s", async (_case, ...[descriptors, asked, code, problem]) => {
    mkdirSync(join(folder, "sub"));
    symlinkSync("/etc/hostname", join(folder, "link.json"));
    truncateSync(join(folder, inFile("long.json", "")), 64 * 1024 * 1024 + 1);
    inFile("torn.json", '{"schema_version":"ATIF-v1.4","steps":[{');

    await expect(open(descriptors).trajectory(...asked)).rejects.toMatchObject({
      code,
      message: expect.stringContaining(problem) as string,
    });
  });

  it("is not followed out of somebody else's bundle", async () => {
    const path = join(folder, inFile("t.json", atif("x")));

    expect((await open({ trace: trace({ ref: path }) }).trajectory()).finalMessage).toBe("x");
    await expect(open({ trace: trace({ ref: path }) }, true).trajectory()).rejects.toMatchObject({
      code: "ASSAY_PATH_ESCAPES",
    });
  });
});
