import type { OptionOverride } from "../../contracts/runner.ts";
import { formatOptionPath } from "../../support/option-path.ts";
import type { OptionOrigin } from "../../support/options.ts";

/** Notes where a value came from. One that replaces an option replaces what was noted of its parts. */
export function noteOrigin(
  origins: Record<string, OptionOrigin>,
  { path, origin }: Pick<OptionOverride, "path" | "origin">,
): void {
  const place = formatOptionPath(path);
  for (const known of Object.keys(origins))
    if (known.startsWith(`${place}.`)) delete origins[known];
  origins[place] = origin;
}
