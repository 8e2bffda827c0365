import type { InstructionInputs } from "../../contracts/task.ts";
import type { SuiteDefinition, SuiteFactory } from "./suite.ts";

/**
 * Gives a suite its types: the inputs of the tasks are inferred, and a target that takes other inputs does not compile.
 * It returns what it was given; everything is checked when the suite is loaded.
 *
 * @example
 * export default defineSuite({
 *   name: "sums",
 *   tasks: [{ id: "sum-1", intent: "answers 5", inputs: { instruction: "Add 2 and 3" }, reference: { answer: "5" } }],
 *   metrics: [exactMatch({ reference: "{{ item.reference.answer }}" })],
 *   target: callable({ name: "adder", agent: async () => "5" }),
 * });
 */
export function defineSuite<I = InstructionInputs>(suite: SuiteDefinition<I>): SuiteDefinition<I>;
export function defineSuite<I = InstructionInputs>(suite: SuiteFactory<I>): SuiteFactory<I>;
export function defineSuite(suite: unknown): unknown {
  return suite;
}
