// @ts-check
// The process that is killed: node --import kill-points.mjs start.mjs ROOT START
import process from "node:process";

import { placeOf, runStart } from "./workloads.mjs";

const [root = "", start = "{}"] = process.argv.slice(2);
process.stdout.write("ready\n");
await runStart(placeOf(root), JSON.parse(start));
