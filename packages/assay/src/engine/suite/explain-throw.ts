import { AssayError, describeThrown, errorNameOf, messageOf } from "../../errors/assay-error.ts";
import { atPlace, shownPath } from "./source-place.ts";
import { frameOf } from "./stack-frame.ts";
import type { CodeRecord } from "./suite-code.ts";

/** Tells something that a suite threw while it was loaded as one message that names the file and the place. */
export function explainThrow(
  thrown: unknown,
  {
    suite,
    code,
  }: {
    readonly suite: { readonly path: string; readonly shown: string };
    readonly code: CodeRecord;
  },
): AssayError {
  const isOurs = AssayError.isInstance(thrown);
  if (isOurs && "file" in thrown.data) return thrown;
  const frame = frameOf(thrown, code);
  const file = frame?.file ?? suite.path;
  const shown = shownPath(file, suite);
  const place =
    frame === null
      ? shown
      : [shown, frame.line, ...(frame.column === null ? [] : [frame.column])].join(":");
  if (isOurs) return atPlace(thrown, place, { file });
  const isSyntax = errorNameOf(thrown) === "SyntaxError" && frame?.column === null;
  const what = isSyntax
    ? `syntax error: ${messageOf(thrown)}`
    : `threw while it was loaded: ${withoutInterop(describeThrown(thrown))}`;
  return new AssayError("ASSAY_SUITE_LOAD_FAILED", `${place}: ${what}`, {
    cause: thrown,
    data: { file },
  });
}

/** The transform calls an imported name as `(0 , _module.name)`. */
function withoutInterop(text: string): string {
  return text.replace(/\(0 ?, ?_\w+\.(\w+)\)/g, "$1");
}
