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
 * read. What stands in front of the status is known, and a quotation mark inside of a text has a backslash before it.
 */
export const glances: { readonly [R in keyof GlanceTypes]: Glance<GlanceTypes[R]> } = {
  trials(row) {
    const taskId = endedWell.exec(row)?.[1];
    if (taskId === undefined || row.includes('"error":{')) return null;
    return { taskId, status: "completed", error: null };
  },
  scores: (row) => (isMeasured.test(row) ? measured : null),
};

const text = String.raw`"[^"\\]+"`;
const endedWell = new RegExp(
  String.raw`^\{"id":${text},"task_id":"([^"\\]+)","status":"completed",`,
);
const isMeasured = new RegExp(
  `^\\{"id":${text},"run_id":${text},"task_id":${text},"trial_id":${text},"metric_type":${text},"status":"completed",`,
);
const measured: ScoreGlance = { status: "completed" };
