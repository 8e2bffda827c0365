import { processIo } from "./io.ts";
import { runCli } from "./run-cli.ts";

const exitCode = await runCli(process.argv.slice(2), processIo());

// What an agent left open must not keep a finished command alive.
process.stdout.write("", () => process.exit(exitCode));
