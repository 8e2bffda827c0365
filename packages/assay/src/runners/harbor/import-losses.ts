import type { ImportLoss } from "../../contracts/importer.ts";
import { isPlainObject } from "../../support/json.ts";
import type { HarborResult } from "./read-result.ts";

/** What of a `result.json` has a place in a trial; null where all below has one. */
const placed: Readonly<Record<string, readonly string[] | null>> = {
  task_name: null,
  trial_name: null,
  task_checksum: null,
  started_at: null,
  finished_at: null,
  agent_info: ["name", "version", "model_info"],
  agent_result: ["n_input_tokens", "n_output_tokens", "n_cache_tokens", "cost_usd"],
  verifier_result: ["rewards"],
  exception_info: ["exception_type", "exception_message", "exception_traceback", "occurred_at"],
  environment_setup: ["started_at", "finished_at"],
  agent_setup: ["started_at", "finished_at"],
  agent_execution: ["started_at", "finished_at"],
  verifier: ["started_at", "finished_at"],
};

const keptAsFile = "a trial has no place for it; it is kept in the evidence `result` alone";

/** Counts the fields of results that trials have no place for, each by itself. */
export class FieldLosses {
  readonly #counts = new Map<string, ImportLoss>();

  addFieldsOf({ fields }: HarborResult): void {
    for (const [key, value] of Object.entries(fields)) {
      if (isEmpty(value)) continue;
      const inner = Object.hasOwn(placed, key) ? placed[key] : undefined;
      if (inner === undefined) this.#add(`result.json: ${key}`);
      else if (inner !== null && isPlainObject(value))
        for (const [name, part] of Object.entries(value))
          if (!inner.includes(name) && !isEmpty(part)) this.#add(`result.json: ${key}.${name}`);
    }
  }

  #add(field: string): void {
    const known = this.#counts.get(field);
    this.#counts.set(field, { field, reason: keptAsFile, count: (known?.count ?? 0) + 1 });
  }

  list(): readonly ImportLoss[] {
    return [...this.#counts.values()];
  }
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined) return true;
  return typeof value === "object" && Object.keys(value).length === 0;
}
