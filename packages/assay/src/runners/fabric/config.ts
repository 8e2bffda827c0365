import { isPlainObject, type JsonObject, type JsonValue, setOwn } from "../../support/json.ts";
import type { FabricAgentOptions } from "./agent-options.ts";

/** Where the parts of one trial lie, as Fabric sees them. */
export interface FabricPlaces {
  readonly workspace: string;
  readonly artifacts: string;
  readonly relay: string;
  /** The folders of skills. */
  readonly skills: readonly string[];
  /** Variables of Fabric's environment that its agents must have too: by them processes are found. */
  readonly marks: readonly string[];
}

const defaultProvider = "openai";
const taskIdKey = "nemo.optimizer.row_id";

type ConfigOptions = Pick<
  FabricAgentOptions,
  | "config"
  | "profiles"
  | "model"
  | "timeoutS"
  | "captureTrajectory"
  | "captureSpans"
  | "trajectoryExtra"
>;

/** Pure: what Fabric is given for one trial. What an evaluation sets comes last, so that no profile moves it elsewhere. */
export function composeConfig(
  options: ConfigOptions,
  places: FabricPlaces,
  taskId: string,
): JsonObject {
  const given = mergedConfig(options);
  const { workspace, artifacts, marks, skills } = places;
  const environment = objectAt(given, "environment");
  const runtime = objectAt(given, "runtime");
  const model = composedModel(options.model, given);
  return {
    ...given,
    metadata: { name: "assay", ...objectAt(given, "metadata") },
    environment: {
      provider: "local",
      ...environment,
      workspace,
      artifacts,
      env_names: unique([...textsAt(environment, "env_names"), ...marks]),
    },
    // Without a limit of its own Fabric has one that may be shorter than the trial's.
    runtime: { timeout_seconds: options.timeoutS, ...runtime, artifacts },
    ...(model === null ? {} : { models: { ...objectAt(given, "models"), default: model } }),
    ...(skills.length === 0 ? {} : { skills: composedSkills(given, skills) }),
    ...(isCapturing(options) ? composedTelemetry(given, options, places, taskId) : {}),
  };
}

/** The configuration with its profiles laid over it. */
export function mergedConfig({
  config,
  profiles,
}: Pick<FabricAgentOptions, "config" | "profiles">): JsonObject {
  return profiles.reduce<JsonObject>(merge, config);
}

export function isCapturing({
  captureTrajectory,
  captureSpans,
}: Pick<FabricAgentOptions, "captureTrajectory" | "captureSpans">): boolean {
  return captureTrajectory || captureSpans;
}

function merge(base: JsonObject, over: JsonObject): JsonObject {
  const result: Record<string, JsonValue> = { ...base };
  for (const [key, value] of Object.entries(over)) {
    const before = Object.hasOwn(base, key) ? base[key] : undefined;
    setOwn(result, key, isObject(before) && isObject(value) ? merge(before, value) : value);
  }
  return result;
}

/** What is configured beside provider and name stays: address, name of the key, temperature. */
function composedModel(model: string | null, given: JsonObject): JsonObject | null {
  if (model === null) return null;
  const before = objectAt(objectAt(given, "models"), "default");
  const slash = model.indexOf("/");
  const configured = before["provider"] ?? defaultProvider;
  return { ...before, provider: slash > 0 ? model.slice(0, slash) : configured, model };
}

function composedSkills(given: JsonObject, added: readonly string[]): JsonObject {
  const skills = objectAt(given, "skills");
  return { ...skills, paths: unique([...textsAt(skills, "paths"), ...added]) };
}

function composedTelemetry(
  given: JsonObject,
  { captureTrajectory, trajectoryExtra }: ConfigOptions,
  { relay }: FabricPlaces,
  taskId: string,
): JsonObject {
  const telemetry = objectAt(given, "telemetry");
  const providers = objectAt(telemetry, "providers");
  const configured = objectAt(given, "relay");
  const files = {
    atof: {
      enabled: true,
      sinks: [
        {
          type: "file",
          output_directory: relay,
          filename: "events.atof.jsonl",
          mode: "overwrite",
        },
      ],
    },
    atif: {
      ...objectAt(objectAt(configured, "observability"), "atif"),
      enabled: true,
      agent_name: "fabric",
      output_directory: relay,
      filename_template: "trajectory-{session_id}.atif.json",
      extra: { ...trajectoryExtra, [taskIdKey]: taskId },
    },
  };
  return {
    telemetry: { ...telemetry, providers: { ...providers, relay: objectAt(providers, "relay") } },
    relay: {
      ...configured,
      output_dir: relay,
      observability: {
        ...objectAt(configured, "observability"),
        ...(captureTrajectory ? files : {}),
      },
    },
  };
}

export function objectAt(from: JsonObject, key: string): JsonObject {
  const value = Object.hasOwn(from, key) ? from[key] : undefined;
  return isObject(value) ? value : {};
}

function isObject(value: unknown): value is JsonObject {
  return isPlainObject(value);
}

function textsAt(from: JsonObject, key: string): readonly string[] {
  const value = from[key];
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

function unique(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}
