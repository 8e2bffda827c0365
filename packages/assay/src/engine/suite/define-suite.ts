import type { Target } from "../../contracts/target.ts";
import type {
  SuiteDefinition,
  SuiteFactory,
  TaskDefinition,
  TaskFile,
  TaskFolder,
} from "./suite.ts";

/** A suite whose tasks are of type `T`: each may have inputs of its own shape, and the target must take them all. */
export interface SuiteOf<T extends TaskDefinition<unknown>>
  extends Omit<SuiteDefinition, "tasks" | "target"> {
  /**
   * An array, an iterable, an async iterable, a JSONL file: `{ jsonl: "tasks.jsonl" }`, or the folder of a dataset:
   * `{ directory: "dataset", format: "harbor" }`.
   */
  readonly tasks: Iterable<T> | AsyncIterable<T> | TaskFile | TaskFolder;
  /** What is evaluated: a runner of `assay/runners`, or one of yours. Leave it out where trials are imported. */
  readonly target?: Target<NoInfer<T["inputs"]>>;
}

type Parameters = Readonly<Record<string, string>>;

/**
 * Gives a suite its types: the inputs of the tasks are inferred, and a target that takes other inputs does not compile.
 * It returns what it was given; everything is checked when the suite is loaded. Tasks from a file have the type given,
 * `defineSuite<TaskDefinition<{ question: string }>>({ tasks: { jsonl: "tasks.jsonl" }, ... })`, or an instruction.
 *
 * @example
 * export default defineSuite({
 *   name: "sums",
 *   tasks: [{ id: "sum-1", intent: "answers 5", inputs: { instruction: "Add 2 and 3" }, reference: { answer: "5" } }],
 *   metrics: [exactMatch({ reference: "{{ item.reference.answer }}" })],
 *   target: callable({ name: "adder", agent: async () => "5" }),
 * });
 */
export function defineSuite<T extends TaskDefinition<unknown> = TaskDefinition>(
  // One signature for both forms: of overloads the compiler tells every mistake at the call, in terms of each.
  suite: SuiteOf<T> | ((parameters: Parameters) => SuiteOf<T> | Promise<SuiteOf<T>>),
): SuiteDefinition<T["inputs"]> | SuiteFactory<T["inputs"]> {
  return suite as SuiteDefinition<T["inputs"]> | SuiteFactory<T["inputs"]>;
}
