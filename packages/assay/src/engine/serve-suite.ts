import { describeThrown } from "../errors/assay-error.ts";
import { nodeFileStore } from "../platform/files/node-file-store.ts";
import { nodeModuleWatch } from "../platform/modules/node-module-watch.ts";
import { type ServedProcess, servedProcess } from "../platform/process/served-process.ts";
import { loadTarget } from "./suite/load-suite.ts";
import { checkTarget } from "./suite/resolve-target.ts";
import type { SuiteCode } from "./suite/suite.ts";
import { formatLine, readInstructions, unrecorded } from "./suite/suite-process.ts";

// The program that a suite's process runs: `suite-process.ts` has the other side.
const served: ServedProcess = servedProcess();
let isServing = false;
served.onStrayError((thrown) => {
  if (!isServing) refuse(describeThrown(thrown));
});

try {
  await serve();
} catch (thrown) {
  refuse(describeThrown(thrown));
}

async function serve(): Promise<void> {
  const { entry, parameters, files, order } = readInstructions(await served.instructions);
  const request = { files: nodeFileStore, modules: nodeModuleWatch, parameters };
  const { target, code } = await loadTarget(entry, request);
  const changed = unrecorded(files, code.files);
  if (changed.length > 0) refuse(`its code is not what is recorded: ${changed.join(", ")}`);
  const runner = checkTarget(target);
  if (runner.serveAttempt === undefined) refuse("its target runs nothing in a process of its own");
  isServing = true;
  await runner.serveAttempt(order, {
    send: (message) => served.send(formatLine({ told: message })),
    onStop: served.onStop,
    onStrayError: served.onStrayError,
    onIdle: served.onIdle,
  });
  tellLaterCode(code);
  served.exit();
}

/** What the agent loaded itself shapes results as well. */
function tellLaterCode(code: SuiteCode): void {
  const loaded = code.later();
  if (loaded.files.length + loaded.blind.length > 0) served.send(formatLine({ loaded }));
}

function refuse(reason: string): never {
  const why = `the suite could not be loaded in a process of its own: ${reason}`;
  served.send(formatLine({ refused: why }));
  served.exit();
}
