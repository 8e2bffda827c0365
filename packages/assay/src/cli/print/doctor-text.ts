import type { DoctorReport } from "../../entries/index.ts";
import { visibleLine } from "../../entries/index.ts";

type Finding = DoctorReport["tools"][number];

export function doctorLines({
  assay,
  node,
  system,
  tools,
  runners,
  missingVariables,
}: DoctorReport): readonly string[] {
  return [
    `Assay ${assay}, Node ${node}, ${system}`,
    "",
    "Tools",
    ...tools.flatMap(findingLines),
    "",
    "Runners",
    ...runners.flatMap(findingLines),
    ...(missingVariables.length === 0
      ? []
      : [
          "",
          "Variables that are not set",
          ...missingVariables.map((name) => `  ${visibleLine(name)}`),
        ]),
  ];
}

export function doctorDocument({ missingVariables, ...report }: DoctorReport): unknown {
  return { ...report, missing_variables: missingVariables };
}

function findingLines({ name, state, version, problem, remedy }: Finding): readonly string[] {
  const line = `  ${name.padEnd(18)} ${state.padEnd(8)} ${version ?? ""}`.trimEnd();
  if (problem === null) return [line];
  return [
    `${line} ${visibleLine(problem)}`,
    ...(remedy === null ? [] : [`${" ".repeat(30)}${visibleLine(remedy)}`]),
  ];
}
