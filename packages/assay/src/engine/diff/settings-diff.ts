import type { DiffSide, Evaluated } from "./diff-side.ts";
import { type Difference, differing, mapDifferences } from "./differences.ts";

/** Whether two bundles were made with the same settings, and what differs. */
export interface SettingsDiff {
  /** `unknown`: nothing says what produced the trials of one of them. */
  readonly verdict: "same" | "different" | "unknown";
  /** Why the verdict is not sure, or not to be told from what differs; else null. */
  readonly reason: string | null;
  /** Name and kind of the target, and its options that shape results. */
  readonly shaping: readonly Difference[];
  /** Options that are recorded and shape no result: limits of concurrency, paths. */
  readonly operational: readonly Difference[];
}

export function diffSettings(a: DiffSide, b: DiffSide): SettingsDiff {
  const [one, other] = [a.evaluated, b.evaluated];
  const missing = [...lacksTarget("A", a), ...lacksTarget("B", b)];
  if (one.target === null || other.target === null)
    return { verdict: "unknown", reason: missing.join("; "), shaping: [], operational: [] };
  const options = mapDifferences(one.target.config, other.target.config).map((difference) =>
    withOrigins(difference, one, other),
  );
  const isOperational = ({ name }: Difference) =>
    (roleOf(name, one) ?? roleOf(name, other) ?? "shapes") !== "shapes";
  const shaping = [
    ...differing("target", one.target.name, other.target.name),
    ...differing("kind", one.target.kind, other.target.kind),
    ...options.filter((difference) => !isOperational(difference)),
  ];
  const operational = options.filter(isOperational);
  return { ...verdictOf(one, other, shaping), shaping, operational };
}

function lacksTarget(name: string, { evaluated, metadata }: DiffSide): readonly string[] {
  if (evaluated.target !== null) return [];
  return metadata.target === null
    ? [`${name} does not record what was evaluated`]
    : [`nothing says what produced the trials that ${name} imported`];
}

function withOrigins(difference: Difference, a: Evaluated, b: Evaluated): Difference {
  return {
    name: difference.name,
    a: difference.a && { ...difference.a, ...originOf(difference.name, a) },
    b: difference.b && { ...difference.b, ...originOf(difference.name, b) },
  };
}

function originOf(name: string, { origins }: Evaluated) {
  const origin = Object.hasOwn(origins, name) ? origins[name] : undefined;
  return origin === undefined ? {} : { origin };
}

function roleOf(name: string, { roles }: Evaluated): string | undefined {
  return Object.hasOwn(roles, name) ? roles[name] : undefined;
}

function verdictOf(
  a: Evaluated,
  b: Evaluated,
  shaping: readonly Difference[],
): Pick<SettingsDiff, "verdict" | "reason"> {
  const isSameRecord = shaping.length === 0;
  if (a.settingsDigest === null || b.settingsDigest === null) {
    const reason = "by what is recorded, for not both have a digest of their settings";
    return { verdict: isSameRecord ? "same" : "different", reason };
  }
  const isSameDigest = a.settingsDigest === b.settingsDigest;
  if (isSameDigest === isSameRecord)
    return { verdict: isSameDigest ? "same" : "different", reason: null };
  const reason = isSameDigest
    ? "the digests of the settings are equal, though recorded values differ"
    : "the digests of the settings differ, though every recorded value is the same";
  return { verdict: "different", reason };
}
