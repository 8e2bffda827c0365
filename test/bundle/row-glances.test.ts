import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { glances } from "../../packages/assay/src/bundle/row-glances.ts";
import { formatRecord } from "../../packages/assay/src/schema/row-format.ts";
import { scoreRecordSchema } from "../../packages/assay/src/schema/score.ts";
import { trialRecordSchema, trialStatuses } from "../../packages/assay/src/schema/trial.ts";
import { eager, runTarget } from "../engine/run-kit.ts";
import { filesOf } from "./door-kit.ts";

/** Texts that could be taken for a part of a row, by whoever did not look at their quotation marks. */
const text = fc.oneof(
  fc.string({ minLength: 1, unit: "binary" }),
  fc.constantFrom('"error":{', '","status":"completed",', '\\","error":null', '{"id":"'),
);
const free = fc.oneof(text, fc.dictionary(text, text), fc.constant({ error: { type: "E" } }));
const status = fc.constantFrom(...trialStatuses);

describe("a glance at a row", () => {
  it("tells of a trial what the whole row does, or nothing", () => {
    const error = fc.option(fc.record({ type: fc.constant("E"), message: text }));
    const trials = fc.record({ id: text, taskId: text, status, response: free, error });
    fc.assert(
      fc.property(trials, ({ response, ...rest }) => {
        const trial = trialRecordSchema.parse({ ...rest, output: { response } });
        const told = glances.trials(formatRecord(trialRecordSchema, trial));
        const { taskId, error: problem } = trial;
        expect([null, { taskId, status: trial.status, error: problem }]).toContainEqual(told);
      }),
    );
  });

  it("tells of a score what the whole row does, or nothing", () => {
    const ids = { id: text, runId: text, taskId: text, trialId: text, metricType: text };
    const scores = fc.record({ ...ids, status, outputs: fc.constant([]) });
    fc.assert(
      fc.property(scores, fc.dictionary(text, free), (row, metadata) => {
        const score = scoreRecordSchema.parse({ ...row, metadata });
        const told = glances.scores(formatRecord(scoreRecordSchema, score));
        expect([null, { status: score.status }]).toContainEqual(told);
      }),
    );
  });

  it("tells nothing of a row that says twice what is told, however it is spelt", () => {
    const error = fc.constant('{"type":"E"}');
    const said = fc.oneof(
      fc.record({ key: fc.constantFrom("task_id", "status"), value: fc.constant('"failed"') }),
      fc.record({ key: fc.constant("error"), value: error }),
    );
    const spelling = fc.record({ escaped: fc.boolean(), blank: fc.constantFrom("", " ", "\t") });
    const output = { response: null };
    const trial = trialRecordSchema.parse({ id: "t:a", taskId: "t", status: "completed", output });
    const row = formatRecord(trialRecordSchema, trial);
    expect(glances.trials(row)).not.toBeNull();
    fc.assert(
      fc.property(said, spelling, ({ key, value }, { escaped, blank }) => {
        const name = escaped ? `\\u00${key.charCodeAt(0).toString(16)}${key.slice(1)}` : key;
        const again = `,"${name}"${blank}:${blank}${value}}`;
        expect(glances.trials(row.replace(/\}$/, () => again))).toBeNull();
      }),
    );
  });

  it("is enough for the rows of a run that went well", async () => {
    const { workDir } = await runTarget(eager());
    const lines = (name: string) => filesOf(workDir).text(name).trimEnd().split("\n");
    const told = {
      trials: lines("trials.jsonl").map(glances.trials),
      scores: lines("scores.jsonl").map(glances.scores),
    };

    expect(told).toEqual({
      trials: [{ taskId: "t0", status: "completed", error: null }],
      scores: [{ status: "completed" }],
    });
  });
});
