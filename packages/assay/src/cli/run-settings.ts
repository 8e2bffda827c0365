import type { OptionOverride } from "../entries/index.ts";
import { environmentSettings } from "./settings.ts";

/** Settings of the environment; a name that starts like one but leads nowhere is refused, not passed over. */
export async function settingsOf(
  env: Readonly<Record<string, string | undefined>>,
): Promise<readonly OptionOverride[]> {
  const { settings, unusable } = environmentSettings(env);
  const [first] = unusable;
  if (first === undefined) return settings;
  const { AssayError } = await import("../entries/index.ts");
  throw new AssayError(
    "ASSAY_USAGE",
    `the environment variable ${first} sets nothing: only options of the target can be set`,
    {
      data: { variable: first },
      remedy: "Name it ASSAY_SET_TARGET__<OPTION>, or take it out of the environment.",
    },
  );
}

/** The command line as it is recorded. Values of settings are left out: they are recorded as options, by their role. */
export function recordedArguments(argv: readonly string[]): readonly string[] {
  return [
    "assay",
    ...argv.map((word) => word.replace(/^((?:--set=)?target\.[^=]+=).*$/s, "$1...")),
  ];
}
