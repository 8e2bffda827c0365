// @ts-check
// Ends this process by SIGKILL at one of its file operations. Loaded before Assay by `--import`, it stands between
// `node:fs/promises` and whoever imports it, so that every write of the product passes it, whichever path it takes.
//
// Each operation has a point before it and one after it; a write has one more, where half of its bytes are written.
// ASSAY_KILL_AT is the number of the point, counted from 1; 0 kills nowhere. ASSAY_KILL_NOTE is a file that gets how
// many points there were, or what was being done at the last one.
import { constants, readlinkSync, writeFileSync, writeSync } from "node:fs";
import promises from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { basename } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

const killAt = Number(process.env["ASSAY_KILL_AT"]);
const noteFile = String(process.env["ASSAY_KILL_NOTE"]);
const creating = constants.O_CREAT;
let passed = 0;

/** @param {string} what */
function pass(what) {
  passed += 1;
  if (passed !== killAt) return;
  writeFileSync(noteFile, what);
  process.kill(process.pid, "SIGKILL");
}

/**
 * @param {any} owner
 * @param {string} name
 * @param {(self: any, args: any[]) => string | null} describe null for a call that changes nothing on the disk
 * @param {(self: any, args: any[]) => void} [half]
 */
function watch(owner, name, describe, half) {
  const original = owner[name];
  owner[name] = async function watched(/** @type {any[]} */ ...args) {
    const what = describe(this, args);
    if (what === null) return await original.apply(this, args);
    pass(`before ${what}`);
    if (half !== undefined) {
      if (passed + 1 === killAt) half(this, args);
      pass(`in the middle of ${what}`);
    }
    const result = await original.apply(this, args);
    pass(`after ${what}`);
    return result;
  };
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
for (const name of ["mkdir", "rm", "rmdir", "unlink", "truncate", "writeFile", "copyFile"])
  watch(promises, name, (_self, [path]) => `${name} ${basename(String(path))}`);

const someFile = await promises.open(fileURLToPath(import.meta.url));
const handles = Object.getPrototypeOf(someFile);
await someFile.close();
watch(handles, "write", (self) => `write ${nameOf(self)}`, writeHalf);
for (const name of ["sync", "datasync", "truncate", "writev", "writeFile", "appendFile"])
  watch(handles, name, (self) => `${name} ${nameOf(self)}`);
watch(promises, "open", (_self, [path, flags]) =>
  typeof flags === "number" && (flags & creating) !== 0 ? `create ${basename(path)}` : null,
);
syncBuiltinESMExports();

if (killAt === 0) process.on("exit", () => writeFileSync(noteFile, String(passed)));
