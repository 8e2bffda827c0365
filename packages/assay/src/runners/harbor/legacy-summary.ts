import { type Aggregate, aggregateSchema } from "../../schema/summary.ts";
import { isPlainObject, setOwn } from "../../support/json.ts";
import type { LossList } from "../define/loss-list.ts";
import { at, type HarborResult, isText, nonFiniteMark } from "./read-result.ts";

/**
 * Older evaluations of Harbor told of all trials in one document: means by metric in `reward`, the tasks by reward in
 * `reward_details`, and the tasks by what ended their trials in `exceptions`.
 */
export function isLegacySummary(fields: unknown): boolean {
  return isPlainObject(at(fields, "reward_details")) && at(fields, "task_name") === undefined;
}

/** A trial as far as such a summary tells of it. */
export interface SummaryTrial {
  readonly taskId: string;
  readonly trialIndex: number;
  readonly result: HarborResult;
}

interface TaskFacts {
  /** By reward key: the rewards of its trials. */
  readonly rewards: Map<string, unknown[]>;
  readonly exceptions: string[];
}

/** Each place where a summary names a task is a trial of it; what cannot be told to which trial it belongs is a loss. */
export function trialsOfSummary(
  fields: unknown,
  losses: LossList,
  idOf: (taskId: string, trialIndex: number) => string,
): readonly SummaryTrial[] {
  const tasks = new Map<string, TaskFacts>();
  const factsOf = (taskId: string): TaskFacts => {
    const facts = tasks.get(taskId) ?? { rewards: new Map(), exceptions: [] };
    tasks.set(taskId, facts);
    return facts;
  };
  for (const [key, byValue] of Object.entries(plain(at(fields, "reward_details")))) {
    for (const [value, taskId] of namedBy(byValue, `reward_details.${key}`, losses)) {
      const { rewards } = factsOf(taskId);
      const values = rewards.get(key) ?? [];
      rewards.set(key, values);
      values.push(numberOf(value));
    }
  }
  for (const [type, taskId] of namedBy(at(fields, "exceptions"), "exceptions", losses))
    factsOf(taskId).exceptions.push(type);
  return [...tasks].flatMap(([taskId, facts]) =>
    rowsOf(taskId, facts, losses).map((row, trialIndex) => {
      const name = idOf(taskId, trialIndex);
      const own = { ...row, task_name: taskId, trial_name: name };
      return {
        taskId,
        trialIndex,
        result: { name, taskName: taskId, taskPath: null, fields: own },
      };
    }),
  );
}

/** Lists of task ids under a name: each name with each of its ids. */
function* namedBy(
  lists: unknown,
  place: string,
  losses: LossList,
): Generator<readonly [string, string]> {
  for (const [name, ids] of Object.entries(plain(lists))) {
    for (const id of Array.isArray(ids) ? ids : [ids]) {
      if (isText(id)) yield [name, id];
      else losses.add(`${place}.${name}`, "what is named there is no id of a task");
    }
  }
}

/** A reward stands in a key, so as text; what is no number is rejected where rewards are read. */
function numberOf(text: string): unknown {
  if (/^[+-]?(nan|inf(inity)?)$/i.test(text)) return nonFiniteMark;
  const value = Number(text);
  return text.trim() === "" || Number.isNaN(value) ? text : value;
}

function rowsOf(
  taskId: string,
  { rewards, exceptions }: TaskFacts,
  losses: LossList,
): readonly Readonly<Record<string, unknown>>[] {
  const lists = [...rewards.values()];
  const count = Math.max(exceptions.length, ...lists.map(({ length }) => length));
  const isTold = (values: readonly unknown[]) =>
    values.length === count && new Set(values).size === 1;
  // With one kind of fact the order is as good as any other; with more, only what holds of all trials is told.
  const isOnlyKind = lists.length + (exceptions.length > 0 ? 1 : 0) === 1;
  const place = (values: readonly unknown[], index: number, what: string): unknown => {
    if (isOnlyKind || isTold(values)) return values[index];
    if (index === 0 && values.length > 0)
      losses.add(`${what} of ${taskId}`, "to which of the task's trials it belongs is not told");
    return undefined;
  };
  return Array.from({ length: count }, (_, index) => {
    const given: Record<string, unknown> = {};
    for (const [key, values] of rewards) {
      // The reward proper tells the trials apart, so it is the one that is laid out in any case.
      const value =
        key === "reward" ? values[index] : place(values, index, `reward_details.${key}`);
      if (value !== undefined) setOwn(given, key, value);
    }
    const type = place(exceptions, index, "exceptions");
    return {
      verifier_result: { rewards: given },
      exception_info: type === undefined ? null : { exception_type: type },
    };
  });
}

/** Its means by metric, and how many trials each exception ended. */
export function summaryAggregates(fields: unknown): readonly Aggregate[] {
  const means = Object.entries(plain(at(fields, "reward"))).flatMap(([metric, value]) =>
    typeof value === "number" ? [[`summary.${metric}`, value] as const] : [],
  );
  const counts = Object.entries(plain(at(fields, "exceptions"))).flatMap(([type, ids]) =>
    Array.isArray(ids) ? [[`exception.${type}`, ids.length] as const] : [],
  );
  return [...means, ...counts].map(([name, value]) =>
    aggregateSchema.parse({ name: `runner.harbor.${name}`, scoreType: "scalar", value }),
  );
}

function plain(value: unknown): Readonly<Record<string, unknown>> {
  return isPlainObject(value) ? value : {};
}
