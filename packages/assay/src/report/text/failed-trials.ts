import type { Summary } from "../../schema/summary.ts";
import type { TrialRecord } from "../../schema/trial.ts";
import { compareText } from "../../support/natural-order.ts";
import { cutToWidth, displayWidth, wrapText } from "../../support/terminal-text.ts";
import { visibleLine } from "../../support/visible-text.ts";
import { type FirstRows, firstRows, type PlanOrder } from "./plan-order.ts";

/** Ids that are named; more are counted. */
export const listedIds = 5;
export const maxMessage = 300;

interface Failure {
  readonly taskIndex: number;
  readonly message: string;
  /** Folder of its evidence, relative to the bundle; null without any. */
  readonly folder: string | null;
}

export interface FailedTrialsLines {
  readonly trialCount: number;
  readonly workDir: string | null;
  readonly width: number;
}

/** Collects the messages of the trials that the section names, and of no others. */
export interface FailedTrials {
  add(trial: TrialRecord): void;
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
      const message = cutToWidth(visibleLine(error.message ?? ""), maxMessage);
      const folder = folderOf(evidence);
      wanted
        .get(keyOf(error.type, id))
        ?.add({ taskIndex: order.taskIndex(taskId), message, folder });
    },
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
          ...failures.flatMap((failure) => failureLines(failure, width)),
        ]),
        ...(workDir === null || !hasEvidence
          ? []
          : labelledPath("Trial evidence is below", workDir, width)),
      ];
    },
  };
}

function failureLines(failure: Failure & { readonly id: string }, width: number): string[] {
  const { id, message, folder } = failure;
  if (message === "" && folder === null) return [];
  const text = message === "" ? visibleLine(id) : `${visibleLine(id)}: ${message}`;
  return [
    ...wrapText(text, { width, first: "  ", next: "    " }),
    ...(folder === null ? [] : [`    ${visibleLine(folder)}`]),
  ];
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
