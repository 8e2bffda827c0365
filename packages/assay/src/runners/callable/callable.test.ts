import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "vitest";

import type { OptionsInput } from "../../support/options.ts";
import type { RunnerSubject } from "../../testing/conformance/subject.ts";
import { runnerConformance } from "../../testing/runner-conformance.ts";
import type { CallableAgent, CallableContext } from "./agent.ts";
import type { callableOptions } from "./options.ts";
import { callableRunner } from "./runner.ts";

type Options = OptionsInput<typeof callableOptions>;
type Agent = (task: { readonly id: string }, context: CallableContext) => unknown;

function runnerOf(agent: Agent, options: Partial<Options> = {}) {
  return callableRunner({
    agentFn: { name: "agent", agent: agent as CallableAgent<never> },
    ...options,
  });
}

const tasks = [
  { inputs: { instruction: "Add 2 and 3", files: { "a.txt": "a" } } },
  { inputs: { instruction: "Add 1 and 1" } },
];
const [task] = tasks;

/** Never ends, whatever it is told. */
const deaf = () => new Promise<never>(() => {});

const secrets = { API_SECRET: "quiet-otter-parade-41", OTHER_SECRET: "péché mignon d'avril/&=" };

const subject: RunnerSubject<Options> = {
  name: "callable",
  make: (options) => runnerOf(() => "5", options),
  optionMutations: {
    agentFn: { name: "other", agent: () => "6" },
    isolation: "process",
    memoryLimitMb: 64,
    inheritEnv: ["HOME"],
    parallelism: 7,
    timeoutS: 30,
    trialIdSuffix: "again",
  },
  scenarios: {
    success: () => ({
      runner: runnerOf((_task, { workspace, step, usage, log, evidence }) => {
        writeFileSync(join(workspace, "answer.txt"), "5");
        step({ message: "thinking", toolCalls: [{ name: "add", arguments: { a: 2, b: 3 } }] });
        usage.add({ promptTokens: 20, completionTokens: 3, costUsd: 0.01 });
        log.info("done", { answer: 5 });
        evidence.add("note", { kind: "note", data: { isEasy: true } });
        return "5";
      }),
      tasks,
    }),
    badExit: () => ({
      runner: runnerOf(() => {
        throw new RangeError("no such number");
      }),
      tasks,
    }),
    timeout: () => ({ runner: runnerOf(deaf, { timeoutS: 0.2 }), tasks }),
    cancel: () => {
      const running = counter(2);
      return {
        runner: runnerOf(() => {
          running.add();
          return deaf();
        }),
        tasks,
        started: () => running.reached,
      };
    },
    hugeOutput: { skip: "an agent function hands over values; it writes no output of its own" },
    malformedOutput: () => ({
      runner: runnerOf(({ id }) => (id === "task-0" ? 123 : { outputs: "5" })),
      tasks,
    }),
    missingTool: { skip: "an agent function needs no tool" },
    secretEcho: () => ({
      runner: runnerOf((_task, { workspace, step, log, evidence, secrets: given }) => {
        const [first = "", second = ""] = Object.values(given);
        writeFileSync(
          join(workspace, `${first}.txt`),
          `${first} ${Buffer.from(`x${second}`).toString("base64")}`,
        );
        step({
          message: first,
          observations: [{ content: { [first]: encodeURIComponent(second) } }],
        });
        log.error(first, { second });
        evidence.add(first, {
          kind: "note",
          data: [second],
          metadata: { [first]: Buffer.from(first).toString("hex") },
        });
        return {
          output: { outputText: `${first} ${second}`, response: { [first]: second } },
          metadata: { [first]: second },
        };
      }),
      tasks: task === undefined ? [] : [task],
      secrets,
    }),
  },
};

describe("callable", () => {
  for (const { name, skip, run } of runnerConformance(subject)) {
    it(name, async (context) => {
      if (skip !== null) context.skip(skip);
      await run();
    });
  }
});

function counter(wanted: number) {
  let count = 0;
  let reach = () => {};
  const reached = new Promise<void>((resolve) => {
    reach = resolve;
  });
  const add = () => {
    count += 1;
    if (count >= wanted) reach();
  };
  return { add, reached };
}
