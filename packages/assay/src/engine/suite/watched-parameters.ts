import { AssayError } from "../../errors/assay-error.ts";
import { didYouMean } from "../../support/names.ts";

type Parameters = Readonly<Record<string, string>>;

/** Parameters that remember which were asked for, so that a misspelt one does not pass in silence. */
export interface WatchedParameters {
  readonly view: Parameters;
  /** Throws `ASSAY_USAGE` for one that was given and that nobody asked for. */
  assertAllAsked(source: string): void;
}

export function watchParameters(given: Parameters): WatchedParameters {
  const asked = new Set<string>();
  let hasAskedAll = false;
  const view = new Proxy(Object.freeze({ ...given }), {
    get(target, name) {
      if (typeof name === "string") asked.add(name);
      return Reflect.get(target, name) as unknown;
    },
    has(target, name) {
      if (typeof name === "string") asked.add(name);
      return Reflect.has(target, name);
    },
    ownKeys(target) {
      hasAskedAll = true;
      return Reflect.ownKeys(target);
    },
  });
  return {
    view,
    assertAllAsked(source) {
      const ignored = Object.keys(given).find((name) => !asked.has(name));
      if (ignored === undefined || hasAskedAll) return;
      const known = [...asked].sort();
      const reads = known.length === 0 ? "it reads none" : `it reads ${known.join(", ")}`;
      throw new AssayError(
        "ASSAY_USAGE",
        `${source} has no parameter "${ignored}"${didYouMean(ignored, known)}; ${reads}`,
        { remedy: "Give -P with a name that the suite reads." },
      );
    },
  };
}
