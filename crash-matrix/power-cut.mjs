// @ts-check
// Makes a folder what it would be after a power cut.
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** What of a run's place is on a disk that loses its power; the logs beside it judge, and lose nothing. */
const lost = ["run", "scratch"];

/** @param {string} root of the place @param {string} stateFile what `DurableState.tree` gave, as JSON */
export function cutPower(root, stateFile) {
  if (!existsSync(stateFile)) return;
  const { names } = JSON.parse(readFileSync(stateFile, "utf8"));
  rmSync(stateFile);
  for (const name of lost) rmSync(join(root, name), { recursive: true, force: true });
  for (const [name, node] of names) if (lost.includes(name)) make(join(root, name), node);
}

/** @param {string} path @param {any} node */
function make(path, node) {
  if (node.kind === "link") symlinkSync(node.target, path);
  else if (node.kind === "file")
    writeFileSync(path, Buffer.from(node.content, "base64"), { mode: 0o600 });
  else {
    mkdirSync(path, { mode: 0o700 });
    for (const [name, inner] of node.names) make(join(path, name), inner);
  }
}
