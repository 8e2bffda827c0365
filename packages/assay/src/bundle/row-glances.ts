/** What is told of a trial that ended well: there is nothing else to say of it. */
export interface TrialGlance {
  readonly taskId: string;
  readonly status: "completed";
  readonly error: null;
}

/** What is told of a score that has outputs. */
export interface ScoreGlance {
  readonly status: "completed";
}

/** What a look at the text of a row tells, for files that hold mostly rows that are only counted. */
export interface GlanceTypes {
  readonly trials: TrialGlance;
  readonly scores: ScoreGlance;
}

export type Glance<T> = (row: string) => T | null;

/**
 * Each gives null for a row that there is more to say of, or that is not spelt as Assay spells them: that one is to be
 * read. What stands in front of the status is known, and a quotation mark inside of a text has a backslash before it. What
 * is told of a row may stand in it once more, or in its data, or be spelt by escapes: reading it says which.
 */
export const glances: { readonly [R in keyof GlanceTypes]: Glance<GlanceTypes[R]> } = {
  trials(row) {
    const [start, taskId] = endedWell.exec(row) ?? [];
    if (start === undefined || taskId === undefined) return null;
    return isFoundFrom(start.length, row, moreOfTrial)
      ? null
      : { taskId, status: "completed", error: null };
  },
  scores(row) {
    const [start] = isMeasured.exec(row) ?? [];
    return start === undefined || isFoundFrom(start.length, row, moreOfScore) ? null : measured;
  },
};

function isFoundFrom(index: number, row: string, pattern: RegExp): boolean {
  pattern.lastIndex = index;
  return pattern.test(row);
}

const text = String.raw`"[^"\\]+"`;
const endedWell = new RegExp(
  String.raw`^\{"id":${text},"task_id":"([^"\\]+)","status":"completed",`,
);
const isMeasured = new RegExp(
  `^\\{"id":${text},"run_id":${text},"task_id":${text},"trial_id":${text},"metric_type":${text},"status":"completed",`,
);
const moreOfTrial = /\\u|"(?:status"|task_id"|error"(?!:null))/g;
const moreOfScore = /\\u|"status"/g;
const measured: ScoreGlance = { status: "completed" };
