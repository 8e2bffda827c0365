import type { DoctorReport } from "../../entries/index.ts";
import { visibleLine, wrapText } from "../../entries/index.ts";

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
    ...runners.map((runner) => pointingTo(tools, runner)).flatMap(findingLines),
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

/** What a tool lacks is told once: a runner that lacks the same points there. */
function pointingTo(tools: readonly Finding[], runner: Finding): Finding {
  const { problem } = runner;
  const told = problem === null ? undefined : tools.find((tool) => tool.problem === problem);
  return told === undefined
    ? runner
    : { ...runner, problem: `see ${told.name} above`, remedy: null };
}

const width = 80;

function findingLines({ name, state, version, problem, remedy }: Finding): readonly string[] {
  const first = `  ${name.padEnd(18)} ${state.padEnd(8)} `;
  const next = " ".repeat(first.length);
  const found = [version, problem].filter((text) => text !== null).join(" ");
  return [
    ...wrapText(visibleLine(found), { width, first, next }),
    ...(remedy === null ? [] : wrapText(visibleLine(remedy), { width, first: next })),
  ];
}
