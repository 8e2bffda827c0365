import type { ProcessCapability } from "../../contracts/process.ts";
import { compareText } from "../../support/natural-order.ts";
import { dockerVariables } from "./client.ts";

/** Projects of Compose that a tool of a run started, as far as they can be told from others. */
export interface ComposeOwner {
  /** Absolute: Compose read files below it. Containers tell so by a label. */
  readonly directory: string;
  /** Names of projects begin with one of these. */
  readonly projectPrefixes?: readonly string[];
}

const labelOf = (name: string) => `{{.Label "com.docker.compose.${name}"}}`;
const timeoutMs = 60_000;

/**
 * Removes containers, networks and volumes of Compose that a tool left which was killed; answers how many. Where there is no
 * engine there are none. Images stay: they are what the next run builds upon.
 */
export async function removeComposeResidue(
  { directory, projectPrefixes = [] }: ComposeOwner,
  process: ProcessCapability,
): Promise<number> {
  const program = await process.find("docker");
  if (program === null) return 0;
  const ask = async (...args: readonly string[]) => {
    const argv = [program, ...args] as const;
    const env = process.baseEnv(dockerVariables);
    const { stdout, exitCode } = await process.run({ argv, cwd: "/", env, timeoutMs });
    return exitCode === 0 ? stdout.text.split("\n").filter((line) => line !== "") : [];
  };
  const list = async (kind: string, name: string) => {
    const filter = ["--filter", "label=com.docker.compose.project"];
    const format = [`{{.${name}}}`, labelOf("project"), labelOf("project.config_files")].join("\t");
    const all = kind === "container" ? ["--all", "--no-trunc"] : [];
    return (await ask(kind, "ls", ...all, ...filter, "--format", format)).map((line) => {
      const [id = "", project = "", configFiles = ""] = line.split("\t");
      return { id, project, configFiles };
    });
  };
  const isOurs = (project: string) => projectPrefixes.some((prefix) => project.startsWith(prefix));
  const projects = new Set<string>();
  let removed = 0;
  const removal = {
    container: ["rm", "--force", "--volumes"],
    network: ["rm"],
    volume: ["rm", "--force"],
  };
  for (const [kind, name] of [
    ["container", "ID"],
    ["network", "ID"],
    ["volume", "Name"],
  ] as const) {
    const found = (await list(kind, name)).filter(
      ({ project, configFiles }) =>
        projects.has(project) ||
        isOurs(project) ||
        configFiles.split(",").some((file) => file.startsWith(`${directory}/`)),
    );
    for (const { project } of found) projects.add(project);
    const ids = found.map(({ id }) => id).sort(compareText);
    if (ids.length > 0) await ask(kind, ...removal[kind], ...ids);
    removed += ids.length;
  }
  return removed;
}
