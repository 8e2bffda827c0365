import { AssayError } from "../../errors/assay-error.ts";
import { didYouMean, suggestName } from "../../support/names.ts";

type Parameters = Readonly<Record<string, string>>;

/** Parameters that remember which were asked for, so that a misspelt one does not pass in silence. */
export interface WatchedParameters {
  readonly view: Parameters;
  /**
   * Throws `ASSAY_USAGE` for one that was given, that nobody asked for, and that was not meant for later: it resembles
   * one that was asked for, or the suite's function declares no parameters. Others may be read when the agent runs.
   */
  assertAllAsked(source: string, suite: { readonly declaresNone: boolean }): void;
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
    assertAllAsked(source, { declaresNone }) {
      if (hasAskedAll) return;
      const known = [...asked].sort();
      const isMistaken = (name: string) =>
        (declaresNone && known.length === 0) || suggestName(name, known) !== null;
      const ignored = Object.keys(given).find((name) => !asked.has(name) && isMistaken(name));
      if (ignored === undefined) return;
      const reads = known.length === 0 ? "it reads none" : `it reads ${known.join(", ")}`;
      throw new AssayError(
        "ASSAY_USAGE",
        `${source} has no parameter "${ignored}"${didYouMean(ignored, known)}; ${reads}`,
        { remedy: "Give -P with a name that the suite reads." },
      );
    },
  };
}
