import { z } from "zod";

/** `claim.json`: the process that writes a run directory. It is there while the run goes on, and no part of the bundle. */
export const claimSchema = z.strictObject({
  runToken: z.string().min(16).describe("Random; marks the processes and the scratch of the run."),
  hostname: z.string(),
  bootId: z.string().nullable().describe("Changes with every start of the machine."),
  pidNamespace: z.string().nullable().describe("Pids of another one mean other processes."),
  pid: z.int().positive(),
  startTicks: z
    .number()
    .nullable()
    .describe("Clock ticks from the start of the machine to that of the process."),
  claimedAt: z.string().describe("UTC."),
});

export type ClaimRecord = Readonly<z.output<typeof claimSchema>>;
