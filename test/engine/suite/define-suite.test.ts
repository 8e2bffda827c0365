import {
  defineSuite,
  type InstructionInputs,
  type SuiteDefinition,
  type SuiteFactory,
  type TaskDefinition,
} from "assay";
import { callable } from "assay/runners";
import { describe, expect, expectTypeOf, it } from "vitest";
import type { AgentTaskRunner } from "../../../packages/assay/src/contracts/runner.ts";

interface Question {
  readonly question: string;
  readonly hints?: readonly string[];
}

type Defined<I> = SuiteDefinition<I> | SuiteFactory<I>;

const task = { id: "a", intent: "", inputs: { instruction: "add" } };
const declared = {} as AgentTaskRunner;

describe("defineSuite", () => {
  it("returns what it was given", () => {
    const suite = { name: "s", tasks: [task] };
    const factory = () => suite;

    expect(defineSuite(suite)).toBe(suite);
    expect(defineSuite(factory)).toBe(factory);
  });

  it("infers the inputs from the tasks", () => {
    const suite = defineSuite({ name: "s", tasks: [{ ...task, inputs: { question: "?" } }] });

    expectTypeOf(suite).toEqualTypeOf<Defined<{ question: string }>>();
  });

  it("takes inputs with an instruction where the tasks say nothing", () => {
    const suite = defineSuite({
      name: "s",
      tasks: { jsonl: "tasks.jsonl" },
      target: callable({ name: "a", agent: ({ inputs }) => inputs.instruction }),
    });

    expectTypeOf(suite).toEqualTypeOf<Defined<InstructionInputs>>();
  });

  it("compiles without a cast for every way to give tasks and targets", () => {
    const agent = callable({ name: "a", agent: (task) => task.inputs.instruction });
    const asker = callable<Question>({ name: "a", agent: (task) => task.inputs.question });
    const rows = async function* () {
      yield { id: "a", intent: "", inputs: { question: "?" } };
    };

    defineSuite({
      name: "s",
      tasks: [
        task,
        { ...task, inputs: { instruction: "x", files: { "a.txt": "b" } } },
        { ...task, inputs: { instruction: "x", level: 3 } },
      ],
      target: agent,
    });
    defineSuite({
      name: "s",
      tasks: [{ id: "a", intent: "", inputs: { question: "?" } }],
      target: asker,
    });
    defineSuite({ name: "s", tasks: rows(), target: asker });
    defineSuite<TaskDefinition<Question>>({
      name: "s",
      tasks: { jsonl: "t.jsonl" },
      target: asker,
    });
    defineSuite({ name: "s", tasks: [task], target: declared });
    expectTypeOf(
      defineSuite(({ model = "m" }) => ({ name: model, tasks: [task], target: agent })),
    ).toEqualTypeOf<Defined<{ instruction: string }>>();
    expectTypeOf(
      defineSuite(async () => ({ name: "s", tasks: [task], target: agent })),
    ).toEqualTypeOf<Defined<{ instruction: string }>>();
  });

  it("does not compile a target that takes other inputs, nor a key that does not exist", () => {
    const asker = callable<Question>({ name: "a", agent: (task) => task.inputs.question });

    // @ts-expect-error -- the tasks have no question
    defineSuite({ name: "s", tasks: [task], target: asker });
    // @ts-expect-error -- the tasks have no question
    defineSuite(() => ({ name: "s", tasks: [task], target: asker }));
    // @ts-expect-error -- it is failFast
    defineSuite({ name: "s", tasks: [task], fail_fast: true });
    // @ts-expect-error -- an id is text
    defineSuite({ name: "s", tasks: [{ ...task, id: 1 }] });
    // @ts-expect-error -- labels are text
    defineSuite({ name: "s", tasks: [task], labels: { n: 1 } });
  });

  it("is told what is wrong where it is wrong", () => {
    const asker = callable<Question>({ name: "a", agent: (task) => task.inputs.question });

    defineSuite({
      name: "s",
      tasks: [task],
      // @ts-expect-error -- it is trials
      trails: 3,
    });
    defineSuite({
      name: "s",
      // @ts-expect-error -- it is intent
      tasks: [{ id: "a", intnet: "", inputs: { instruction: "add" } }],
    });
    defineSuite({
      name: "s",
      tasks: [task],
      // @ts-expect-error -- the tasks have no question
      target: asker,
    });
    defineSuite({
      name: "s",
      tasks: [task],
      // @ts-expect-error -- a number
      trials: "3",
    });
  });
});
