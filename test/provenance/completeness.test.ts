import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { AgentEvaluator, loadSuite } from "assay";
import { exactMatch } from "assay/metrics";
import { codexCli } from "assay/runners";
import { beforeAll, expect, it, onTestFinished } from "vitest";
import { startScriptedServer } from "../../examples/coding-agent/scripted-server.mjs";
import { selfDigest } from "../../packages/assay/src/bundle/manifest.ts";
import { runnerMap } from "../../packages/assay/src/runners/map.ts";
import { wireJsonSchema } from "../../packages/assay/src/schema/json-schema.ts";
import { provenancePredicateSchema } from "../../packages/assay/src/schema/provenance.ts";
import type { JsonObject } from "../../packages/assay/src/support/json.ts";
import { asKilled } from "../engine/resume-kit.ts";
import { storedDocument, tasks } from "../engine/run-kit.ts";
import { sandboxedCodex } from "../runners/codex/codex-sandbox.ts";
import { fakeCodex, makeFolder } from "../runners/codex/run-codex.ts";
import { codexPath, defineTool, describeNeeds, itNeeds, onPath } from "../support/tools.ts";
import { type Cells, type ColumnRun, runnerColumns } from "./fact-columns.ts";

defineTool("git", () => (onPath("git") === null ? "git is not installed" : null));

/** The facts that a provenance has to tell, and where each stands. */
const facts: readonly (readonly [fact: string, place: string])[] = [
  ["run id", "run.id"],
  ["invocation id", "run.invocation_id"],
  ["resumed-from id", "last.resumed_from_id"],
  ["resumed-from digest", "last.resumed_from"],
  ["version of Assay", "assay.version"],
  ["integrity of Assay", "assay.integrity"],
  ["lockfile digest", "source.lockfile.sha256"],
  ["git commit in full", "source.commit"],
  ["dirty flag", "source.is_dirty"],
  ["diff digest", "source.diff_digest"],
  ["origin without credentials", "source.origin_url"],
  ["submodules", "source.submodules"],
  ["runner name", "runner.name"],
  ["runner kind", "runner.kind"],
  ["runner version", "last.tool_version"],
  ["effective options", "runner.config"],
  ["origin of each option", "runner.origins"],
  ["role of each option", "runner.roles"],
  ["requested model", "models.requested"],
  ["option that names the model", "models.set_by"],
  ["served model", "models.served"],
  ["prompt digest", "prompt.digest"],
  ["template digests", "metrics.0.templates"],
  ["settings digest", "digests.settings"],
  ["resolved digest", "digests.resolved"],
  ["plan digest", "digests.plan"],
  ["code digest", "digests.code"],
  ["code files", "code_files"],
  ["task-set location", "tasks.location"],
  ["task-set content digest", "digests.tasks"],
  ["seeds and held-out files", "digests.content"],
  ["metric identity and digest", "metrics.0.digest"],
  ["judge identity and digest", "metrics.0.judge"],
  ["sandbox provider", "sandbox.provider"],
  ["image reference", "sandbox.image"],
  ["image digest", "sandbox.image_digest"],
  ["limits", "sandbox.limits"],
  ["network policy", "sandbox.network"],
  ["isolation", "sandbox.isolation"],
  ["tool facts with content", "tool.resolved"],
  ["host OS", "host.os"],
  ["architecture", "host.architecture"],
  ["runtime", "host.node_version"],
  ["CPU count", "host.cpu_count"],
  ["container hint", "host.container"],
  ["command", "last.command"],
  ["start, UTC", "last.started_at"],
  ["end, UTC", "last.finished_at"],
  ["monotonic duration", "last.duration_ms"],
  ["cause of end", "last.cause"],
  ["environment of each start", "last.environment"],
  ["accepted differences", "last.accepted"],
  ["time per phase", "time.phases_ms"],
  ["time in the queue", "time.queue_ms"],
  ["status", "run.status"],
  ["prompt tokens", "usage.prompt_tokens"],
  ["completion tokens", "usage.completion_tokens"],
  ["cost", "usage.cost_usd"],
  ["version of the price table", "usage.price_table"],
  ["cache use, attempts", "cache.attempts"],
  ["cache use, tokens", "cache.prompt_tokens"],
  ["redaction counts", "redactions"],
  ["labels", "labels"],
  ["parents", "parents"],
];

/** What a machine has or has not; the table is to be the same on all. */
const ofTheMachine = new Set(["host.container"]);

interface Statement {
  readonly predicate: Readonly<Record<string, unknown>> & { readonly invocations: object[] };
}

/** "value", "none", or the reason why it is not known. */
function cellOf({ predicate }: Statement, place: string): string {
  if (ofTheMachine.has(place)) return "value or reason";
  let at: unknown = { ...predicate, last: predicate.invocations.at(-1) };
  for (const key of place.split(".")) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, key)) return "MISSING";
    at = (at as Record<string, unknown>)[key];
    const reason = reasonOf(at);
    if (reason !== null) return reason;
  }
  if (at === undefined) return "MISSING";
  return at === null || (typeof at === "object" && Object.keys(at).length === 0) ? "none" : "value";
}

function reasonOf(value: unknown): string | null {
  if (typeof value !== "object" || value === null) return null;
  const { unknown, ...rest } = value as { unknown?: unknown };
  return typeof unknown === "string" && Object.keys(rest).length === 0 ? unknown : null;
}

const suiteText = (target: string, given: unknown = tasks(2)) => `
import { defineSuite } from "assay";
import { exactMatch } from "assay/metrics";
import * as runners from "assay/runners";
const { callable, codexCli } = runners;

export default defineSuite({
  name: "facts",
  tasks: ${JSON.stringify(given)},
  metrics: [exactMatch({ reference: "{{ item.inputs.instruction }}" })],
  labels: { team: "x" },
  secrets: ["KEY"],
  trials: 2,
  ${target}
});
`;

const agent = `async (task, { usage }) => {
  usage.add({ promptTokens: 3, completionTokens: 2, costUsd: 0.25 });
  return { output: process.env.KEY ?? "quiet-otter-parade-41", models: { requested: "m", served: "m-1" } };
}`;

/** A repository with a suite for each way to come by trials. */
function repository(more: Readonly<Record<string, string>> = {}): string {
  const root = makeFolder();
  const files: Record<string, string> = {
    "package-lock.json": "{}",
    "callable.eval.ts": suiteText(`target: callable({ name: "agent", agent: ${agent} }),`),
    "isolated.eval.ts": suiteText(
      `target: callable({ name: "agent", agent: ${agent}, isolation: "process" }),`,
    ),
    "codex.eval.ts": suiteText(
      `target: codexCli({ model: "m", codexBin: ${JSON.stringify(fakeCodex)} }),`,
    ),
    "imported.eval.ts": suiteText(`importedTrials: { jsonl: "trials.jsonl" },`),
    ".gitignore": "out\n",
    ...more,
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(root, name), text);
  mkdirSync(join(root, "out"));
  for (const args of [
    ["init", "--quiet"],
    ["remote", "add", "origin", "https://user:tok-12345678@host.example/r.git"],
    ["add", "."],
    ["-c", "user.name=n", "-c", "user.email=e@example.org", "commit", "-qm", "first"],
  ])
    execFileSync("git", args, { cwd: root, stdio: "ignore" });
  writeFileSync(join(root, "package-lock.json"), "{ }");
  return root;
}

/** The suite of a runner's column, in a repository of its own. */
async function runOf(column: ColumnRun): Promise<Statement> {
  const { factory, options, tasks: given, env: more, modules } = column;
  const text = suiteText(`target: runners.${factory}(${JSON.stringify(options)}),`, given);
  const root = repository({ "runner.eval.ts": text });
  if (modules !== undefined) symlinkSync(modules, join(root, "node_modules"));
  const { CODEX_HOME: _home, ...hostEnv } = process.env;
  const env = { ...hostEnv, KEY: "quiet-otter-parade-41", ...more };
  const evaluator = new AgentEvaluator({
    cwd: root,
    env,
    scratchParent: join(root, "out/scratch"),
  });
  const workDir = join(root, "out/run");
  const suite = await loadSuite(join(root, "runner.eval.ts"));
  await evaluator.runSuite(suite, { workDir, invocation: ["assay", "run", "runner"] });
  return storedDocument(workDir, "provenance.json") as never as Statement;
}

/** Its cells, by the places of the facts. */
function cellsOf(statement: Statement): Cells {
  return Object.fromEntries(facts.map(([, place]) => [place, cellOf(statement, place)]));
}

const cellsFile = (name: string) => join(import.meta.dirname, "facts", `${name}.json`);

/** A run of each kind, by the head of its column. */
async function runs(): Promise<ReadonlyMap<string, Statement>> {
  const root = repository();
  const { CODEX_HOME: _home, ...hostEnv } = process.env;
  const env = { ...hostEnv, KEY: "quiet-otter-parade-41" };
  const evaluator = new AgentEvaluator({
    cwd: root,
    env,
    scratchParent: join(root, "out/scratch"),
  });
  const suite = async (name: string) => await loadSuite(join(root, `${name}.eval.ts`));
  const dir = (name: string) => join(root, "out", name);
  const options = (name: string) => ({ workDir: dir(name), invocation: ["assay", "run", name] });
  for (const name of ["callable", "isolated", "codex"])
    await evaluator.runSuite(await suite(name), options(name));
  copyFileSync(join(dir("callable"), "trials.jsonl"), join(root, "trials.jsonl"));
  await evaluator.runSuite(await suite("imported"), options("imported"));
  await evaluator.rescore(dir("codex"), await suite("codex"), options("re-scored"));
  await evaluator.runSuite(await suite("callable"), { ...options("resumed"), trialsPerTask: 1 });
  await evaluator.runSuite(await suite("callable"), {
    ...options("resumed"),
    resume: true,
    trialsPerTask: 2,
  });
  asKilled(dir("resumed"));
  forgetEnd(dir("resumed"));
  const last = { ...options("resumed"), resume: true, trialsPerTask: 3 };
  await evaluator.runSuite(await suite("callable"), last);
  const names = ["callable", "isolated", "codex", "imported", "re-scored", "resumed"];
  return new Map(
    names.map((name) => [name, storedDocument(dir(name), "provenance.json") as never as Statement]),
  );
}

/** What the last start told of its end was never written. */
function forgetEnd(dir: string): void {
  const { self_digest: _digest, ...manifest } = storedDocument(dir, "run.json");
  const invocations = manifest["invocations"] as JsonObject[];
  const unknown = { unknown: "it has not ended, or was killed" };
  const killed = { ...invocations.pop(), finished_at: unknown, redactions: unknown };
  const document = { ...manifest, invocations: [...invocations, killed] } as JsonObject;
  const sealed = { ...document, self_digest: selfDigest(document) };
  writeFileSync(join(dir, "run.json"), JSON.stringify(sealed));
}

/** The table, with each reason once below it. */
function documentOf(columns: ReadonlyMap<string, Cells>): string {
  const reasons: string[] = [];
  const shown = (cell: string) => {
    if (["value", "none", "value or reason"].includes(cell)) return cell;
    if (!reasons.includes(cell)) reasons.push(cell);
    return `(${reasons.indexOf(cell) + 1})`;
  };
  const rows = facts.map(([fact, place]) => {
    const cells = [...columns.values()].map((column) => shown(column[place] ?? "MISSING"));
    return `| ${fact} | \`${place.replace("last.", "invocations[].").replace(".0.", "[].")}\` | ${cells.join(" | ")} |`;
  });
  return `${[
    "<!-- Generated by test/provenance/completeness.test.ts from runs; `npx vitest run test/provenance/completeness.test.ts -u` writes it anew. -->",
    "",
    "# Each fact of a provenance, by runner",
    "",
    "What [`provenance.json`](provenance.md) holds of runs, some with a program in the place of the tool: a value, none",
    "(there is nothing of the kind, and that is known), or the reason below, as it stands in the file, why it is not known.",
    "",
    `| fact | place in the predicate | ${[...columns.keys()].join(" | ")} |`,
    `|---|---|${"---|".repeat(columns.size)}`,
    ...rows,
    "",
    ...reasons.map((reason, index) => `${index + 1}. ${reason}`),
    "",
    "## The sections, in SLSA's terms",
    "",
    "The predicate is of a type of its own. This is where each of its sections would stand in the provenance of SLSA.",
    "",
    "| section | SLSA | |",
    "|---|---|---|",
    ...slsaRows(),
  ].join("\n")}\n`;
}

function slsaRows(): string[] {
  const { properties } = wireJsonSchema(provenancePredicateSchema) as {
    readonly properties: Readonly<Record<string, Readonly<Record<string, string>>>>;
  };
  return Object.entries(properties).map(
    ([name, { "x-slsa": part, description }]) => `| \`${name}\` | ${part} | ${description} |`,
  );
}

for (const [name, { needs = ["git"], make }] of Object.entries(runnerColumns))
  itNeeds(
    needs,
    `the provenance of ${name} holds each fact as a value or with a typed reason, as its column says`,
    async () => {
      const cells = cellsOf(await runOf(await make()));

      expect(Object.values(cells)).not.toContain("MISSING");
      await expect(`${JSON.stringify(cells, null, 2)}\n`).toMatchFileSnapshot(cellsFile(name));
    },
    120_000,
  );

describeNeeds("git", "the provenance of real runs", () => {
  let made: ReadonlyMap<string, Statement>;
  beforeAll(async () => {
    made = await runs();
  }, 120_000);

  it("holds each fact of the design as a value or with a typed reason, as the docs say", async () => {
    const all = [...made.values()].flatMap((statement) =>
      facts.map(([, place]) => cellOf(statement, place)),
    );

    expect(all).not.toContain("MISSING");
    const columns = new Map([...made].map(([name, statement]) => [name, cellsOf(statement)]));
    for (const name of Object.keys(runnerColumns)) {
      const text = readFileSync(cellsFile(name), "utf8");
      columns.set(name, JSON.parse(text) as Cells);
    }
    await expect(documentOf(columns)).toMatchFileSnapshot("../../docs/provenance-facts.md");
  });

  it("is told for every shipped runner", () => {
    const shown = ["callable", "codex_cli", ...Object.keys(runnerColumns)];
    expect(shown.sort()).toEqual(Object.keys(runnerMap).sort());
  });

  it("has no section that the table leaves out", () => {
    const sections = new Set(facts.map(([, place]) => place.split(".")[0]));
    for (const { predicate } of made.values()) {
      const beside = Object.keys(predicate).filter((name) => !sections.has(name));
      expect(beside.sort()).toEqual(["invocations", "parameters"]);
    }
  });

  it("of a resumed run tells of each start, sums over all, and names what each went on with", () => {
    const { predicate } = made.get("resumed") as never as { readonly predicate: Resumed };
    const { invocations, parents } = predicate;
    const [first, second, third] = invocations;

    expect(new Set(invocations.map(({ id }) => id)).size).toBe(3);
    expect(predicate.run["invocation_id"]).toBe(third?.id);
    expect(invocations).toMatchObject([
      { cause: "ended", resumed_from_id: null, redactions: { "exact-value": expect.any(Number) } },
      { resumed_from_id: first?.id, resumed_from: expect.stringMatching(/^sha256:/) },
      { cause: "ended", resumed_from_id: second?.id, resumed_from: null },
    ]);
    const [began, killed, ended] = invocations.map(
      ({ redactions }) => redactions["exact-value"] ?? 0,
    );
    expect(killed).toBe(0);
    expect(predicate.redactions).toEqual({ "exact-value": (began ?? 0) + (ended ?? 0) });
    expect(predicate.usage).toMatchObject({ attempts: 6, prompt_tokens: 18, cost_usd: 1.5 });
    expect(predicate.time["phases_ms"]).toMatchObject({ run: expect.any(Number) });
    expect(parents).toMatchObject([
      { relation: "resumed", bundle_digest: { unknown: "it ended without being sealed" } },
      { relation: "resumed", bundle_digest: second?.resumed_from, digests: first?.digests },
    ]);
    expect(new Set(invocations.map(({ digests }) => digests["plan"])).size).toBe(3);
    const { source, assay } = predicate;
    for (const { environment } of invocations) expect(environment).toMatchObject({ source, assay });
  });

  it("of a rescored run keeps what the trials came from", () => {
    expect(made.get("re-scored")).toMatchObject({
      predicate: {
        runner: { kind: "imported" },
        parents: [{ relation: "rescored", target: { name: "codex_cli", version: "0.171.0" } }],
      },
    });
  });

  it("holds no secret, and no path or name of the machine beside what a command line gave", () => {
    const text = JSON.stringify([...made.values()]);

    for (const secret of ["quiet-otter", "tok-12345678"]) expect(text).not.toContain(secret);
    expect(made.get("callable")?.predicate["source"]).toMatchObject({
      origin_url: "https://host.example/r.git",
      is_dirty: true,
    });
    const all = { ...made.get("callable")?.predicate };
    const { runner: _runner, tool: _tool, ...rest } = all as Record<string, unknown>;
    expect(JSON.stringify(rest)).not.toContain(homedir());
  });
});

itNeeds(
  sandboxedCodex,
  "the provenance of a real Codex holds each fact, with its version, its file, its model and what a cache saved",
  async () => {
    const apiKey = "sk-test-0123456789abcdef";
    const scripts = [{ title: "work", takes: [[{ say: "It is done." }]] }];
    const server = await startScriptedServer({ scripts, apiKey });
    onTestFinished(() => server.close());
    const root = makeFolder();
    const { CODEX_HOME: _home, ...env } = process.env;
    const evaluator = new AgentEvaluator({
      cwd: root,
      env: { ...env, MODEL_KEY: apiKey },
      scratchParent: join(root, "scratch"),
    });
    const provider = {
      name: "s",
      base_url: server.url,
      wire_api: "responses",
      env_key: "MODEL_KEY",
    };

    const { workDir } = await evaluator.run({
      tasks: [{ id: "t", intent: "i", inputs: { instruction: "# work\n\nDo it." } }],
      metrics: [exactMatch({ reference: "{{ item.inputs.instruction }}" })],
      target: codexCli({
        codexBin: codexPath() ?? "codex",
        timeoutS: 30,
        configOverrides: {
          model: "scripted-model",
          model_provider: "scripted",
          "model_providers.scripted": provider,
        },
      }),
      config: { workDir: join(root, "run"), secrets: ["MODEL_KEY"] },
    });

    const statement = storedDocument(workDir, "provenance.json") as never as Statement;
    expect(facts.map(([, place]) => cellOf(statement, place))).not.toContain("MISSING");
    expect(statement).toMatchObject({
      predicate: {
        models: {
          requested: "scripted-model",
          set_by: { option: "config_overrides.model", origin: "suite" },
        },
        tool: { version: expect.stringMatching(/^\d+\.\d+/), resolved: expect.any(Object) },
        cache: { prompt_tokens: expect.any(Number) },
        sandbox: { isolation: "os_sandbox", network: "none" },
      },
    });
    expect(JSON.stringify(statement)).not.toContain(apiKey);
  },
  90_000,
);

interface Resumed {
  readonly run: Readonly<Record<string, unknown>>;
  readonly invocations: readonly (Readonly<Record<string, unknown>> & {
    readonly id: string;
    readonly resumed_from: string | null;
    readonly environment: object;
    readonly redactions: Readonly<Record<string, number>>;
    readonly digests: Readonly<Record<string, string>>;
  })[];
  readonly parents: readonly object[];
  readonly redactions: object;
  readonly usage: object;
  readonly time: Readonly<Record<string, unknown>>;
  readonly source: object;
  readonly assay: object;
}
