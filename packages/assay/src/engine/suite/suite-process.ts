import { z } from "zod";

import type { SuiteProcess } from "../../contracts/runner.ts";
import { parseValue } from "../../schema/codec.ts";
import { jsonObject, jsonValue, stringMap } from "../../schema/free-form.ts";
import { formatRow, parseJson } from "../../support/json.ts";
import type { Suite, SuiteCode, SuiteCodeFile } from "./suite.ts";

/** An agent in that process may write lines of its own. */
const codeFile = z.strictObject({
  path: z.string().min(1).max(4096),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});
/** With its bytes in base64: the process runs what is recorded, whatever became of the file meanwhile. */
const sentFile = codeFile.extend({ content: z.base64() });

const instructionsSchema = z.strictObject({
  entry: z.string(),
  parameters: stringMap(),
  files: z.array(sentFile),
  order: jsonObject(),
});

/** One line of the program: a message of the target's, or of its own. */
const lineSchema = z.union([
  z.strictObject({ told: jsonValue() }),
  z.strictObject({ refused: z.string() }),
  z.strictObject({
    loaded: z.strictObject({ files: z.array(codeFile), blind: z.array(z.string()) }),
  }),
]);

const maxLineBytes = 32 * 1024 * 1024;

/** The same from src/engine/suite and from dist/engine/suite. */
const program = new URL(
  `../serve-suite${import.meta.url.endsWith(".ts") ? ".ts" : ".js"}`,
  import.meta.url,
);

interface OwnPrograms {
  ownProgram(module: URL, nodeOptions: readonly string[]): readonly [string, ...string[]];
}

/** How the suite's code is run in another process; an empty object for a suite that was built by a program. */
export function suiteProcessOf(
  { code, parameters }: Pick<Suite, "code" | "parameters">,
  { ownProgram }: OwnPrograms,
): { readonly suiteProcess?: SuiteProcess } {
  if (code === null) return {};
  const { entry } = code;
  let files: readonly z.output<typeof sentFile>[] | null = null;
  return {
    suiteProcess: {
      maxLineBytes,
      command: (nodeOptions) => ownProgram(program, nodeOptions),
      instructions(order) {
        files ??= sentFiles(code);
        return formatRow({ entry, parameters, files, order });
      },
      read(text) {
        const source = "line of the suite's process";
        const line = parseValue(lineSchema, parseJson(text, source), { source });
        if ("told" in line) return { kind: "told", message: line.told };
        if ("refused" in line) return { kind: "refused", reason: line.refused };
        code.noteLater(line.loaded);
        return null;
      },
    },
  };
}

function sentFiles(code: SuiteCode): readonly z.output<typeof sentFile>[] {
  const contents = code.contents();
  return code.files.map(({ path, sha256 }) => {
    const bytes = contents.get(path) ?? new Uint8Array(0);
    return { path, sha256, content: Buffer.from(bytes).toString("base64") };
  });
}

export function readInstructions(text: string): z.output<typeof instructionsSchema> {
  const source = "instructions of the suite's process";
  return parseValue(instructionsSchema, parseJson(text, source), { source });
}

/** Throws a `RangeError` for a line that would be cut. */
export function formatLine(line: object): string {
  const text = formatRow(line);
  if (Buffer.byteLength(text) < maxLineBytes) return text;
  throw new RangeError(`more than ${maxLineBytes} bytes cannot be handed over at once`);
}

/** Files that were loaded and are not the ones that are recorded. */
export function unrecorded(
  recorded: readonly SuiteCodeFile[],
  loaded: readonly SuiteCodeFile[],
): readonly string[] {
  const digests = new Map(recorded.map(({ path, sha256 }) => [path, sha256]));
  return loaded.filter(({ path, sha256 }) => digests.get(path) !== sha256).map(({ path }) => path);
}
