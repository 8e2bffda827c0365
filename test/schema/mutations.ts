import fc from "fast-check";

import { isPlainObject } from "../../packages/assay/src/support/json.ts";

export type Mutation = {
  readonly at: number;
  readonly how: "remove" | "add" | "replace";
  readonly value: unknown;
};

/** Changes one place of a copy: the `at`-th of all places, counted round and round. */
export function mutated(wire: unknown, { at, how, value }: Mutation): unknown {
  const copy = structuredClone(wire);
  const places: [Record<string, unknown>, string][] = [];
  const collect = (node: unknown) => {
    if (Array.isArray(node)) node.forEach(collect);
    if (!isPlainObject(node)) return;
    for (const key of Object.keys(node)) {
      places.push([node, key]);
      collect(node[key]);
    }
  };
  collect(copy);
  const [holder, key] = places[at % places.length] ?? [{}, ""];
  if (how === "remove") delete holder[key];
  else holder[how === "add" ? `${key}_x` : key] = value;
  return copy;
}

export const mutation = fc.record({
  at: fc.nat(),
  how: fc.constantFrom("remove" as const, "add" as const, "replace" as const),
  value: fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc.constantFrom("", -1, 0.5, null, true, "NaN", "completed", [], {}, { __proto__: null }),
  ),
});
