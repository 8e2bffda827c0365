import type { Summary } from "../../schema/summary.ts";
import type { TrialRecord } from "../../schema/trial.ts";
import { compareText } from "../../support/natural-order.ts";
import { displayWidth, wrapText } from "../../support/terminal-text.ts";
import { visibleLine } from "../../support/visible-text.ts";
import { andMore, byMessage, EqualMessages, shownMessage } from "./equal-messages.ts";
import { type FirstRows, firstRows, type PlanOrder } from "./plan-order.ts";

/** Ids that are named; more are counted. */
export const listedIds = 5;

interface Failure {
  readonly taskIndex: number;
  readonly message: string;
  /** Folder of its evidence, relative to the bundle; null without any. */
  readonly folder: string | null;
}

interface ShownFailure extends Failure {
  readonly id: string;
}

export interface FailedTrialsLines {
  readonly trialCount: number;
  readonly workDir: string | null;
  readonly width: number;
}

/**
 * Collects the messages of the trials that the section names, and of no others. Equal trial ids of one error type are
 * told apart by their place: the summary lists them in plan order, so the first of them belongs to the first task.
 */
export class FailedTrials {
  readonly #summary: Pick<Summary, "errorTrialIds" | "errorCount">;
  readonly #order: PlanOrder;
  readonly #shownCount: number;
  readonly #types: readonly string[];
  /** By type of error and id of the trial, those that may be named. */
  readonly #wanted = new Map<string, FirstRows<Failure>>();
  readonly #equal = new EqualMessages();

  constructor(
    summary: Pick<Summary, "errorTrialIds" | "errorCount">,
    order: PlanOrder,
    maxMessages: number,
  ) {
    this.#summary = summary;
    this.#order = order;
    this.#shownCount = Math.min(listedIds, maxMessages);
    this.#types = Object.keys(summary.errorTrialIds).sort(compareText);
    for (const type of this.#types)
      for (const id of this.#idsOf(type).slice(0, listedIds)) {
        const key = keyOf(type, id);
        if (!this.#wanted.has(key)) this.#wanted.set(key, firstRows(listedIds, compareFailures));
      }
  }

  add({ id, taskId, error, evidence }: TrialRecord): void {
    if (error === null) return;
    const message = shownMessage(error.message ?? "");
    this.#equal.add(error.type, message);
    const taskIndex = this.#order.taskIndex(taskId);
    this.#wanted
      .get(keyOf(error.type, id))
      ?.add({ taskIndex, message, folder: folderOf(evidence) });
  }

  /** Whether the section tells the message, as it is shown. */
  tells(message: string): boolean {
    return this.#types.some((type) =>
      this.#failures(type).some((failure) => failure.message === message),
    );
  }

  /** Lines of the section; none when no trial has an error. */
  lines({ trialCount, workDir, width }: FailedTrialsLines): string[] {
    const { errorCount } = this.#summary;
    if (errorCount === 0) return [];
    const of = trialCount === 0 ? "" : ` of ${trialCount}`;
    const hasEvidence = this.#types.some((type) =>
      this.#failures(type).some(({ folder }) => folder !== null),
    );
    return [
      `Failed trials (${errorCount}${of})`,
      ...this.#types.flatMap((type) => this.#typeLines(type, width)),
      ...(workDir === null || !hasEvidence
        ? []
        : labelledPath("Trial evidence is below", workDir, width)),
    ];
  }

  #typeLines(type: string, width: number): string[] {
    const groups = byMessage(this.#failures(type), ({ message }) => message);
    return [
      ...wrapText(typeLine(type, this.#idsOf(type)), { width, next: "  " }),
      ...groups.flatMap((group) =>
        failureLines(group, this.#equal.count(type, group[0].message, group.length), width),
      ),
    ];
  }

  /** Those that are shown, in the order of their ids. */
  #failures(type: string): readonly ShownFailure[] {
    const taken = new Map<string, number>();
    return this.#idsOf(type)
      .slice(0, this.#shownCount)
      .flatMap((id) => {
        const occurrence = taken.get(id) ?? 0;
        taken.set(id, occurrence + 1);
        const failure = this.#wanted.get(keyOf(type, id))?.rows[occurrence];
        return failure === undefined ? [] : [{ id, ...failure }];
      });
  }

  #idsOf(type: string): readonly string[] {
    return this.#summary.errorTrialIds[type] ?? [];
  }
}

/** Trials that say the same; a trial without a message says nothing that could be the same. */
function failureLines(
  group: readonly [ShownFailure, ...ShownFailure[]],
  count: number,
  width: number,
): string[] {
  const [{ message }] = group;
  if (message === "")
    return group.flatMap(({ id, folder }) =>
      folder === null ? [] : [...trialLine(visibleLine(id), width), folderLine(folder)],
    );
  const [{ id }] = group;
  return [
    ...trialLine(`${visibleLine(id)}${andMore(count)}: ${message}`, width),
    ...group.flatMap(({ folder }) => (folder === null ? [] : [folderLine(folder)])),
  ];
}

function trialLine(text: string, width: number): string[] {
  return wrapText(text, { width, first: "  ", next: "    " });
}

function folderLine(folder: string): string {
  return `    ${visibleLine(folder)}`;
}

/** Bundles of other writers may keep evidence elsewhere: then there is no one folder to name. */
function folderOf(evidence: TrialRecord["evidence"]): string | null {
  for (const { ref } of Object.values(evidence?.descriptors ?? {})) {
    const [folder] = /^evidence\/[^/]+\/[^/]+/u.exec(ref ?? "") ?? [];
    if (folder !== undefined) return folder;
  }
  return null;
}

function keyOf(type: string, id: string): string {
  return JSON.stringify([type, id]);
}

function compareFailures(a: Failure, b: Failure): number {
  return (
    a.taskIndex - b.taskIndex ||
    compareText(a.message, b.message) ||
    compareText(a.folder ?? "", b.folder ?? "")
  );
}

function typeLine(type: string, ids: readonly string[]): string {
  return `${visibleLine(type)} (${ids.length}): ${listIds(ids)}`;
}

/** The first ids, and how many more there are. */
export function listIds(ids: readonly string[]): string {
  const listed = ids.slice(0, listedIds).map(visibleLine).join(", ");
  return ids.length > listedIds ? `${listed} ... (${ids.length - listedIds} more)` : listed;
}

/** A path is never parted, so that it can be copied: one that does not fit stands on a line of its own. */
function labelledPath(label: string, path: string, width: number): string[] {
  const line = `${label} ${visibleLine(path)}`;
  return displayWidth(line) <= width ? [line] : [label, visibleLine(path)];
}
