import { readdir, realpath } from "node:fs/promises";

import type { FileStore } from "../../contracts/files.ts";
import { makeDirectory } from "./below.ts";
import { copyTree } from "./copy-tree.ts";
import { followLines } from "./follow-file.ts";
import { factsOf } from "./open-directory.ts";
import { makePrivateDirectory, makePrivateDirectorySync } from "./private-directory.ts";
import { readChunks, readLineBatches, readLineBytes, readLines, readWhole } from "./read-file.ts";
import { removeTree } from "./remove-tree.ts";
import { replaceDirectory } from "./replace-directory.ts";
import { reading } from "./system-errors.ts";
import { walk } from "./walk.ts";
import {
  createAtomic,
  makeLink,
  openAppend,
  renameFile,
  syncDirectory,
  writeAtomic,
  writeNew,
} from "./write-file.ts";

/** The files of this machine. */
export const nodeFileStore: FileStore = {
  readText: async (path, options) => (await readWhole(path, "follow", options)).toString("utf8"),
  readBytes: (path, options) => readWhole(path, "follow", options),
  readRegular: (path, options) => readWhole(path, "refuse", options),
  readLines,
  readLineBatches,
  readLineBytes,
  followLines,
  readChunks,
  stat: (path) => factsOf(path, path),
  realPath: (path) => reading(path, () => realpath(path)),
  list: async (path) => (await reading(path, () => readdir(path))).sort(),
  walk,
  writeAtomic,
  createAtomic,
  rename: renameFile,
  replaceDirectory,
  writeNew,
  makeLink,
  openAppend,
  makeDirectory,
  makePrivateDirectory,
  makePrivateDirectorySync,
  syncDirectory,
  copyTree,
  remove: removeTree,
};
