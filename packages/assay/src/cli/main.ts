import { exitCodes } from "../errors/exit-codes.ts";
import { processIo } from "./io.ts";
import { runCli } from "./run-cli.ts";

const io = processIo();
let exitCode: number = exitCodes.bug;
try {
  exitCode = await runCli(process.argv.slice(2), io);
} catch (thrown) {
  // Not even the telling of an error worked: the installation is broken.
  io.stderr.write(
    `${thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)}\n`,
  );
}
// The command is done: an error that its agents left behind cannot change how it ended.
io.onStrayError(() => {});
io.onForeignExit(() => exitCode);
await io.flush();
if (io.lostOutput !== null) {
  io.stderr.write(`error: the output could not be written to stdout: ${io.lostOutput}\n`);
  if (exitCode === exitCodes.done) exitCode = exitCodes.incomplete;
}
// What an agent left open must not keep a finished command alive.
io.exit(exitCode);
