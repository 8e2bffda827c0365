import { expect, it } from "vitest";

import { doctorLines } from "../../../packages/assay/src/cli/print/doctor-text.ts";

it("what is installed is told in columns, problems and remedies beside their tool, what several lack once", () => {
  const noEngine = "Cannot connect to the Docker daemon at unix:///var/run/docker.sock.";
  const lines = doctorLines({
    assay: "0.1.0",
    node: "20.20.2",
    system: "linux x64",
    tools: [
      { name: "git", state: "ok", version: "2.39.5", problem: null, remedy: null },
      {
        name: "docker",
        state: "unusable",
        version: null,
        problem: noEngine,
        remedy: "Install and start a Docker engine; only runners with containers need it.",
      },
    ],
    runners: [
      { name: "callable", state: "ok", version: null, problem: null, remedy: null },
      {
        name: "docker_sandbox",
        state: "unusable",
        version: null,
        problem: noEngine,
        remedy: "Start the Docker engine.",
      },
    ],
    missingVariables: ["OPENAI_API_KEY"],
  });

  expect(lines).toEqual([
    "Assay 0.1.0, Node 20.20.2, linux x64",
    "",
    "Tools",
    "  git                ok       2.39.5",
    "  docker             unusable Cannot connect to the Docker daemon at",
    "                              unix:///var/run/docker.sock.",
    "                              Install and start a Docker engine; only runners",
    "                              with containers need it.",
    "",
    "Runners",
    "  callable           ok",
    "  docker_sandbox     unusable see docker above",
    "",
    "Variables that are not set",
    "  OPENAI_API_KEY",
  ]);
});
