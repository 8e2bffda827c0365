import { AssayError, messageOf } from "../../errors/assay-error.ts";
import { findPackage, type InstalledPackage } from "../../platform/modules/find-package.ts";
import { parseVersion } from "../../support/versions.ts";

const name = "@openai/agents";
const series = "0.20.";
const install = `npm install --save-exact ${name}@0.20.0`;

/** The part of @openai/agents that is used. */
export interface AgentsLibrary {
  readonly Agent: new (settings: AgentSettings) => object;
  readonly Runner: new (settings: object) => AgentRunner;
  readonly OpenAIProvider: new (settings: object) => object;
  tool(definition: ToolDefinition): object;
  /** The model that it takes where none is named; an environment variable may say another. */
  getDefaultModel(): string;
}

export interface AgentSettings {
  readonly name: string;
  readonly instructions: string;
  readonly tools: readonly object[];
  readonly model?: string;
}

export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly strict: false;
  readonly parameters: object;
  execute(input: unknown): Promise<string>;
}

export interface AgentRunner {
  run(agent: object, input: string, options: object): Promise<StreamedRun>;
}

export interface StreamedRun extends AsyncIterable<unknown> {
  /** Rejects with what ended it. */
  readonly completed: Promise<void>;
  /** To be asked for when it completed. */
  readonly finalOutput: unknown;
  readonly rawResponses: unknown;
}

/** The client of `openai`, a package that @openai/agents brings. */
export type OpenAIClient = new (settings: object) => object;

const usedMembers = ["Agent", "Runner", "OpenAIProvider", "tool", "getDefaultModel"] as const;

/** The package beside the suite, or above it, or beside Assay. Throws `environment` errors with the command that installs it. */
export function findAgents(baseDir: string): InstalledPackage {
  const found = findPackage(name, [baseDir]);
  if (found === null) {
    throw new AssayError(
      "ASSAY_TOOL_NOT_FOUND",
      `docker_sandbox needs the npm package ${name}, which is not installed in "${baseDir}" or above it`,
      { remedy: `Run \`${install}\` in the project of the suite.` },
    );
  }
  const version = parseVersion(found.version) ?? found.version;
  if (version.startsWith(series) && !version.includes("-")) return found;
  throw new AssayError(
    "ASSAY_TOOL_UNUSABLE",
    `docker_sandbox works with ${name} ${series}x, and ${found.version} is installed in "${found.directory}"`,
    { remedy: `Run \`${install}\` in the project of the suite.` },
  );
}

export interface LoadedAgents {
  readonly version: string;
  readonly library: AgentsLibrary;
  readonly OpenAI: OpenAIClient;
}

/** Takes a second when it is first done. */
export function loadAgents(baseDir: string): LoadedAgents {
  const found = findAgents(baseDir);
  try {
    const library = found.load();
    const client = found.load("openai");
    const missing = [...missingOf(library, usedMembers), ...missingOf(client, ["OpenAI"])];
    if (missing.length > 0) throw new TypeError(`it has no ${missing.join(", ")}`);
    const { OpenAI } = client as { readonly OpenAI: OpenAIClient };
    return { version: found.version, library: library as AgentsLibrary, OpenAI };
  } catch (cause) {
    throw new AssayError(
      "ASSAY_TOOL_UNUSABLE",
      `${name} ${found.version} in "${found.directory}" cannot be used: ${messageOf(cause)}`,
      { cause, remedy: `Remove node_modules there, and run \`${install}\` again.` },
    );
  }
}

/** Members that are not the functions and classes that they should be. */
function missingOf(library: unknown, members: readonly string[]): readonly string[] {
  const given = Object(library) as Readonly<Record<string, unknown>>;
  return members.filter((member) => typeof given[member] !== "function");
}
