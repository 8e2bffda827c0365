// @ts-check
// Ends this process by SIGKILL at one of its file operations. Loaded before Assay by `--import`, it stands between
// `node:fs/promises` and whoever imports it, so that every write of the product passes it, whichever path it takes.
//
// Each operation has a point before it and one after it; a write has one more, where half of its bytes are written.
// ASSAY_KILL_AT is the number of the point, counted from 1; 0 kills nowhere. ASSAY_KILL_NOTE is a file that gets what was
// being done at the kill, or how many points there were when none came. With ASSAY_POWER_CUT the power fails at the same moment:
// that file gets what would be found afterwards below ASSAY_POWER_ROOT, and `power-cut.mjs` makes it so.
import { constants, existsSync, readlinkSync, writeFileSync, writeSync } from "node:fs";
import promises from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { basename } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

import { DurableState } from "./durable-state.mjs";

const killAt = Number(process.env["ASSAY_KILL_AT"]);
const noteFile = String(process.env["ASSAY_KILL_NOTE"]);
const stateFile = process.env["ASSAY_POWER_CUT"];
const durable =
  stateFile === undefined ? null : new DurableState(String(process.env["ASSAY_POWER_ROOT"]));
const creating = constants.O_CREAT;
let passed = 0;

/** @param {string} what */
function pass(what) {
  passed += 1;
  if (passed !== killAt) return;
  writeFileSync(noteFile, what);
  // What a file system keeps of the names that nobody synced is left to chance.
  if (stateFile !== undefined && durable !== null)
    writeFileSync(stateFile, JSON.stringify(durable.tree(killAt % 2 === 0)));
  process.kill(process.pid, "SIGKILL");
}

/**
 * @param {any} owner
 * @param {string} name
 * @param {(self: any, args: any[]) => string | null} describe null for a call that changes nothing on the disk
 * @param {{ half?: (self: any, args: any[]) => void, ending?: (self: any, args: any[]) => () => void }} [more]
 *   `ending` is called before the operation, and what it gives, after it
 */
function watch(owner, name, describe, { half, ending = () => nothing } = {}) {
  const original = owner[name];
  owner[name] = async function watched(/** @type {any[]} */ ...args) {
    const what = describe(this, args);
    if (what === null) return await original.apply(this, args);
    pass(`before ${what}`);
    if (half !== undefined) {
      if (passed + 1 === killAt) half(this, args);
      pass(`in the middle of ${what}`);
    }
    const end = ending(this, args);
    const result = await original.apply(this, args);
    end();
    pass(`after ${what}`);
    return result;
  };
}

function nothing() {}

/** @param {any} _self @param {any[]} args */
function creation(_self, [path]) {
  const isThere = existsSync(path);
  return () => {
    if (!isThere) durable?.created(String(path));
  };
}

/** @param {any} handle */
function syncing(handle) {
  return durable?.syncing(`/proc/self/fd/${handle.fd}`) ?? nothing;
}

/** @param {any} handle */
function nameOf(handle) {
  return basename(readlinkSync(`/proc/self/fd/${handle.fd}`));
}

/** @param {any} handle @param {any[]} args */
function writeHalf(handle, [bytes, offset, length]) {
  writeSync(handle.fd, bytes, offset, Math.floor(length / 2));
}

for (const name of ["rename", "link", "symlink"])
  watch(promises, name, (_self, [from, to]) => `${name} ${basename(from)} to ${basename(to)}`);
watch(promises, "mkdir", (_self, [path]) => `mkdir ${basename(path)}`, { ending: creation });
for (const name of ["rm", "rmdir", "unlink", "truncate", "writeFile", "copyFile"])
  watch(promises, name, (_self, [path]) => `${name} ${basename(String(path))}`);

const someFile = await promises.open(fileURLToPath(import.meta.url));
const handles = Object.getPrototypeOf(someFile);
await someFile.close();
watch(handles, "write", (self) => `write ${nameOf(self)}`, { half: writeHalf });
for (const name of ["sync", "datasync"])
  watch(handles, name, (self) => `${name} ${nameOf(self)}`, { ending: syncing });
for (const name of ["truncate", "writev", "writeFile", "appendFile"])
  watch(handles, name, (self) => `${name} ${nameOf(self)}`);
const describeOpen = (/** @type {any} */ _self, /** @type {any[]} */ [path, flags]) =>
  typeof flags === "number" && (flags & creating) !== 0 ? `create ${basename(path)}` : null;
watch(promises, "open", describeOpen, { ending: creation });
syncBuiltinESMExports();

process.on("exit", () => writeFileSync(noteFile, String(passed)));
