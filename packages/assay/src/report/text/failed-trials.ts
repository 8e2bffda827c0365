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

/** Collects the messages of the trials that the section names, and of no others. */
export interface FailedTrials {
  add(trial: TrialRecord): void;
  /** Whether the section tells the message, as it is shown. */
  tells(message: string): boolean;
  /** Lines of the section; none when no trial has an error. */
  lines(options: FailedTrialsLines): string[];
}

/**
 * Equal trial ids of one error type are told apart by their place: the summary lists them in plan order, so the first
 * of them belongs to the first task.
 */
export function collectFailedTrials(
  summary: Pick<Summary, "errorTrialIds" | "errorCount">,
  order: PlanOrder,
  maxMessages: number,
): FailedTrials {
  const types = Object.keys(summary.errorTrialIds).sort(compareText);
  const idsOf = (type: string) => summary.errorTrialIds[type] ?? [];
  const wanted = new Map<string, FirstRows<Failure>>();
  for (const type of types) {
    for (const id of idsOf(type).slice(0, listedIds)) {
      const key = keyOf(type, id);
      if (!wanted.has(key)) wanted.set(key, firstRows(listedIds, compareFailures));
    }
  }
  const equal = new EqualMessages();
  const shownFailures = (type: string) => {
    const taken = new Map<string, number>();
    return idsOf(type)
      .slice(0, Math.min(listedIds, maxMessages))
      .flatMap((id) => {
        const occurrence = taken.get(id) ?? 0;
        taken.set(id, occurrence + 1);
        const failure = wanted.get(keyOf(type, id))?.rows[occurrence];
        return failure === undefined ? [] : [{ id, ...failure }];
      });
  };
  return {
    add({ id, taskId, error, evidence }) {
      if (error === null) return;
      const message = shownMessage(error.message ?? "");
      equal.add(error.type, message);
      const folder = folderOf(evidence);
      wanted
        .get(keyOf(error.type, id))
        ?.add({ taskIndex: order.taskIndex(taskId), message, folder });
    },
    tells: (message) =>
      types.some((type) => shownFailures(type).some((failure) => failure.message === message)),
    lines({ trialCount, workDir, width }) {
      if (summary.errorCount === 0) return [];
      const of = trialCount === 0 ? "" : ` of ${trialCount}`;
      const shown = types.map((type) => ({ type, failures: shownFailures(type) }));
      const hasEvidence = shown.some(({ failures }) =>
        failures.some(({ folder }) => folder !== null),
      );
      return [
        `Failed trials (${summary.errorCount}${of})`,
        ...shown.flatMap(({ type, failures }) => [
          ...wrapText(typeLine(type, idsOf(type)), { width, next: "  " }),
          ...byMessage(failures, ({ message }) => message).flatMap((group) =>
            failureLines(group, equal.count(type, group[0].message, group.length), width),
          ),
        ]),
        ...(workDir === null || !hasEvidence
          ? []
          : labelledPath("Trial evidence is below", workDir, width)),
      ];
    },
  };
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
