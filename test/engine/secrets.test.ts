import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { AssayError } from "assay";
import { callable } from "assay/runners";
import { describe, expect, it } from "vitest";
import {
  bench,
  completed,
  constant,
  eager,
  metric,
  places,
  runner,
  runTarget,
  task,
} from "./run-kit.ts";

/** Looks like nothing that a rule could know: only its declaration gives it away. */
const canary = "Quokka&Wombat+42 canary";
const env = { AGENT_LOGIN: canary };
const secrets = ["AGENT_LOGIN"];

const forms: Readonly<Record<string, string>> = {
  plain: canary,
  json: JSON.stringify({ nested: canary }),
  "json in json": JSON.stringify(JSON.stringify({ nested: canary })),
  percent: encodeURIComponent(canary),
  hex: Buffer.from(canary).toString("hex"),
  base64: Buffer.from(canary).toString("base64"),
  "base64, one byte off": Buffer.from(`x${canary}`).toString("base64"),
  "base64, two bytes off": Buffer.from(`xy${canary}`).toString("base64"),
  base64url: Buffer.from(canary).toString("base64url"),
};

/** The parts of a form that would be enough to get the secret back. */
const tellTales = [
  canary,
  "Quokka",
  encodeURIComponent(canary),
  Buffer.from(canary).toString("hex"),
  Buffer.from(canary).toString("base64").slice(4, -8),
  Buffer.from(`x${canary}`).toString("base64").slice(4, -8),
  Buffer.from(`xy${canary}`).toString("base64").slice(4, -8),
];

describe("a declared secret", () => {
  it("that an agent writes everywhere occurs in no file of the bundle and in no event", async () => {
    const { workDir, events, result } = await runTarget(talkative(), {
      env,
      tasks: [task("t0", { inputs: { instruction: `log in with ${canary}` } })],
      metrics: [
        metric("echo", ({ candidate }) => ({
          outputs: { score: 1 },
          diagnostics: [
            { message: `saw ${canary}`, details: { seen: candidate.outputText, [canary]: 1 } },
          ],
        })),
        metric("broken", () => {
          throw new Error(`cannot use ${canary}`);
        }),
      ],
      config: { secrets, labels: { login: canary }, name: "spoken", trialsPerTask: 2 },
    });

    expect(tracesIn(workDir)).toEqual([]);
    expect(tracesInText(JSON.stringify(events))).toEqual([]);
    expect(tracesInText(JSON.stringify(result.toJSON()))).toEqual([]);
    expect(tracesInText(await result.formatSummary())).toEqual([]);
    expect(result.summary.trialCount).toBe(2);
  });

  it.each(Object.entries(forms))("is found in its form: %s", async (_form, text) => {
    const { workDir, rows, events } = await runTarget(
      callable({
        name: "agent",
        agent: (_task, { workspace }) => {
          writeFileSync(join(workspace, "login.txt"), `before ${text} after`);
          return `before ${text} after`;
        },
      }),
      { env, config: { secrets } },
    );

    expect(tracesIn(workDir)).toEqual([]);
    expect(tracesInText(JSON.stringify(events))).toEqual([]);
    expect(rows.trials[0]?.output?.outputText).toMatch(/^before .*<redacted>.* after$/);
    const [evidence] = readdirSync(join(workDir, "evidence"));
    expect(evidence).toBeDefined();
  });

  it("is not shown by what is thrown before the first trial", async () => {
    const here = bench({ env });
    const throwing = (thrown: () => unknown) =>
      here.evaluator
        .run({
          tasks: [task("t0")],
          metrics: [constant()],
          target: eager({
            probe: async () => {
              throw thrown();
            },
          }),
          config: { secrets, onEvent: here.onEvent },
        })
        .then(
          () => {
            throw new Error("it was not refused");
          },
          (error: unknown) => error as AssayError,
        );

    const plain = await throwing(() => new Error(`login ${canary} was refused`));
    const ours = await throwing(
      () =>
        new AssayError("ASSAY_TOOL_UNUSABLE", `login ${canary} was refused`, {
          data: { login: canary },
          remedy: `do not use ${canary}`,
          cause: new Error(canary),
        }),
    );

    for (const error of [plain, ours]) {
      expect(error.code).toBe("ASSAY_TOOL_UNUSABLE");
      expect(error.message).toContain("login <redacted> was refused");
      const { inspect } = await import("node:util");
      expect(tracesInText(inspect(error, { depth: 9 }))).toEqual([]);
      expect(tracesInText(JSON.stringify(error.data))).toEqual([]);
    }
    expect(tracesInText(JSON.stringify(here.events))).toEqual([]);
  });

  it("is what the agent gets all the same", async () => {
    let seen = "";
    await runTarget(
      callable({
        name: "agent",
        agent: (_task, context) => {
          seen = context.secrets["AGENT_LOGIN"] ?? "";
          return "yes";
        },
      }),
      { env, config: { secrets } },
    );

    expect(seen).toBe(canary);
  });

  it("is redacted before metrics see it, so that a later scoring sees the same", async () => {
    const seen: unknown[] = [];
    await runTarget(callable({ name: "agent", agent: () => `it is ${canary}` }), {
      env,
      config: { secrets },
      metrics: [
        metric("look", ({ candidate }) => {
          seen.push(candidate.outputText);
          return { outputs: { score: 1 } };
        }),
      ],
    });

    expect(seen).toEqual(["it is <redacted>"]);
  });
});

describe("the login of a tool", () => {
  it("that its probe has found is removed like a declared secret, and stored nowhere", async () => {
    const { workDir, events } = await runTarget(
      eager({
        probe: async () => ({ version: null, resolved: {}, secrets: { login: canary } }),
        runTasks: async function* (plan, { log }) {
          log.warn(`using ${canary}`);
          for (const { taskId } of places(plan))
            yield completed(taskId, 0, {
              output: { outputText: canary, response: null, metadata: {} },
            });
        },
      }),
    );

    expect(tracesIn(workDir)).toEqual([]);
    expect(tracesInText(JSON.stringify(events))).toEqual([]);
    expect(events).toContainEqual({ type: "warning", message: "using <redacted>" });
  });
});

describe("a credential in the settings of a target", () => {
  it("that its runner shows elsewhere is removed there as well", async () => {
    const { workDir, events } = await runTarget(
      eager({
        runnerInfo: () => ({
          name: "eager",
          kind: "runner",
          version: null,
          config: { login_password: canary, endpoint: "https://ci:hunter-22222@host/v1" },
        }),
        runTasks: async function* (plan) {
          for (const { taskId } of places(plan))
            yield completed(taskId, 0, {
              output: { outputText: `${canary} hunter-22222`, response: null, metadata: {} },
            });
        },
      }),
    );

    expect(tracesIn(workDir)).toEqual([]);
    expect(tracesInText(JSON.stringify(events))).toEqual([]);
    expect(readFileSync(join(workDir, "trials.jsonl"), "utf8")).toContain(
      '"<redacted> <redacted>"',
    );
  });
});

/** A runner that puts the secret wherever a runner can put anything. */
function talkative() {
  return runner(
    async function* (_plan, { scratch, log }) {
      log.warn(`using ${canary}`);
      const folder = join(scratch, "left");
      mkdirSync(join(folder, canary), { recursive: true });
      writeFileSync(join(folder, canary, `${canary}.txt`), "named");
      for (const [name, text] of Object.entries(forms)) writeFileSync(join(folder, name), text);
      writeFileSync(
        join(folder, "image.bin"),
        Buffer.concat([Buffer.alloc(8), Buffer.from(canary)]),
      );
      yield completed("t0", 0, {
        id: `t0:${canary}`,
        output: {
          outputText: Object.values(forms).join("\n"),
          response: { [canary]: canary, list: [canary] },
          metadata: { login: canary },
        },
        metadata: { login: canary },
        evidence: {
          descriptors: {
            [`left by ${canary}`]: descriptor(folder),
            inline: { ...descriptor(null), data: { said: canary } },
          },
          metadata: { login: canary },
        },
        attempts: [
          {
            cause: "ended",
            fault: "none",
            startedAt: "2026-01-01T00:00:00Z",
            durationMs: 1,
            servedModel: canary,
          },
        ],
      });
      yield completed("t0", 1, {
        status: "failed",
        output: null,
        error: {
          type: "RunnerError",
          message: canary,
          traceback: `at ${canary}`,
          occurredAt: null,
        },
      });
      yield completed("elsewhere", 0, { id: canary });
      throw new Error(`ended by ${canary}`);
    },
    {
      config: { header: `Authorization: ${canary}`, options: [canary] },
      runAggregateScores: () => {
        throw new Error(`no figures for ${canary}`);
      },
      dispose: async () => {
        throw new Error(`cannot let go of ${canary}`);
      },
    },
  );
}

function descriptor(ref: string | null) {
  return {
    kind: "filesystem",
    format: "dir",
    ref,
    data: null,
    description: `of ${canary}`,
    metadata: { login: canary },
  };
}

/** Where a bundle gives the secret away: in names and contents of its files. */
function tracesIn(dir: string): string[] {
  return (readdirSync(dir, { recursive: true }) as string[]).flatMap((path) => {
    const full = join(dir, path);
    const content = statSync(full).isFile() ? readFileSync(full, "latin1") : "";
    return [...tracesInText(path), ...tracesInText(content)].map((trace) => `${path}: ${trace}`);
  });
}

function tracesInText(text: string): string[] {
  return tellTales.filter((tale) => text.includes(tale));
}
