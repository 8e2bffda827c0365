import type { ProcessResult } from "../../contracts/process.ts";
import { AssayError } from "../../errors/assay-error.ts";
import { cutText } from "../../support/cut-text.ts";
import { isOlder } from "../../support/versions.ts";
import { installRemedy } from "./host.ts";
import type { DriverFacts, DriverFailure, DriverReader } from "./messages.ts";

/** The oldest release whose configuration, results and errors this runner was tested with. */
const oldestVersion = "0.5.0";

/** How a driver that was asked ended. */
export type AskedDriver = Pick<ProcessResult, "exitCode" | "spawnError"> & {
  readonly ending: string;
  readonly stderr: { readonly text: string };
};

/** What the driver found. Throws what keeps every trial from being run. */
export function factsOf(reader: DriverReader, process: AskedDriver, python: string): DriverFacts {
  if (process.ending === "cancelled")
    throw new AssayError("ASSAY_CANCELLED", "cancelled while NeMo Fabric was being looked at");
  const { answer } = reader;
  if (answer?.type === "facts") return checkedFacts(answer, python);
  if (answer?.type === "failed") throw problemOfFailure(answer, python);
  const said = cutText(process.stderr.text.trim() || process.spawnError || process.ending, 1000);
  throw new AssayError(
    "ASSAY_TOOL_UNUSABLE",
    `the interpreter "${python}" does not run Assay's driver of NeMo Fabric: ${said}`,
    { remedy: installRemedy },
  );
}

function checkedFacts(facts: DriverFacts, python: string): DriverFacts {
  const version = facts.nemo_fabric;
  if (version === null) {
    throw new AssayError(
      "ASSAY_TOOL_UNUSABLE",
      `the nemo_fabric of "${python}" belongs to no installed package, so its version is unknown`,
      { remedy: installRemedy },
    );
  }
  if (isOlder(version, oldestVersion)) {
    throw new AssayError(
      "ASSAY_TOOL_VERSION_TOO_OLD",
      `nemo-fabric ${version} of "${python}" is older than ${oldestVersion}, the oldest version accepted`,
      { remedy: `\`pip install "nemo-fabric>=${oldestVersion}"\` with that interpreter.` },
    );
  }
  return facts;
}

/** A failure that is no trial's: the package is not there, or Fabric does not take the configuration. */
export function problemOfFailure(failure: DriverFailure, python: string): AssayError {
  const { where, message } = failure;
  if (where === "import") {
    const of = failure.python === null ? "" : ` (Python ${failure.python})`;
    return new AssayError(
      "ASSAY_TOOL_NOT_FOUND",
      `the interpreter "${python}"${of} has no nemo-fabric: ${message}`,
      { remedy: installRemedy },
    );
  }
  if (/^unknown adapter\b/.test(message)) {
    return new AssayError("ASSAY_TOOL_NOT_FOUND", `NeMo Fabric: ${message}`, {
      remedy: `Install the adapter with that interpreter, e.g. \`pip install "nemo-fabric[codex]"\`, or mend harness.adapter_id.`,
    });
  }
  if (where === "run") return new AssayError("ASSAY_TOOL_UNUSABLE", `NeMo Fabric: ${message}`);
  const isRelay = message.includes("telemetry.providers") && message.includes("relay");
  return new AssayError(
    "ASSAY_CONFIG_INVALID",
    `NeMo Fabric does not take its configuration: ${message}`,
    {
      remedy: isRelay
        ? "Set the options capture_trajectory and capture_spans to false: this harness is not recorded by Relay."
        : "Mend the options config and profiles.",
    },
  );
}
