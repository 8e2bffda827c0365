import type { SuiteProcess } from "../../../contracts/runner.ts";
import { AssayError } from "../../../errors/assay-error.ts";

/** Throws `ASSAY_CONFIG_INVALID` when no file says where the agent's code is: a function cannot be sent to a process. */
export function requireSuiteProcess(suiteProcess: SuiteProcess | null | undefined): SuiteProcess {
  if (suiteProcess != null) return suiteProcess;
  throw new AssayError(
    "ASSAY_CONFIG_INVALID",
    'callable: isolation "process" needs a suite file: the process loads the agent from it, and this suite was built by a program',
    {
      data: { key: "isolation" },
      remedy:
        "Write the suite as a module with a default export of defineSuite(...) and run it with `assay run`, or leave isolation out.",
    },
  );
}
