export type { InstructionInputs } from "../contracts/task.ts";
export { defineSuite } from "../engine/suite/define-suite.ts";
export type {
  SuiteDefinition,
  SuiteFactory,
  TaskDefinition,
  TaskFile,
  TaskSource,
} from "../engine/suite/suite.ts";
export { AssayError } from "../errors/assay-error.ts";
