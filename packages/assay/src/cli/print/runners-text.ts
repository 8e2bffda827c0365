import type { RunnerDescription } from "../../entries/index.ts";
import { wrapText } from "../../entries/index.ts";

type OptionDescription = RunnerDescription["options"][number];

const width = 80;

/** Starts with an empty line, so that runners are parted when they follow each other. */
export function runnerLines({
  name,
  description,
  needs,
  options,
}: RunnerDescription): readonly string[] {
  return [
    "",
    name,
    ...wrap(description, "  "),
    ...wrap(`Needs: ${needs.length === 0 ? "nothing" : needs.join("; ")}.`, "  "),
    ...options.flatMap(optionLines),
  ];
}

export function runnersDocument(runners: readonly RunnerDescription[]): unknown {
  return runners.map(({ options, ...runner }) => ({
    ...runner,
    options: options.map(({ isRequired, ...option }) => ({ ...option, is_required: isRequired })),
  }));
}

function optionLines(option: OptionDescription): readonly string[] {
  const { name, role, why, description, isRequired } = option;
  const preset = isRequired ? "required" : `default ${JSON.stringify(option.default)}`;
  const reason = why === null ? "" : ` Not part of the digest: ${why}.`;
  return [
    ...wrap(`${name} (${kindOf(option.schema)}, ${preset}, ${role})`, "  "),
    ...wrap(`${description}${reason}`, "      "),
  ];
}

/** The JSON Schema of a value in a few words. */
function kindOf(schema: Readonly<Record<string, unknown>>): string {
  if (schema["function"] === true) return "function";
  const choices = schema["enum"];
  if (Array.isArray(choices)) return choices.map(String).join(" | ");
  const members = schema["anyOf"];
  if (Array.isArray(members))
    return members.map((member) => kindOf(member as Record<string, unknown>)).join(" | ");
  const type = schema["type"];
  if (Array.isArray(type)) return type.join(" | ");
  return typeof type === "string"
    ? type
    : "const" in schema
      ? JSON.stringify(schema["const"])
      : "any";
}

function wrap(text: string, indent: string): readonly string[] {
  return wrapText(text.trim().replace(/\s+/g, " "), { width, first: indent });
}
