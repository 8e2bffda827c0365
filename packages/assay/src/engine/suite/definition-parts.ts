import { AssayError } from "../../errors/assay-error.ts";
import { parseValue } from "../../schema/codec.ts";
import { rowFileSchema, type SuiteFields, suiteDefinitionSchema } from "../../schema/suite.ts";
import { describeKind, isPlainObject } from "../../support/json.ts";
import { readTasks, type TaskContext } from "./read-tasks.ts";
import {
  noImportedTrials,
  readTrialDefinitions,
  readTrialFile,
  type TrialsOfSuite,
} from "./read-trials.ts";
import type { MetricResolver } from "./resolve-metrics.ts";
import { checkTarget } from "./resolve-target.ts";
import { atPlace } from "./source-place.ts";
import { type SuiteParts, secretDefinitions } from "./suite-parts.ts";

interface DefinitionContext extends TaskContext {
  /** Named first in messages. */
  readonly source: string;
  readonly resolver: MetricResolver;
}

/** The parts of what `defineSuite` was given. */
export async function partsOfDefinition(
  definition: unknown,
  context: DefinitionContext,
): Promise<SuiteParts> {
  const { source, resolver } = context;
  const fields = parseDefinition(definition, source);
  try {
    return {
      name: fields.name,
      tasks: readTasks(fields.tasks, context),
      tasksFrom: tasksFromOf(fields.tasks),
      metrics: resolver.resolve(fields.metrics, "metrics"),
      target:
        fields.target === undefined || fields.target === null ? null : checkTarget(fields.target),
      ...(await importedTrials(fields.importedTrials, context)),
      trialsPerTask: fields.trials,
      concurrency: fields.concurrency,
      scoringConcurrency: fields.scoringConcurrency ?? fields.concurrency,
      failFast: fields.failFast,
      labels: fields.labels,
      secrets: secretDefinitions(fields.secrets),
    };
  } catch (problem) {
    throw AssayError.isInstance(problem) ? atPlace(problem, source) : problem;
  }
}

/** What is no path is told when the tasks are read. */
function tasksFromOf(tasks: unknown): string | null {
  const { jsonl, directory } = isPlainObject(tasks) ? tasks : {};
  const from = jsonl ?? directory;
  return typeof from === "string" ? from : null;
}

function parseDefinition(definition: unknown, source: string): SuiteFields {
  if (!isPlainObject(definition)) {
    throw new AssayError(
      "ASSAY_SUITE_INVALID",
      `${source}: the suite is ${describeKind(definition)}; expected defineSuite({ name, tasks, metrics, target })`,
    );
  }
  if (Array.isArray(definition["trials"])) {
    throw new AssayError(
      "ASSAY_SUITE_INVALID",
      `${source}: trials is the number of trials per task; rows made elsewhere go to importedTrials`,
    );
  }
  const fields = parseValue(suiteDefinitionSchema, definition, {
    source,
    code: "ASSAY_SUITE_INVALID",
  });
  if (fields.tasks === undefined)
    throw new AssayError("ASSAY_SUITE_INVALID", `${source}: tasks is missing`);
  return fields;
}

async function importedTrials(given: unknown, context: TaskContext): Promise<TrialsOfSuite> {
  if (given === undefined || given === null) return noImportedTrials;
  if (Array.isArray(given)) return readTrialDefinitions(given);
  const { jsonl } = parseValue(rowFileSchema, given, {
    source: "importedTrials",
    code: "ASSAY_SUITE_INVALID",
  });
  return await readTrialFile({ jsonl, ...context });
}
