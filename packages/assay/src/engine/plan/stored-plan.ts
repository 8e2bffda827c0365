import type { OptionOverride } from "../../contracts/runner.ts";
import type { Task } from "../../contracts/task.ts";
import { redactedMark } from "../../provenance/redaction/secret.ts";
import type { PlanRecord } from "../../schema/plan.ts";
import { getOwn, type JsonValue } from "../../support/json.ts";
import { parseOptionPath } from "../../support/option-path.ts";

/** Tasks of the plan keep their places, for evidence and scores name them; new ones come behind. */
export function inPlanOrder(
  tasks: readonly Task[],
  { tasks: planned }: PlanRecord,
): readonly Task[] {
  const places = new Map(planned.map(({ id }, index) => [id, index]));
  const placeOf = ({ id }: Task) => places.get(id) ?? planned.length;
  return [...tasks].sort((a, b) => placeOf(a) - placeOf(b));
}

const givenFromOutside: ReadonlySet<string> = new Set(["environment", "flag", "call"]);

/** Options that were set when the run began need not be given again; what is given now wins. */
export function storedOverrides(stored: PlanRecord | null): readonly OptionOverride[] {
  if (stored === null) return [];
  const { config, origins } = stored.target;
  return Object.entries(origins).flatMap(([place, origin]) => {
    const path = parseOptionPath(place);
    const value = valueAt(config, path);
    if (!givenFromOutside.has(origin) || value === undefined || isWithheld(value)) return [];
    return [{ path, value, isText: false, origin }];
  });
}

function valueAt(config: JsonValue, path: readonly string[]): JsonValue | undefined {
  let at: unknown = config;
  for (const segment of path)
    at = typeof at === "object" && at !== null ? getOwn(at, segment) : undefined;
  return at as JsonValue | undefined;
}

function isWithheld(value: JsonValue): boolean {
  return JSON.stringify(value).includes(redactedMark);
}

/** Values that are stored as they were. */
export function withoutSecrets(
  values: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => !isWithheld(value)));
}
