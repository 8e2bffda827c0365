import type { TestSpecification } from "vitest/node";
import { BaseSequencer } from "vitest/node";

/** Folders and files whose tests start processes and last long, the longest first. */
const longest = [
  "/test/crash-matrix/",
  "/test/runners/",
  "/test/sandbox/",
  "/test/secrecy/",
  "/test/examples/",
  "/test/cli/e2e/",
];

/** Begins with what lasts longest, so that no worker ends with it alone while the others are idle. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rest = await super.sort(files);
    return rest.toSorted((one, other) => placeOf(one) - placeOf(other));
  }
}

function placeOf({ moduleId }: TestSpecification): number {
  const place = longest.findIndex((part) => moduleId.includes(part));
  return place === -1 ? longest.length : place;
}
