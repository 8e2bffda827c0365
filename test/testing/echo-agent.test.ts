//#region conformance
import { runnerConformance } from "assay/testing";
import { describe, it } from "vitest";

import { echoSubject } from "./echo-agent.subject.ts";

describe("echo_agent", () => {
  for (const { name, skip, run } of runnerConformance(echoSubject)) {
    it.skipIf(skip !== null)(name, run);
  }
});
//#endregion conformance
