import type { Trajectory, TrajectoryToolCall } from "../../contracts/trajectory.ts";

/** The calls of one tool: of its own name, or of one that a harness put a prefix before (`mcp__server__tool`). */
export function callsOf(
  trajectory: Trajectory | null,
  toolName: string,
): readonly TrajectoryToolCall[] {
  if (trajectory === null) return [];
  const endings = [`-${toolName}`, `_${toolName}`];
  return trajectory.toolCalls.filter(
    ({ name }) => name === toolName || endings.some((ending) => name.endsWith(ending)),
  );
}
