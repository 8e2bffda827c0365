import { join } from "node:path";
import { describe, expect, it } from "vitest";

import { assay, type Ended, folder } from "../cli/e2e/assay-process.ts";
import {
  type Credential,
  makeCredentials,
  partsOf,
} from "../provenance/redaction/credential-shapes.ts";
import { filesBelow, hasFolder, leaksIn, type Planted } from "./leak-search.ts";
import { plantingSuite, withoutRedactor } from "./planting-suite.ts";

interface Way {
  /** What the agent of the suite does with the texts. */
  readonly as: string;
  readonly write: (credential: Credential) => string;
  /** A variable of the environment that holds it, by number: the value is known then, in every form. */
  readonly variable?: (number: number, value: string) => readonly [name: string, value: string];
  readonly isDeclared?: boolean;
  /** It is in the task already. */
  readonly isGiven?: boolean;
  readonly isPossible?: (credential: Credential) => boolean;
}

const inVariable = (number: number, value: string) => [`SERVICE_${number}_API_KEY`, value] as const;
const raw = ({ value }: Credential): string => value;
const text = ({ text: given }: Credential): string => given;
const encoded = ({ value }: Credential): string => encodeURIComponent(value);

/** The ways in which a credential comes into a run. */
const ways: Readonly<Record<string, Way>> = {
  "a variable of the environment": { as: "output", write: raw, variable: inVariable },
  "a declared secret": {
    as: "response",
    write: raw,
    variable: (number, value) => [`DECLARED_${number}`, value],
    isDeclared: true,
  },
  "a proxy variable": {
    as: "step",
    write: raw,
    variable: (number, value) => [
      `PROXY_${number}`,
      `http://ci:${encodeURIComponent(value)}@proxy.internal:8080`,
    ],
  },
  "base64 of a known one": {
    as: "output",
    write: ({ value }) => Buffer.from(`user:${value}`).toString("base64"),
    variable: inVariable,
  },
  "a known one, percent-encoded": { as: "files", write: encoded, variable: inVariable },
  "a known one in hex": {
    as: "step",
    write: ({ value }) => Buffer.from(value).toString("hex"),
    variable: inVariable,
  },
  "a header": {
    as: "response",
    write: ({ value }) => `{"headers":{"authorization":"Bearer ${JSON.stringify(value).slice(1)}}}`,
  },
  "the user-info of an address": {
    as: "output",
    write: (credential) => `GET https://ci:${encoded(credential)}@api.internal/v1 401`,
  },
  "the query of an address": {
    as: "step",
    write: (credential) => `GET https://api.internal/v1?api_key=${encoded(credential)}&page=2`,
  },
  "the arguments of a child": {
    as: "step",
    write: ({ value }) => `deploy --api-key=${value} --force`,
  },
  "a remote of git": {
    as: "step",
    write: (credential) =>
      `origin\thttps://x-access-token:${encoded(credential)}@git.internal/a/b.git (fetch)`,
  },
  "a configuration file": { as: "files", write: text },
  "the body of an HTTP error": { as: "throw", write: text },
  "the text of a model": { as: "output", write: text },
  "the output of a tool": { as: "step", write: text },
  "a stack trace": { as: "stack", write: text },
  "a log": { as: "log", write: text },
  "two chunks of a stream": { as: "borders", write: text },
  "JSON in JSON": {
    as: "output",
    write: (it) => JSON.stringify(JSON.stringify({ log: `a\n${it.text}\n` })),
  },
  "metadata and its names": { as: "metadata", write: text },
  "the inputs of a task": { as: "output", write: text, isGiven: true },
  "the name of a file": {
    as: "names",
    write: text,
    isPossible: ({ text: given }) => /^[^/\n]{1,120}$/.test(given),
  },
  "a tar file": { as: "tar", write: text },
  "a compressed file": { as: "gzip", write: text },
};

interface Plant {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly planted: readonly Planted[];
}

/** Makes new credentials for each way, and a folder with a suite that plants them. */
function plant(): Plant {
  const env: Record<string, string> = {};
  const planted: Planted[] = [];
  const declared: string[] = [];
  const agents: Record<string, object> = {};
  // Every known value costs time: those in plain variables are the same in all their encodings.
  const inVariables = makeCredentials();
  for (const [name, way] of Object.entries(ways)) {
    const fresh = way.variable === inVariable ? inVariables : makeCredentials();
    const credentials = fresh.filter(way.isPossible ?? (() => true));
    for (const [number, credential] of credentials.entries()) {
      planted.push({ way: name, shape: credential.shape, parts: partsOf(credential) });
      const variable = way.variable?.(number, credential.value);
      if (variable !== undefined) env[variable[0]] = variable[1];
      if (variable !== undefined && way.isDeclared === true) declared.push(variable[0]);
    }
    agents[name] = { as: way.as, texts: credentials.map(way.write), isGiven: way.isGiven === true };
  }
  const labelled = makeCredentials();
  for (const credential of labelled)
    planted.push({ way: "a label", shape: credential.shape, parts: partsOf(credential) });
  const label = labelled.map(text).join("\n");
  const cwd = folder({
    "plant.eval.mjs": plantingSuite,
    "broken.eval.mjs": `import { readFileSync } from "node:fs";
      const { agents } = JSON.parse(readFileSync(process.env["PLANT_" + "FILE"], "utf8"));
      throw new Error("cannot connect: " + agents["the text of a model"].texts.join(" "));`,
    "off.mjs": withoutRedactor,
    "plan.json": JSON.stringify({ agents, declared, label }),
  });
  return { cwd, env: { ...env, PLANT_FILE: join(cwd, "plan.json") }, planted };
}

const allShapes = makeCredentials().length;
const commands: Readonly<Record<string, readonly string[]>> = {
  run: ["run", "plant.eval.mjs", "--out", "run"],
  show: ["show", "run"],
  "show --json": ["show", "run", "--json"],
  "show --provenance": ["show", "run", "--provenance"],
  verify: ["verify", "run"],
  rescore: ["rescore", "run", "--suite", "plant.eval.mjs", "--out", "again", "--json"],
  diff: ["diff", "run", "again"],
  doctor: ["doctor", "--json"],
  "a suite that throws": ["run", "broken.eval.mjs", "--out", "broken"],
};

/** Runs the commands and gives all that they wrote and printed. */
async function allSeen(
  { cwd, env }: Plant,
  names: readonly string[],
): Promise<{ readonly seen: Map<string, Buffer>; readonly ended: Map<string, Ended> }> {
  const seen = new Map<string, Buffer>();
  const ended = new Map<string, Ended>();
  for (const name of names) {
    const end = await assay(commands[name] ?? [], { cwd, env });
    ended.set(name, end);
    seen.set(`stdout of ${name}`, Buffer.from(end.stdout));
    seen.set(`stderr of ${name}`, Buffer.from(end.stderr));
  }
  for (const dir of ["run", "again", "broken"].filter((name) => hasFolder(join(cwd, name))))
    for (const [path, bytes] of filesBelow(join(cwd, dir))) seen.set(`${dir}/${path}`, bytes);
  return { seen, ended };
}

describe("no credential, whatever its shape and whatever its way in,", () => {
  it("is in anything that a run writes or prints, nor what is later made of it", async () => {
    const made = plant();

    const { seen, ended } = await allSeen(made, Object.keys(commands));

    expect(allShapes).toBeGreaterThanOrEqual(60);
    expect(Object.keys(ways).length).toBeGreaterThanOrEqual(15);
    expect(seen.get("run/trials.jsonl")?.includes("<redacted>")).toBe(true);
    expect([ended.get("verify")?.exitCode, ended.get("doctor")?.exitCode]).toEqual([0, 0]);
    expect(seen.get("run/trials.jsonl")?.length).toBeGreaterThan(10_000);
    expect(seen.get("again/scores.jsonl")?.length).toBeGreaterThan(1000);
    expect(leaksIn(seen, made.planted)).toEqual([]);
  }, 240_000);

  it("would be missed by this search: without the redactor each way leaks, and is hidden when it is shown", async () => {
    const made = plant();
    const env = { ...made.env, NODE_OPTIONS: `--import=${join(made.cwd, "off.mjs")}` };

    const { seen } = await allSeen({ ...made, env }, ["run", "a suite that throws"]);

    const leaks = leaksIn(seen, made.planted);
    for (const way of ["a label", ...Object.keys(ways)]) {
      const shown = leaks.filter((leak) => leak.startsWith(`${way} / `));
      expect(shown.length, way).toBeGreaterThan(0);
    }
    expect(leaks.some((leak) => leak.endsWith("in stderr of a suite that throws"))).toBe(true);
    const later = await allSeen(made, ["show", "show --json", "show --provenance", "rescore"]);
    for (const path of later.seen.keys()) if (path.startsWith("run/")) later.seen.delete(path);
    expect(later.seen.get("stdout of show --json")?.includes("<redacted>")).toBe(true);
    expect(later.seen.has("again/scores.jsonl")).toBe(true);
    expect(leaksIn(later.seen, made.planted)).toEqual([]);
  }, 240_000);
});
