import type { FileStore } from "../../contracts/files.ts";
import { AssayError } from "../../errors/assay-error.ts";
import { partsOfDefinition } from "./definition-parts.ts";
import type { MetricFromConfig } from "./read-tasks.ts";
import { MetricResolver } from "./resolve-metrics.ts";
import { resolveTasks } from "./resolve-tasks.ts";
import { atPlace } from "./source-place.ts";
import type { Suite } from "./suite.ts";
import type { SuiteParts } from "./suite-parts.ts";
import { watchParameters } from "./watched-parameters.ts";

export interface ResolveRequest {
  /** Functions are recorded as `<baseName>#<name>`. */
  readonly baseName: string;
  /** Relative paths start here. */
  readonly baseDir: string;
  readonly files: FileStore;
  readonly metricFromConfig: MetricFromConfig;
  readonly parameters?: Readonly<Record<string, string>>;
  /** Called with the suite as it was given or made, before it is checked. */
  readonly onDefinition?: (definition: unknown) => void;
  /** Named first in messages; `suite "<baseName>"` when absent. */
  readonly source?: string;
}

/**
 * Checks a suite that was defined in code, or made by the factory given, and gives it in the form the engine runs.
 * All problems of all tasks are told at once. Throws `user` errors, and whatever the suite's own code throws.
 */
export async function resolveSuite(definition: unknown, request: ResolveRequest): Promise<Suite> {
  const source = request.source ?? `suite "${request.baseName}"`;
  const parameters = { ...request.parameters };
  const isFactory = typeof definition === "function";
  if (!isFactory) refuseParameters(parameters, source, exportFunction);
  const watched = watchParameters(parameters);
  const made: unknown = isFactory ? await definition(watched.view) : definition;
  request.onDefinition?.(made);
  if (isFactory) watched.assertAllAsked(source, { declaresNone: definition.length === 0 });
  const resolver = new MetricResolver();
  const parts = await partsOfDefinition(made, { ...request, source, resolver });
  return await buildSuite(parts, { ...request, source, resolver, parameters });
}

const exportFunction =
  "Leave -P out, or export a function: export default defineSuite((parameters) => ({ ... })).";

/** `remedy` is for the form that the suite has. */
export function refuseParameters(
  parameters: Readonly<Record<string, string>>,
  source: string,
  remedy: string,
): void {
  const [first] = Object.keys(parameters);
  if (first === undefined) return;
  throw new AssayError("ASSAY_USAGE", `${source} takes no parameters, but "${first}" was given`, {
    remedy,
  });
}

interface BuildRequest extends ResolveRequest {
  readonly source: string;
  readonly resolver: MetricResolver;
}

/** The common end of both forms: tasks are read, checked and given their metrics. */
export async function buildSuite(
  { tasks, metrics, ...parts }: SuiteParts,
  request: BuildRequest,
): Promise<Suite> {
  const { source, resolver, baseName, baseDir, parameters = {} } = request;
  if (parts.target !== null && parts.importedTrials !== null) {
    throw new AssayError(
      "ASSAY_SUITE_INVALID",
      `${source}: give a target or imported trials, not both`,
      { remedy: "Take one of the two out." },
    );
  }
  try {
    const notices: string[] = [];
    const resolved = await resolveTasks(tasks, {
      source,
      resolver,
      tasksFrom: parts.tasksFrom,
      suiteMetrics: metrics,
      onNotice: (notice) => notices.push(notice),
    });
    const suite = { ...parts, tasks: resolved, baseName, baseDir, parameters, code: null };
    return notices.length === 0 ? suite : { ...suite, notices };
  } catch (problem) {
    throw AssayError.isInstance(problem) ? atPlace(problem, source) : problem;
  }
}
