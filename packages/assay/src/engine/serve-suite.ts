import { AssayError, messageOf } from "../errors/assay-error.ts";
import { nodeFileStore } from "../platform/files/node-file-store.ts";
import { nodeModuleWatch } from "../platform/modules/node-module-watch.ts";
import { servedProcess } from "../platform/process/served-process.ts";
import { loadTarget } from "./suite/load-suite.ts";
import { checkTarget } from "./suite/resolve-target.ts";
import { formatLine, readInstructions, unrecorded } from "./suite/suite-process.ts";

// The program that a suite's process runs: `suite-process.ts` has the other side.
const served = servedProcess();
let isServing = false;
served.onStrayError((thrown) => {
  if (!isServing) void refuse(thrown);
});
await serve().catch(refuse);

async function serve(): Promise<void> {
  const { entry, parameters, files, order } = readInstructions(await served.instructions);
  const { target, code } = await loadTarget(entry, {
    files: nodeFileStore,
    modules: nodeModuleWatch,
    parameters,
    recorded: new Map(files.map((file) => [file.path, Buffer.from(file.content, "base64")])),
    // What the agent loads itself shapes results as well, and is told at once: the agent may never end.
    onLaterCode: (loaded) => served.send(formatLine({ loaded })),
  });
  const changed = unrecorded(files, code.files);
  if (changed.length > 0)
    throw loadFailed(`its code is not what is recorded: ${changed.join(", ")}`);
  const runner = checkTarget(target);
  if (runner.serveAttempt === undefined)
    throw loadFailed("its target runs nothing in a process of its own");
  isServing = true;
  await runner.serveAttempt(order, {
    send: (message) => served.send(formatLine({ told: message })),
    onStop: served.onStop,
    onStrayError: served.onStrayError,
    onIdle: served.onIdle,
  });
  await served.end();
}

async function refuse(thrown: unknown): Promise<void> {
  const refused = `the suite could not be loaded in a process of its own: ${messageOf(thrown)}`;
  served.send(formatLine({ refused }));
  await served.end();
}

function loadFailed(reason: string): AssayError {
  return new AssayError("ASSAY_SUITE_LOAD_FAILED", reason);
}
