import fc from "fast-check";
import { expect, it } from "vitest";

import { InFlight } from "../../packages/assay/src/support/in-flight.ts";

it("holds what was added and not removed, whatever the order of both", () => {
  const steps = fc.array(fc.record({ isAdded: fc.boolean(), pick: fc.nat() }));
  fc.assert(
    fc.property(steps, (given) => {
      const inFlight = new InFlight<number>();
      const places = new Map<number, number>();
      for (const [member, { isAdded, pick }] of given.entries()) {
        const [chosen] = [...places].slice(pick % (places.size || 1));
        if (isAdded || chosen === undefined) places.set(member, inFlight.add(member));
        else {
          inFlight.remove(chosen[1]);
          places.delete(chosen[0]);
        }
      }
      expect([...inFlight.members()].sort()).toEqual([...places.keys()].sort());
    }),
  );
});

it("tells the members of one moment: those removed meanwhile are told still", () => {
  const inFlight = new InFlight<string>();
  const place = inFlight.add("a");
  const members = inFlight.members();

  inFlight.remove(place);

  expect(members).toEqual(["a"]);
  expect(inFlight.members()).toEqual([]);
});
