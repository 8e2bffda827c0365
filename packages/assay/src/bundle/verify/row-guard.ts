import { whyTwofold } from "../../support/duplicate-keys.ts";
import { damaged } from "../decode-files.ts";
import type { RowSource, RowWatch } from "../decode-rows.ts";
import { bundleFiles } from "../layout.ts";
import type { RowFile, RowTypes } from "../row-files.ts";
import { evidencePathText, strayRefs } from "./stored-paths.ts";
import { Utf8Lines } from "./utf8-lines.ts";

type RowProblems = { readonly [R in RowFile]?: (row: RowTypes[R]) => string | null };

/** What says by itself that a row was not written by Assay, whose rows lead nowhere out of their bundle. */
const rowProblems: RowProblems = {
  trials: (trial) => {
    for (const { text, leads } of strayRefs(trial)) if (leads === "out") return text;
    return null;
  },
  evidence: ({ path }) => evidencePathText(path),
};

/**
 * The rows of a bundle of Assay for a reader that is to make nothing of them when other programs would read something
 * else there, or when they lead out: that is `ASSAY_BUNDLE_DAMAGED` in the words of `assay verify`, which names all such
 * rows. Of rows that are only counted the bytes alone are looked at.
 */
export function guarded(source: RowSource, role: RowFile): RowSource {
  const open = async () => {
    const watch = await source.open();
    return watch === null ? null : guardedWatch(watch, role);
  };
  return { ...source, open };
}

function guardedWatch(watch: RowWatch, role: RowFile): RowWatch {
  const name = bundleFiles[role];
  const problemOf = rowProblems[role] as ((row: unknown) => string | null) | undefined;
  const utf8 = new Utf8Lines();
  let lastLine = 0;
  const refuse = (why: string | null) => {
    if (why !== null) throw damaged(name, why);
  };
  return {
    update: (chunk) => {
      watch.update(chunk);
      utf8.update(chunk);
    },
    lines: (lines, first) => {
      lastLine = first + lines.length - 1;
      if (utf8.isUtf8) return;
      const index = lines.findIndex((line) => line.includes("\uFFFD"));
      if (index !== -1) refuse(noUtf8(first + index));
    },
    row: ({ text, wire, row, line }) => {
      const why = whyTwofold(Buffer.from(text), wire);
      if (why !== null) refuse(`line ${line}: ${why}`);
      if (problemOf !== undefined) refuse(problemOf(row));
    },
    end: () => {
      watch.end();
      utf8.end();
      if (!utf8.isUtf8) refuse(noUtf8(lastLine));
    },
  };
}

export function noUtf8(line: number): string {
  return `line ${line} is no UTF-8, or holds U+FFFD`;
}
