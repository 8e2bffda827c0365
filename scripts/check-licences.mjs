// @ts-check
// Every package in the lockfile carries a licence that lets Assay be used anywhere. Read from the
// lockfile, so packages of other platforms count too.
import { readFileSync } from "node:fs";

const allowed = new Set([
  "MIT",
  "ISC",
  "Apache-2.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "BlueOak-1.0.0",
  "0BSD",
]);
// Build-time only: none of these is in what users install.
const allowedInTools = new Set([...allowed, "MPL-2.0"]);

const lockfile = new URL("../package-lock.json", import.meta.url);
/** @type {Record<string, { license?: string, dev?: boolean, link?: boolean }>} */
const packages = JSON.parse(readFileSync(lockfile, "utf8")).packages;

/** @param {string} text @param {Set<string>} list */
function isAllowed(text, list) {
  const choices = text.replace(/[()]/g, "").split(" OR ");
  return choices.some((choice) => choice.split(" AND ").every((part) => list.has(part.trim())));
}

const rows = Object.entries(packages).filter(
  ([path, entry]) => path.includes("node_modules/") && entry.link !== true,
);
const refused = rows.filter(
  ([, entry]) => !isAllowed(entry.license ?? "none given", entry.dev ? allowedInTools : allowed),
);
for (const [path, entry] of refused) {
  process.stderr.write(`licences: ${path} is under ${entry.license ?? "no stated licence"}\n`);
}
process.stdout.write(`licences: ${rows.length} packages, ${refused.length} refused\n`);
if (refused.length > 0) process.exitCode = 1;
