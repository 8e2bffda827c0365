import type { AgentTaskRunner, RunContext, Trial, TrialPlan } from "assay";
import { defineRunner, operational, shapes } from "assay/runners";
import {
  type ConformanceCheck,
  type RunnerScenario,
  type RunnerSubject,
  runnerConformance,
} from "assay/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod";

import { echoAgent } from "./echo-agent.examples.ts";
import { echoSubject } from "./echo-agent.subject.ts";
import { faults, sabotaged, wrapped } from "./runner-faults.ts";

type Options = Parameters<typeof echoAgent>[0];

const { scenarios } = echoSubject;

function checkNamed(subject: RunnerSubject<Options>, part: string): ConformanceCheck {
  const found = runnerConformance(subject).filter(({ name }) => name.includes(part));
  const [only] = found;
  if (only === undefined || found.length > 1)
    throw new Error(`${found.length} checks are called "${part}"`);
  return only;
}

describe("the conformance kit fails a runner that", () => {
  it.each(faults)("%s", async (_fault, part, changes, message) => {
    const { run } = checkNamed(sabotaged(changes), part);

    await expect(run()).rejects.toThrow(message);
  });

  it("leaves a process alive", async () => {
    const runner = wrapped(echoAgent({ model: "good" }), (inner) => ({
      async *runTasks(plan: TrialPlan, context: RunContext) {
        yield* inner.runTasks(plan, context);
        const line = new Promise<void>((resolve) => {
          void context.process.run({
            argv: [process.execPath, "-e", "console.log('up'); setInterval(() => {}, 1000)"],
            cwd: context.scratch,
            env: context.process.baseEnv(),
            stdout: { onLine: () => resolve() },
          });
        });
        await line;
      },
    }));
    const subject = {
      ...echoSubject,
      scenarios: { ...scenarios, success: () => ({ ...scenarioOf("good"), runner }) },
    };

    await expect(checkNamed(subject, "exactly the planned").run()).rejects.toThrow(
      /processes were left alive/,
    );
  });

  it("yields a row for a cancelled trial", async () => {
    const runner = wrapped(echoAgent({ model: "deaf" }), (inner) => ({
      async *runTasks(plan: TrialPlan, context: RunContext) {
        yield* inner.runTasks(plan, context);
        yield { id: "late", taskId: "task-0", trialIndex: 0, status: "failed" } as unknown as Trial;
      },
    }));
    const subject = {
      ...echoSubject,
      scenarios: { ...scenarios, cancel: () => ({ ...scenarioOf("deaf"), runner }) },
    };

    await expect(checkNamed(subject, "cancelled trial").run()).rejects.toThrow(/late/);
  });

  it("never ends", async () => {
    const runner = wrapped(echoAgent({ model: "good" }), () => ({
      async *runTasks() {
        await new Promise(() => {});
      },
    }));
    const subject = {
      ...echoSubject,
      scenarios: {
        ...scenarios,
        success: () => ({ ...scenarioOf("good"), runner, withinMs: 300 }),
      },
    };

    await expect(checkNamed(subject, "exactly the planned").run()).rejects.toThrow(
      /not over within 300 ms/,
    );
  });

  it("leaves something alive that is no process", async () => {
    const subject = {
      ...echoSubject,
      scenarios: {
        ...scenarios,
        success: () => ({ ...scenarioOf("good"), leftovers: async () => ["container assay-1"] }),
      },
    };

    await expect(checkNamed(subject, "exactly the planned").run()).rejects.toThrow(/left alive/);
  });
});

describe("the conformance kit", () => {
  it("names the options that have no other value to be checked with", async () => {
    const { model: _model, timeoutS: _timeoutS, ...optionMutations } = echoSubject.optionMutations;
    const subject = { ...echoSubject, optionMutations } as typeof echoSubject;

    await expect(checkNamed(subject, "every option").run()).rejects.toThrow(
      /lacks model, timeout_s/,
    );
  });

  it("refuses a mutation of what is no option", async () => {
    const subject = {
      ...echoSubject,
      optionMutations: { ...echoSubject.optionMutations, modle: "x" },
    };

    await expect(checkNamed(subject as never, "another modle").run()).rejects.toThrow();
  });

  it("takes all settings of a runner that says no roles as shaping results", async () => {
    const make = (
      options: { readonly size?: number; readonly note?: string } = {},
    ): AgentTaskRunner => ({
      contractVersion: 1,
      runnerInfo: () => ({
        name: "plain",
        kind: "runner",
        version: null,
        config: { size: options.size ?? 1 },
      }),
      async *runTasks() {},
    });
    const skip = { skip: "only settings are looked at" };
    const none = {
      success: skip,
      badExit: skip,
      timeout: skip,
      cancel: skip,
      hugeOutput: skip,
      malformedOutput: skip,
      missingTool: skip,
      secretEcho: skip,
    };
    const checks = (optionMutations: { size: number; note: string }) =>
      runnerConformance<{ size?: number; note?: string }>({
        name: "plain",
        make,
        optionMutations,
        scenarios: none,
      });
    const outcome = async (name: string, size: number) =>
      await checks({ size, note: "x" })
        .find((each) => each.name.includes(name))
        ?.run()
        .then(() => "passes")
        .catch((problem: Error) => problem.message);

    expect(await outcome("another size", 2)).toBe("passes");
    expect(await outcome("another size", 1)).toMatch(/left `config` as it was/);
    expect(await outcome("another note", 2)).toMatch(/there is no option "note"/);
    expect(
      checks({ size: 2, note: "" }).filter((each) => each.skip === skip.skip).length,
    ).toBeGreaterThan(8);
  });

  it("wants a reason for whatever is skipped", () => {
    const subject = { ...echoSubject, scenarios: { ...scenarios, badExit: { skip: " " } } };

    expect(() => runnerConformance(subject)).toThrow(/cannot be skipped without a reason/);
  });

  it("asks the compiler for a value for every option and a scenario for every situation", () => {
    const table = { a: shapes(z.string()), b: operational(z.int().default(1), "it is a count") };
    const runner = defineRunner({
      name: "r",
      description: "",
      needs: [],
      options: table,
      timeLimitS: () => null,
      trialIdSuffix: () => "r",
      run: async () => ({ output: "" }),
    });
    type Given = Parameters<typeof runner>[0];
    const make = (options?: Partial<Given>) => runner({ a: "x", ...options });

    const subject = { name: "r", make, scenarios };
    const { timeout: _timeout, ...others } = scenarios;

    // @ts-expect-error -- b has no mutation
    const withoutB: RunnerSubject<Given>["optionMutations"] = { a: "y" };
    // @ts-expect-error -- b is a number
    const wrongB: RunnerSubject<Given>["optionMutations"] = { a: "y", b: "2" };
    // @ts-expect-error -- no timeout scenario, and no reason why
    const noTimeout: RunnerSubject<Given>["scenarios"] = others;
    const whole: RunnerSubject<Given> = { ...subject, optionMutations: { a: "y", b: 2 } };

    expect([withoutB, wrongB, noTimeout, whole]).toHaveLength(4);
  });
});

function scenarioOf(model: string) {
  const { success } = scenarios;
  if ("skip" in success) throw new Error(success.skip);
  return { ...(success() as RunnerScenario), runner: echoAgent({ model }) };
}
