import path from "node:path";

import type { FileStore } from "../../contracts/files.ts";
import type { ModuleWatch } from "../../contracts/modules.ts";
import { AssayError } from "../../errors/assay-error.ts";
import type { RunnerMap } from "../../runners/map.ts";
import { isPlainObject } from "../../support/json.ts";
import { secretsOfText, secretsOfValue } from "./declared-secrets.ts";
import { explainThrow } from "./explain-throw.ts";
import { createModuleLoader } from "./module-loader.ts";
import { readOwnExports } from "./package-exports.ts";
import type { MetricFromConfig } from "./read-tasks.ts";
import { MetricResolver } from "./resolve-metrics.ts";
import {
  buildSuite,
  type ResolveRequest,
  refuseParameters,
  resolveSuite,
} from "./resolve-suite.ts";
import { parseSpecFile } from "./spec-file.ts";
import { partsOfSpec } from "./spec-parts.ts";
import type { LaterCode, SecretDefinition, Suite, SuiteCode } from "./suite.ts";
import { CodeRecord } from "./suite-code.ts";

export interface LoadRequest {
  readonly files: FileStore;
  readonly modules: ModuleWatch;
  readonly runners: RunnerMap;
  readonly metricFromConfig: MetricFromConfig;
  /** `-P key=value`, for a suite that is a function. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** Told of declared secrets as soon as anything says so: the text of the suite's file is enough. */
  readonly onSecrets?: (secrets: readonly SecretDefinition[]) => void;
}

const ignore = (): void => {};

const moduleExtensions = [".ts", ".mts", ".cts", ".js", ".mjs", ".cjs"];

/**
 * Loads a suite from a TypeScript or JavaScript module, or from a YAML or JSON file, with the digest of its code.
 * Throws `user` errors; each is one message that names the file, the place and what was expected.
 */
export async function loadSuite(given: string, request: LoadRequest): Promise<Suite> {
  const file = await findSuite(given, request.files);
  const suite = { path: file, shown: given };
  const extension = path.extname(file).toLowerCase();
  if (moduleExtensions.includes(extension)) return await loadModule(suite, request);
  if (extension === ".yaml" || extension === ".yml") return await loadSpec(suite, request, "yaml");
  if (extension === ".json") return await loadSpec(suite, request, "json");
  throw new AssayError(
    "ASSAY_SUITE_INVALID",
    `${given}: a suite is a file that ends in .ts, .js, .yaml or .json`,
    { remedy: "Give the path of a suite." },
  );
}

interface SuitePlace {
  /** Absolute, without links. */
  readonly path: string;
  /** As the user gave it. */
  readonly shown: string;
}

async function findSuite(given: string, files: FileStore): Promise<string> {
  const facts = given.includes("\0") ? null : await files.stat(given);
  if (facts === null)
    throw new AssayError(
      "ASSAY_SUITE_NOT_FOUND",
      `${JSON.stringify(given).slice(1, -1)}: there is no such file`,
    );
  const real = await files.realPath(given);
  const target = facts.kind === "link" ? await files.stat(real) : facts;
  if (target?.kind === "file") return real;
  throw new AssayError("ASSAY_SUITE_NOT_FOUND", `${given} is not a file`, {
    remedy: "Give the path of the suite's file.",
  });
}

/** `checkout.eval.ts` is `checkout`. */
function baseNameOf(file: string): string {
  const name = path.basename(file, path.extname(file));
  return name.replace(/\.eval$/, "") || name;
}

async function loadModule(suite: SuitePlace, request: LoadRequest): Promise<Suite> {
  return await withDefinition(suite, request, async (definition, close) => {
    const resolved = await resolveSuite(definition, resolveRequest(suite, request));
    return { ...resolved, code: await close() };
  });
}

export interface TargetRequest extends Pick<LoadRequest, "files" | "modules" | "parameters"> {
  /** Bytes of files of its code, by their path relative to the suite's folder: used in place of those on disk. */
  readonly recorded: ReadonlyMap<string, Uint8Array>;
  /** Hears of code that is loaded after the suite. */
  readonly onLaterCode: (code: LaterCode) => void;
}

/** The target of a suite module alone, and the code that it was loaded from. Its tasks are not read. */
export async function loadTarget(
  file: string,
  request: TargetRequest,
): Promise<{ readonly target: unknown; readonly code: SuiteCode }> {
  const suite = { path: file, shown: path.basename(file) };
  return await withDefinition(suite, request, async (definition, close) => {
    const { parameters = {} } = request;
    const made: unknown =
      typeof definition === "function" ? await definition({ ...parameters }) : definition;
    return {
      target: isPlainObject(made) ? made["target"] : null,
      code: await close(request.onLaterCode),
    };
  });
}

type CloseCode = (onLater?: (code: LaterCode) => void) => Promise<SuiteCode>;

/** Loads a module and gives `use` its default export, and a way to end loading. */
async function withDefinition<T>(
  suite: SuitePlace,
  request: Pick<LoadRequest, "files" | "modules" | "onSecrets"> & Partial<TargetRequest>,
  use: (definition: unknown, close: CloseCode) => Promise<T>,
): Promise<T> {
  const { files, modules, recorded = new Map<string, Uint8Array>(), onSecrets = ignore } = request;
  const code = new CodeRecord(suite.path, modules);
  for (const [file, bytes] of recorded)
    code.add(path.resolve(path.dirname(suite.path), file), bytes);
  modules.observe(code);
  const loader = await createModuleLoader({ suite, files, code, own: await readOwnExports(files) });
  try {
    onSecrets(secretsOfText(code.add(suite.path, await files.readBytes(suite.path))));
    return await use(defaultExport(await loader.load(), suite.shown), async (onLater) => {
      await loader.recordFurtherModules();
      return code.close(onLater);
    });
  } catch (thrown) {
    for (const file of code.paths()) onSecrets(secretsOfText(code.text(file) ?? ""));
    const isToldWell = AssayError.isInstance(thrown) && thrown.message.startsWith(suite.shown);
    throw isToldWell ? thrown : explainThrow(thrown, { suite, code });
  }
}

function defaultExport(loaded: Record<string, unknown>, shown: string): unknown {
  if (loaded["default"] !== undefined) return loaded["default"];
  const names = Object.keys(loaded).filter((name) => name !== "default");
  const others = names.length === 0 ? "" : ` (it exports ${names.join(", ")})`;
  throw new AssayError(
    "ASSAY_SUITE_INVALID",
    `${shown}: there is no default export${others}; expected \`export default defineSuite({ ... })\``,
    { remedy: "Export the suite as default." },
  );
}

async function loadSpec(
  suite: SuitePlace,
  request: LoadRequest,
  format: "yaml" | "json",
): Promise<Suite> {
  refuseParameters(
    request.parameters ?? {},
    suite.shown,
    "Leave -P out: only a suite in TypeScript or JavaScript takes parameters.",
  );
  const code = new CodeRecord(suite.path, request.modules);
  const text = code.add(suite.path, await request.files.readBytes(suite.path));
  request.onSecrets?.(secretsOfText(text));
  const file = await parseSpecFile(text, suite.shown, format);
  request.onSecrets?.(secretsOfValue(file.value));
  const common = resolveRequest(suite, request);
  const resolver = new MetricResolver();
  const parts = await partsOfSpec(file, { ...common, runners: request.runners, resolver });
  return { ...(await buildSuite(parts, { ...common, resolver })), code: code.close() };
}

function resolveRequest(
  suite: SuitePlace,
  { files, metricFromConfig, parameters = {}, onSecrets = ignore }: LoadRequest,
): ResolveRequest & { readonly source: string } {
  return {
    baseName: baseNameOf(suite.path),
    baseDir: path.dirname(suite.path),
    files,
    metricFromConfig,
    parameters,
    source: suite.shown,
    onDefinition: (made) => onSecrets(secretsOfValue(made)),
  };
}
