import path from "node:path";

import type { BundleProblem, BundleVerification } from "../../entries/bundle.ts";
import { visibleLine, wrapText } from "../../entries/index.ts";
import { countOf, row, wholeRow } from "./rows.ts";

interface Place {
  readonly cwd: string;
  readonly width: number;
}

/** First what was proved, then what is wrong by file, then what was looked at; the last line is the digest. */
export function verifyLines(
  verification: BundleVerification,
  { cwd, width }: Place,
): readonly string[] {
  const { dir, runId, status, notes, bundleDigest } = verification;
  const place = path.relative(cwd, dir);
  const shown = place === "" ? "." : place.startsWith("..") ? dir : place;
  return [
    ...wrapText(verdictText(verification), { width, next: "  " }),
    ...problemLines(verification, width),
    "",
    ...wholeRow("bundle", shown, width),
    ...row("run", runId === null ? null : `${runId}${status === null ? "" : `, ${status}`}`, width),
    ...row("checked", checkedText(verification), width),
    ...signatureLines(verification, width),
    ...notes.flatMap((note) => row("note", note, width)),
    visibleLine(bundleDigest ?? "no digest"),
  ];
}

function verdictText({
  verdict,
  proved,
  problems,
  problemCount,
  unverifiedBecause,
}: BundleVerification): string {
  if (verdict === "unverified")
    return `UNVERIFIED: no problem was found, and nothing is proved: ${unverifiedBecause}`;
  if (verdict === "damaged") {
    const files = new Set(problems.map(({ path: name }) => name)).size;
    return `DAMAGED: ${countOf(problemCount, "problem")} in ${countOf(files, "file")}`;
  }
  const further = proved.flatMap((level) => levelTexts[level] ?? []);
  if (further.length > 0) return `VERIFIED: consistent, ${further.join(", ")}`;
  return "VERIFIED: consistent; who made it is not proved without --digest or --key";
}

const levelTexts: Partial<Record<BundleVerification["proved"][number], string>> = {
  digest: "equal to the digest given",
  signature: "signed by the key given",
};

function problemLines({ problems, problemCount }: BundleVerification, width: number): string[] {
  const byFile = new Map<string, BundleProblem[]>();
  for (const problem of problems) {
    const list = byFile.get(problem.path) ?? [];
    byFile.set(problem.path, list);
    list.push(problem);
  }
  const more = problemCount - problems.length;
  return [
    ...[...byFile].flatMap(([name, list]) => [
      "",
      visibleLine(name === "." ? "the bundle" : name),
      ...list.flatMap(({ kind, message }) =>
        wrapText(visibleLine(`${kind}: ${message}`), { width, first: "  ", next: "    " }),
      ),
    ]),
    ...(more > 0 ? ["", `and ${countOf(more, "more problem")}`] : []),
  ];
}

function checkedText({ counts }: BundleVerification): string | null {
  if (counts === null) return null;
  const { tasks, trials, scores, attempts, evidence } = counts;
  return [
    countOf(tasks, "task"),
    countOf(trials, "trial"),
    countOf(scores, "score"),
    countOf(attempts, "attempt"),
    countOf(evidence, "file of evidence", "files of evidence"),
  ].join(", ");
}

/** A key id in an envelope is what somebody wrote there: without the key itself it says nothing. */
function signatureLines(
  { claimedKeyIds, proved, bundleDigest }: BundleVerification,
  width: number,
): readonly string[] {
  if (proved.includes("signature")) return row("signed", "by the key given", width);
  if (bundleDigest === null) return [];
  if (claimedKeyIds.length === 0) return row("signed", "no", width);
  return row("signed", `not checked; it names ${claimedKeyIds.join(", ")}`, width);
}
