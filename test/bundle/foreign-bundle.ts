import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { folder } from "./import-kit.ts";

const files: Readonly<Record<string, string>> = {
  "metadata.json": `{"duration_sec":12.5,"finished_at":"2026-08-01T10:00:12.500000Z","labels":{"mode":"ci"},
 "sdk_version":"0.3.0","started_at":"2026-08-01T10:00:00Z",
 "target":{"config":{"agent_fn":"pkg.mod.fn","parallelism":4},"kind":"runner","name":"callable","version":null}}`,
  "tasks.jsonl": `{"id":"sum-1","inputs":{"instruction":"Add 2 and 3"},"intent":"answers 5","metadata":{},"metrics":[{"outputs":[{"description":null,"name":"exact-match","value_schema":"ContinuousScore"}],"type":"exact-match"}],"reference":{"answer":"5"},"views":{"solved":{"reducer":"single","signals":[{"metric":"exact-match","output":"exact-match","weight":null}]}}}
`,
  "trials.jsonl": `{"error": null, "evidence": {"descriptors": {"final_state": {"data": null, "description": null, "format": "dir", "kind": "filesystem", "metadata": {"role": "final_state"}, "ref": "evidence/000000-sum-1/workspace"}}, "metadata": {}}, "id": "sum-1:0", "measurements": {"completion_tokens": 3, "prompt_tokens": 20, "runtime_sec": 1.2}, "metadata": {"agent_ok": true}, "output": {"metadata": {}, "output_text": "5", "response": null}, "status": "completed", "task_id": "sum-1"}
{"error": {"message": "too slow", "occurred_at": null, "traceback": null, "type": "TimeoutError"}, "evidence": null, "id": "sum-1:1", "measurements": {}, "metadata": {}, "output": null, "status": "failed", "task_id": "sum-1"}
`,
  "scores.jsonl": `{"diagnostics":[],"id":"R:sum-1:sum-1:0:exact-match","metadata":{"row_index":0,"trial_metadata":{"agent_ok":true}},"metric_type":"exact-match","outputs":[{"name":"exact-match","value":1}],"run_id":"R","status":"completed","task_id":"sum-1","trial_id":"sum-1:0"}
{"diagnostics":[{"details":{"trial_status":"failed"},"message":"too slow","severity":"error","source":"exact-match"}],"id":"R:sum-1:sum-1:1:exact-match","metadata":{"row_index":0,"trial_metadata":{}},"metric_type":"exact-match","outputs":[],"run_id":"R","status":"failed","task_id":"sum-1","trial_id":"sum-1:1"}
`,
  "summary.json": `{"error_count":1,"error_trial_ids":{"TimeoutError":["sum-1:1"]},
 "metric_coverage":{"exact-match":{"exact-match":{"failed":1,"missing":0,"scored":1,"total":2}}},"score_count":2,
 "scores":{"scores":[{"count":1,"histogram":null,"max":1.0,"mean":1.0,"median":1.0,"min":1.0,"name":"exact-match.exact-match",
 "nan_count":1,"percentiles":{"p10":1.0,"p20":1.0,"p30":1.0,"p40":1.0,"p50":1.0,"p60":1.0,"p70":1.0,"p80":1.0,"p90":1.0,"p100":1.0},
 "sample_std_dev":null,"sample_variance":null,"score_type":"range","std_dev":0.0,"sum":1.0,"variance":0.0}]},"task_count":1,
 "task_metric_values":{"sum-1":{"exact-match.exact-match":[{"trial_id":"sum-1:0","value":1,"value_type":"number"},
 {"trial_id":"sum-1:1","value":null,"value_type":"missing"}]}},"trial_count":2}`,
  "run.json": `{"artifacts":{"metadata":"metadata.json","scores":"scores.jsonl","summary":"summary.json","tasks":"tasks.jsonl",
 "trials":"trials.jsonl"},"dashboard_path":"/launch/run/report.html","output_dir":"/launch/run","run_id":"R"}`,
  "evidence/000000-sum-1/workspace/answer.txt": "5\n",
};

/** A bundle as NeMo writes it, by hand. `changes` replaces files; null leaves one out. */
export function foreignBundle(changes: Readonly<Record<string, string | null>> = {}): string {
  const dir = join(folder(), "foreign");
  for (const [name, content] of Object.entries({ ...files, ...changes })) {
    if (content === null) continue;
    mkdirSync(join(dir, name, ".."), { recursive: true });
    writeFileSync(join(dir, name), content);
  }
  return dir;
}
