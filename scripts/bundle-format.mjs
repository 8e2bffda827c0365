// @ts-check
// The text of docs/bundle-format.md: what the format promises, and each field from its schema.

/** @typedef {{ type?: string | string[], description?: string, enum?: unknown[], const?: unknown, anyOf?: Schema[], oneOf?: Schema[], properties?: Record<string, Schema>, items?: Schema, additionalProperties?: Schema | boolean, propertyNames?: Schema, required?: string[] }} Schema */
/** @typedef {{ name: string, type: string, meaning: string }} Row */

const intro = `# The bundle

A run directory is a bundle: what was run, with what settings, what came of it. It can be moved and
copied; nothing in it names a place outside of it. The six files \`run.json\`, \`metadata.json\`,
\`tasks.jsonl\`, \`trials.jsonl\`, \`scores.jsonl\` and \`summary.json\` are the format of NeMo's agent
evaluation; Assay reads bundles of either writer. \`assay schema <name>\` prints the JSON Schema of each
file.

\`\`\`text
<run>/
  run.json         what the bundle holds and how the run ended; the first file written, and the last
  plan.json        what was to be done; on disk before the first trial
  metadata.json    labels, identity of the target, times
  tasks.jsonl      the selected tasks, in plan order
  trials.jsonl     one row for each trial, in the order in which they ended
  scores.jsonl     one row for each metric of each trial
  attempts.jsonl   one row for each attempt of each trial: cause, time, tokens
  evidence.jsonl   one row for each file of evidence: size, digest, what was removed
  evidence/<000000-task>/<trial>/<name>/...        what the attempt that counts left behind
  evidence/<000000-task>/<trial>/attempts/<n>/...  what earlier attempts left behind
  summary.json     statistics: a function of the rows above, whatever order they came in
  provenance.json  what made all of it, with the SHA-256 of each data file
  provenance.dsse.json  its signature, where the run was given a key
\`\`\`

Other files, such as a report, are derived and may be missing.

## What holds for every bundle

- **Encoding.** Strict JSON in UTF-8. JSONL has one row per line. \`NaN\`, \`Infinity\` and \`-Infinity\` are
  strings; a lone surrogate is escaped. Readers accept a byte order mark, CRLF, blank lines and a
  missing last newline.
- **Keys.** Assay writes every key of a row, absent values as null. Unknown keys are refused by file and
  line, but in \`run.json\`, which other writers may extend.
- **Writing.** Every byte passes one door: secrets are removed, the result is hashed, then written.
  Documents are written to a temporary file, synced and renamed. Rows are appended in groups, at most
  50 ms or about 1 MiB late: evidence first, then attempts, trials and scores, each file synced before the
  next. A trial is reported as done when its group is on disk.
- **Status.** \`run.json\` says \`running\` until the end. A bundle that is read while it says so is refused.
- **Rows.** Files of rows are sets: no statistic depends on the order of lines. Rows are joined by
  \`task_id\` and \`trial_id\`; a trial's place in its task is \`trial_index\` in \`attempts.jsonl\`.
- **Paths.** Relative to the bundle, with forward slashes. Readers follow neither a path nor a link out
  of the bundle; an absolute \`ref\` stays as it is and is not opened. A relative one that
  leads out, or to nothing, is null where the row is copied, and \`unavailable\` says why.
- **Ids are data.** Folders under \`evidence/\` are safe names made from ids; \`ref\` says which is whose.
- **Digests.** The SHA-256 of \`provenance.json\` is the digest of the bundle. That file names the digest of
  each data file; \`run.json\` has a digest of itself over its RFC 8785 form without \`self_digest\`.
- **Signature.** With \`--sign-key\` the bytes of \`provenance.json\` are signed with an Ed25519 key: a DSSE
  envelope in \`provenance.dsse.json\`, whose SHA-256 \`run.json\` names as \`signature_sha256\`. No public key
  is part of a bundle; who checks a signature has the key from elsewhere.
- **Verifying.** [\`assay verify\`](verify.md) checks all of a bundle. Other readers compare every file with its digest as they read it, and refuse the bundle as
  \`ASSAY_BUNDLE_DAMAGED\` (exit code 5) with the name of each file, what was expected and what was found:
  \`show\` all records, \`rescore\` the evidence too. Folders without files are in no digest, nor are rights:
  which files are programs is told by \`evidence.jsonl\`. A bundle whose \`run.json\` names no \`provenance.json\` (one of another writer) has no digests:
  it is read as it is, and \`show\` says that nothing was verified. A forger can make all digests anew, so
  compare the bundle's digest with the one that \`run\` printed.
- **Evidence.** A file holds the bytes that were left behind, without secrets, up to 64 MiB
  (\`is_truncated\`). A binary file that held a secret is replaced by a note (\`is_withheld\`). A link is kept
  as a link when its text alone shows that it cannot lead out; its row is about that text. At most
  20,000 files, folders and links and 1 GiB are kept of a trial. A descriptor's metadata tells what was
  left out: \`omitted\`, a count by reason (\`link\`, \`special_file\`, \`missing\`, \`unreadable\`, \`too_deep\`,
  \`in_omitted_folder\`, \`over_entry_count\`, \`over_total_size\`, \`not_visited\`, \`name_too_long\`, \`name_taken\`,
  \`name_refused\`), and \`unavailable\`, why there is nothing. A folder of the agent's files that was
  removed or replaced is an empty folder.
- **Unknown facts.** In \`provenance.json\` a fact that is not known is \`{"unknown": "<reason>"}\`, which is
  \`unknown\` in the table below.
- **What was removed.** Exact values of known secrets become \`<redacted>\` everywhere; in settings also
  what is named like a credential. Keys, states, figures and digests of the format are never changed.
`;

const files = [
  { file: "run.json", schema: "manifest" },
  { file: "plan.json", schema: "plan" },
  { file: "metadata.json", schema: "metadata" },
  { file: "tasks.jsonl", schema: "task" },
  { file: "trials.jsonl", schema: "trial" },
  { file: "scores.jsonl", schema: "score" },
  { file: "attempts.jsonl", schema: "attempt" },
  { file: "evidence.jsonl", schema: "evidence" },
  { file: "summary.json", schema: "summary" },
  { file: "provenance.json", schema: "provenance" },
  { file: "provenance.dsse.json", schema: "envelope" },
];

/** @param {Schema} schema @returns {Schema[]} */
const optionsOf = (schema) =>
  (schema.anyOf ?? schema.oneOf ?? [schema]).filter((one) => isShown(one));

/** The rule "this or that key must be there" has the look of options, and is none. @param {Schema} schema */
const isShown = (schema) => schema.type !== undefined || schema.required === undefined;

/** @param {Schema} schema @returns {string[]} */
function typesOf(schema) {
  const options = optionsOf(schema);
  if (schema.properties === undefined && options.length > 0 && options[0] !== schema)
    return options.flatMap(typesOf);
  if (schema.const !== undefined) return [`\`${schema.const}\``];
  if (schema.enum !== undefined) return schema.enum.map((word) => `\`${word}\``);
  if (isUnknownFact(schema)) return ["`unknown`"];
  if (schema.type === "array") return [`list of ${schema.items ? typeText(schema.items) : "any"}`];
  if (Array.isArray(schema.type)) return schema.type;
  return [schema.type ?? "any"];
}

/** @param {Schema} schema */
const isUnknownFact = (schema) => Object.keys(schema.properties ?? {}).join() === "unknown";

/** @param {Schema} schema */
function typeText(schema) {
  const types = [...new Set(typesOf(schema))];
  return types.includes("any") ? "any JSON" : types.join(", ");
}

/** @param {Schema} schema @param {string} name @returns {Row[]} */
function rowsOf(schema, name) {
  const meaning = schema.description;
  if (meaning === undefined)
    throw new Error(`the schema does not say what "${name}" is: describe it`);
  return [{ name, type: typeText(schema), meaning }, ...innerRows(schema, name)];
}

/** @param {Schema} schema @param {string} name @returns {Row[]} */
function innerRows(schema, name) {
  const options = optionsOf(schema);
  if (schema.properties === undefined && options[0] !== schema)
    return unique(options.flatMap((option) => innerRows(option, name)));
  if (isUnknownFact(schema)) return [];
  if (schema.items !== undefined) return innerRows(schema.items, `${name}[]`);
  const dot = name === "" ? "" : ".";
  const rows = Object.entries(schema.properties ?? {}).flatMap(([key, inner]) =>
    rowsOf(inner, `${name}${dot}${key}`),
  );
  const others = schema.additionalProperties;
  if (
    typeof others === "object" &&
    (others.properties || others.additionalProperties || others.items)
  )
    rows.push(...innerRows(others, `${name}${dot}<name>`));
  return rows;
}

/** One row for each name; what several forms of an object say of it together. @param {Row[]} rows */
function unique(rows) {
  /** @type {Map<string, Row>} */
  const byName = new Map();
  for (const row of rows) {
    const known = byName.get(row.name);
    const types = [...(known?.type.split(", ") ?? []), ...row.type.split(", ")];
    byName.set(row.name, { ...row, type: [...new Set(types)].join(", ") });
  }
  return [...byName.values()];
}

/** @param {string} text */
const cell = (text) => text.replaceAll("|", "\\|").replaceAll("\n", " ");

/** @param {(name: string) => unknown} schemaOf @param {string} note */
export function bundleFormatDocument(schemaOf, note) {
  const sections = files.map(({ file, schema }) => {
    const rows = innerRows(/** @type {Schema} */ (schemaOf(schema)), "");
    return [
      `## ${file}`,
      "",
      "| field | type | meaning |",
      "|---|---|---|",
      ...rows.map(
        ({ name, type, meaning }) => `| \`${name}\` | ${cell(type)} | ${cell(meaning)} |`,
      ),
      "",
    ].join("\n");
  });
  return [note, "", intro, ...sections].join("\n");
}
