import { AssayError } from "../errors/assay-error.ts";
import { isPlainObject } from "../support/json.ts";
import { didYouMean } from "../support/names.ts";
import type { Read } from "./guard.ts";
import { pathText, resolvePath } from "./path.ts";

/** Top-level names that are an agent's output: where one is missing, the trial lacks it and the template is right. */
const outputNames = ["sample", "output_text", "response", "reward"];

/** The error of a template that reads what does not exist. */
export function undefinedValue(name: string, read: Read, context: object): AssayError {
  const found = read.path === null ? null : resolvePath(context, read.path);
  const why =
    read.path !== null && found?.isFound === false ? whyMissing(read.path, found, context) : "";
  const keys = availableKeys(context);
  return new AssayError(
    "ASSAY_TEMPLATE_UNDEFINED",
    `${name}: "${read.text}" does not exist${why}. ${listKeys(keys)}`,
    {
      data: {
        template: name,
        path: read.text,
        isInputAbsent: read.path !== null && outputNames.includes(read.path[0]),
        ...keys,
      },
    },
  );
}

function whyMissing(
  path: readonly (string | number)[],
  { depth, parent }: { readonly depth: number; readonly parent: unknown },
  context: object,
): string {
  const segment = path[depth];
  const known = isPlainObject(parent)
    ? Object.keys(parent)
    : depth === 0
      ? Object.keys(context)
      : [];
  const hint = typeof segment === "string" ? didYouMean(segment, known) : "";
  if (depth === 0) return `: no value has this name${hint}`;
  const place = `"${pathText(path.slice(0, depth))}"`;
  if (Array.isArray(parent)) return `: ${place} is a list of ${parent.length}`;
  if (!isPlainObject(parent))
    return `: ${place} is ${parent === null ? "null" : `a ${typeof parent}`}`;
  return `: ${place} has no key ${JSON.stringify(segment)}${hint}`;
}

interface AvailableKeys {
  readonly keys: readonly string[];
  readonly itemKeys?: readonly string[];
  readonly sampleKeys?: readonly string[];
}

function availableKeys(context: object): AvailableKeys {
  const { item, sample } = context as { readonly item?: unknown; readonly sample?: unknown };
  const keys = Object.keys(context);
  if (!isPlainObject(item) || !isPlainObject(sample)) return { keys };
  return { keys, itemKeys: Object.keys(item), sampleKeys: Object.keys(sample) };
}

function listKeys({ keys, itemKeys, sampleKeys }: AvailableKeys): string {
  const list = (names: readonly string[]) => (names.length === 0 ? "none" : names.join(", "));
  if (itemKeys === undefined || sampleKeys === undefined) return `Available: ${list(keys)}`;
  return `item has: ${list(itemKeys)}; sample has: ${list(sampleKeys)}`;
}
