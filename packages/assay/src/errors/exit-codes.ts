import type { Fault } from "./codes.ts";

/** Exit codes of the command line. Fixed: scripts depend on them. */
export const exitCodes = {
  done: 0,
  verdict: 1,
  input: 2,
  missing: 3,
  incomplete: 4,
  damaged: 5,
  bug: 70,
  interrupted: 130,
  terminated: 143,
} as const;

const byFault: Record<Fault, number> = {
  user: exitCodes.input,
  environment: exitCodes.missing,
  infrastructure: exitCodes.incomplete,
  target: exitCodes.incomplete,
  metric: exitCodes.incomplete,
  integrity: exitCodes.damaged,
  cancelled: exitCodes.interrupted,
  bug: exitCodes.bug,
};

export function exitCodeOf(fault: Fault): number {
  return byFault[fault];
}
