import { taskFolder, uniqueName } from "../support/file-names.ts";

/** The files of a run directory by role, relative to it. */
export const bundleFiles = {
  manifest: "run.json",
  plan: "plan.json",
  metadata: "metadata.json",
  tasks: "tasks.jsonl",
  trials: "trials.jsonl",
  scores: "scores.jsonl",
  summary: "summary.json",
  attempts: "attempts.jsonl",
  evidence: "evidence.jsonl",
  provenance: "provenance.json",
} as const;

export type BundleFile = keyof typeof bundleFiles;

export const evidenceFolder = "evidence";

/** The signature of provenance.json, where there is one. */
export const envelopeFile = "provenance.dsse.json";

/** All that a run puts into its directory. */
export const runEntries: readonly string[] = [
  ...Object.values(bundleFiles),
  envelopeFile,
  evidenceFolder,
];

/** What others make of a bundle later and put beside it. */
export const reportFiles = ["report.html", "gate.json"] as const;

/** What is made from the rows when a run ends, and what is made of that. */
export const derivedFiles = [
  bundleFiles.provenance,
  envelopeFile,
  bundleFiles.summary,
  bundleFiles.metadata,
  ...reportFiles,
] as const;

/** The subjects of the provenance statement: every data file but the manifest and the statement itself. */
export const subjectFiles: readonly BundleFile[] = [
  "plan",
  "metadata",
  "tasks",
  "trials",
  "scores",
  "summary",
  "attempts",
  "evidence",
];

/** Where a trial's evidence lies: `evidence/000000-<task>/<trial>`, one safe unique folder whatever the ids are. */
export function trialFolder(place: {
  readonly taskIndex: number;
  readonly taskId: string;
  readonly trialId: string;
}): string {
  return `${evidenceFolder}/${taskFolder(place.taskIndex, place.taskId)}/${uniqueName(place.trialId)}`;
}
