import { processIo } from "./io.ts";
import { runCli } from "./run-cli.ts";

const io = processIo();
let exitCode = 70;
try {
  exitCode = await runCli(process.argv.slice(2), io);
} catch (thrown) {
  // Not even the telling of an error worked: the installation is broken.
  io.stderr.write(
    `${thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)}\n`,
  );
}
await io.flush();
// What an agent left open must not keep a finished command alive.
process.exit(exitCode);
