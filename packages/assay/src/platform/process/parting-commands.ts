import { spawn } from "node:child_process";

import type { PartingCommand } from "../../contracts/process.ts";

const commands = new Set<PartingCommand>();

/** Starts the command should this process end before the answer is called. */
export function atExit(command: PartingCommand): () => void {
  // An object of its own: the same command may be asked for twice.
  const entry = { ...command };
  if (commands.size === 0) process.on("exit", startAll);
  commands.add(entry);
  return () => {
    commands.delete(entry);
    if (commands.size === 0) process.off("exit", startAll);
  };
}

/** They outlive this process: what they have to end may only come into being after it. */
function startAll(): void {
  for (const { argv, env } of commands) {
    const [program, ...args] = argv;
    // The root, for the working directory may be removed.
    const child = spawn(program, args, { cwd: "/", env, detached: true, stdio: "ignore" });
    // It cannot be told any more.
    child.on("error", () => {});
    child.unref();
  }
}
