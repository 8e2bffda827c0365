// Evaluates the Codex CLI on small coding tasks with held-out tests. `npm run demo` runs it, and explains the result.
import { defineSuite } from "assay";
import { agentPhaseSuccess, commandVerifier } from "assay/metrics";
import { codexCli } from "assay/runners";

import { modelServer } from "./model-servers.mjs";
import { loadTask, taskIds } from "./tasks.mjs";

export default defineSuite(({ model_server: name = "openai" }) => {
  const { secret, model, timeoutS, inheritEnv, provider } = modelServer(name);
  return {
    name: "coding-agent",
    tasks: taskIds.map((id) => ({
      ...loadTask(id),
      views: {
        // Solved is what passes the held-out tests in full and was finished by the agent itself.
        solved: {
          reducer: "all",
          signals: [
            { metric: "command-verifier", output: "passed" },
            { metric: "agent_phase_success", output: "agent_phase_success" },
          ],
        },
      },
    })),
    metrics: [
      commandVerifier({
        command: ["node", "verify.mjs"],
        directory: "fixtures/{{ task.id }}/held-out",
        threshold: 1,
      }),
      agentPhaseSuccess(),
    ],
    target: codexCli({
      model,
      timeoutS,
      codexBin: "./node_modules/.bin/codex",
      inheritEnv,
      configOverrides: { model_provider: "demo", "model_providers.demo": provider },
    }),
    trials: 2,
    concurrency: 2,
    secrets: [secret],
    labels: { example: "coding-agent", model_server: name },
  };
});
