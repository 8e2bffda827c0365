// Proves that files which an agent makes in a container reach the metrics. README.md says how to run it.
import { defineSuite } from "assay";

import { selectRunner } from "./select-runner.ts";
import { workspaceArtifact } from "./workspace-artifact.ts";

const artifact = { path: "reports/2026/sanity.txt", text: "made in the sandbox" };

export default defineSuite(({ runtime = "docker", model_server: server = "openai" }) => {
  const { target, choice, secrets } = selectRunner({
    runtime,
    server,
    openAiKey: process.env["OPENAI_API_KEY"],
  });
  return {
    name: "codex-docker",
    tasks: [
      {
        id: "nested-file",
        intent: "makes a file in new folders, and says what is in it",
        inputs: {
          instruction: [
            "# nested file",
            "",
            `Make the file ${artifact.path}. It shall hold this text, without a newline at its end: ${artifact.text}`,
            "Then answer with that text alone.",
          ].join("\n"),
        },
        reference: { artifact },
      },
    ],
    metrics: [workspaceArtifact(artifact)],
    target,
    secrets: [...secrets],
    labels: { scenario: "codex-docker-evidence-sanity", runner: choice },
  };
});
