import type { AgentTaskRunner, Trial, TrialPlan } from "assay";
import { callable, defineRunner, operational, shapes } from "assay/runners";
import { describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";

import type { RunnerInfo } from "../../schema/run-metadata.ts";
import type { OptionTable } from "../../support/options.ts";

describe("the types of runners", () => {
  it("an option without a role does not compile", () => {
    const table = { model: shapes(z.string()), count: operational(z.int(), "a count") };
    expectTypeOf(table).toExtend<OptionTable>();

    // @ts-expect-error -- a bare schema has no role
    const bare: OptionTable = { model: z.string() };
    // @ts-expect-error -- a role that looks like one is not made by shapes, operational or credential
    const forged: OptionTable = { model: { schema: z.string(), role: "shapes", why: null } };
    // @ts-expect-error -- an operational option says why it cannot change results
    expect(() => operational(z.int())).not.toThrow();
    expect([bare, forged]).toHaveLength(2);
  });

  it("the options of a run are those of the table, with their defaults filled in", () => {
    const runner = defineRunner({
      name: "typed",
      description: "",
      needs: [],
      options: {
        model: shapes(z.string()),
        timeoutS: shapes(z.number().default(5)),
        seed: shapes(z.int().nullable().default(null)),
      },
      timeLimitS: ({ timeoutS }) => {
        expectTypeOf(timeoutS).toEqualTypeOf<number>();
        return timeoutS;
      },
      trialIdSuffix: ({ model }) => model,
      async run(task, { options }) {
        expectTypeOf(options.seed).toEqualTypeOf<number | null>();
        expectTypeOf(task).not.toHaveProperty("reference");
        expectTypeOf(task).not.toHaveProperty("intent");
        return { output: options.model };
      },
    });

    expectTypeOf(runner).parameter(0).toExtend<{ model: string; timeoutS?: number | undefined }>();
    expectTypeOf(runner({ model: "m" })).toEqualTypeOf<AgentTaskRunner>();
    // @ts-expect-error -- model has no default
    expect(() => runner({})).toThrow();
    // @ts-expect-error -- it is timeoutS
    expect(() => runner({ model: "m", timeout_s: 5 })).toThrow();
  });

  it("a class without an identity is no runner", () => {
    class Nameless {
      readonly contractVersion = 1;
      async *runTasks(_plan: TrialPlan): AsyncGenerator<Trial> {}
    }
    class Named extends Nameless {
      runnerInfo(): RunnerInfo {
        return { name: "named", kind: "runner", version: null, config: {} };
      }
    }
    class Slow extends Nameless {
      async runnerInfo(): Promise<RunnerInfo> {
        return { name: "slow", kind: "runner", version: null, config: {} };
      }
    }
    class Older extends Nameless {
      override readonly contractVersion = 2 as never;
      runnerInfo(): RunnerInfo {
        return { name: "older", kind: "runner", version: null, config: {} };
      }
    }

    // @ts-expect-error -- runnerInfo is missing
    const nameless: AgentTaskRunner = new Nameless();
    // @ts-expect-error -- runnerInfo is not synchronous
    const slow: AgentTaskRunner = new Slow();
    const named: AgentTaskRunner = new Named();
    expectTypeOf<{ contractVersion: 2 }>().not.toExtend<Pick<AgentTaskRunner, "contractVersion">>();
    expect([nameless, slow, named, new Older()]).toHaveLength(4);
  });

  it("a callable's agent has the inputs it says, an instruction by default", () => {
    callable({
      name: "a",
      agent: (task, context) => {
        expectTypeOf(task.inputs.instruction).toEqualTypeOf<string>();
        expectTypeOf(task).not.toHaveProperty("reference");
        expectTypeOf(context.signal).toEqualTypeOf<AbortSignal>();
        return task.inputs.instruction;
      },
    });
    callable<{ readonly question: string }>({
      name: "a",
      agent: ({ inputs }) => {
        // @ts-expect-error -- these inputs have no instruction
        const none: unknown = inputs.instruction;
        return `${none}${inputs.question}`;
      },
    });
    // @ts-expect-error -- a function without a name cannot be recorded
    expect(() => callable({ agent: () => "5" })).toThrow(/without a name/);
    // @ts-expect-error -- a number is no reply
    callable({ name: "a", agent: () => 5 });
    callable({ name: "a", agent: () => ({ output: { outputText: "5" }, metadata: { a: 1 } }) });
    callable({ name: "a", agent: async () => ({ response: { answer: 5 } }) });
  });
});
