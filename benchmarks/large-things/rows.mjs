// @ts-check
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";

/** The rows of a JSONL file. @param {string} file @returns {AsyncGenerator<any>} */
export async function* rowsOf(file) {
  for await (const line of createInterface({ input: createReadStream(file) }))
    if (line !== "") yield JSON.parse(line);
}
