#!/usr/bin/env node
// Committed so that npm can link the command before anything is built; the program itself is ../dist/cli/main.js.
import { existsSync } from "node:fs";

const main = new URL("../dist/cli/main.js", import.meta.url);

if (existsSync(main)) {
  await import(main.href);
} else {
  process.stderr.write("assay: the build is missing: run npm run build in the Assay checkout\n");
  process.exitCode = 3;
}
