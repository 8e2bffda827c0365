// @ts-check
// What redaction costs: rows of a trial that returns at once, a transcript of prose and code, base64, and a text in which
// a credential stands. Microseconds are of the whole check of the text, with all layers on.
//
//   node benchmarks/redaction.mjs
import { performance } from "node:perf_hooks";

const { createRedactor } = await import("../packages/assay/dist/provenance/redaction/redactor.js");

const redactor = createRedactor({
  secrets: [
    { name: "OPENAI_API_KEY", value: "bench-0123456789abcdef-0123456789" },
    { name: "DB_PASSWORD", value: "correct-horse-battery-9" },
  ],
});

const place = `"trial_id":"task-000000000017:adder:42","task_id":"task-000000000017"`;
const runId = `"run_id":"3f2b7c1e-6a51-4f0e-9a8b-1d2c3e4f5a6b"`;
/** As a trial of `benchmarks/run-trials.mjs` has them. */
const rows = [
  `{"id":"task-000000000017:adder:42",${place},"status":"completed","output":{"output_text":"42","response":null,"metadata":{}},"trajectory":null,"evidence":null,"timing":{"started_at":"2026-12-02T04:37:29.123Z","duration_sec":0.0003},"error":null,"metadata":{"agent_ok":true}}`,
  ...["exact-match", "string-check"].map(
    (type) =>
      `{${runId},${place},"row_index":17,"metric_type":"${type}","status":"completed","outputs":[{"name":"correct","value":1}],"diagnostics":[],"error":null}`,
  ),
  `{${place},"trial_index":42,"attempt_index":0,"cause":"planned","fault":null,"queue_ms":0.1,"phases":{"run_ms":0.2},"prompt_tokens":null,"completion_tokens":null,"cost_usd":null,"image_digest":null}`,
];
const transcript = `I looked at src/engine/trials/execute.ts and https://example.com/docs?page=2, then ran "npm test".\n  at Executor.#drainRunner (file:///app/node_modules/assay/dist/engine/trials/execute.js:204:31)\n{"role":"assistant","id":"chatcmpl-9f8e7d6c5b4a","content":"The total_tokens are 1234.","tool_calls":[]}\n`;
const base64 = Buffer.from(
  Uint8Array.from({ length: 48 * 1024 }, (_, at) => (at * 167) ^ (at >> 3)),
);

report("rows of one trial", rows.join("").length, () => {
  for (const row of rows) redactor.mayContain(row);
});
const long = transcript.repeat(160);
report("a transcript of 64 KiB as text", long.length, () => redactor.text(long));
report("the same as a stream", long.length, streamOf(Buffer.from(long)));
report("64 KiB of base64", 65_536, streamOf(Buffer.from(base64.toString("base64"))));
const leak = `${transcript.repeat(20)}AKIA${"ABCDEFGHIJKLMNOP"}\n${transcript.repeat(20)}`;
report("a text with a credential", leak.length, () => redactor.text(leak));

/** @param {Buffer} bytes */
function streamOf(bytes) {
  return () => {
    const stream = redactor.stream();
    stream.push(bytes);
    stream.end();
  };
}

/** @param {string} name @param {number} size @param {() => void} work */
function report(name, size, work) {
  for (let round = 0; round < 200; round += 1) work();
  const rounds = Math.max(200, Math.round(2e8 / size / 20));
  const start = performance.now();
  for (let round = 0; round < rounds; round += 1) work();
  const microseconds = ((performance.now() - start) * 1000) / rounds;
  const perByte = (microseconds * 1000) / size;
  process.stdout.write(
    `${name.padEnd(34)} ${String(size).padStart(7)} bytes  ${microseconds.toFixed(2).padStart(9)} µs  ${perByte.toFixed(2)} ns per byte\n`,
  );
}
