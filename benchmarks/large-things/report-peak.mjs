// @ts-check
// Loaded by `--import`: leaves the peak memory of its process, in mebibytes, in the file that LARGE_PEAK names.
import { writeFileSync } from "node:fs";
import process from "node:process";
import { isMainThread } from "node:worker_threads";

const file = process.env["LARGE_PEAK"];
delete process.env["LARGE_PEAK"];
if (file !== undefined && isMainThread)
  process.on("exit", () => writeFileSync(file, String(process.resourceUsage().maxRSS / 1024)));
