import { defineMetric } from "assay/metrics";
import { z } from "zod";

/** Whether a file of the workspace holds a text, and whether the agent's answer is that text. */
export const workspaceArtifact = defineMetric({
  type: "workspace_artifact",
  description: "Whether the answer and a file of the workspace are the text that was asked for.",
  config: z.strictObject({
    path: z.string().min(1).describe("The file, relative to the workspace."),
    text: z.string().describe("What both shall hold."),
  }),
  outputs: [
    { name: "output_matches", kind: "boolean", description: "The answer is the text." },
    { name: "artifact_matches", kind: "boolean", description: "The file holds the text." },
  ],
  async compute({ candidate: { outputText, evidence } }, { path, text }) {
    const workspace = await evidence.filesystem("final_state");
    const isThere = (await workspace.listFiles()).includes(path);
    return {
      outputs: {
        output_matches: outputText?.trim() === text,
        artifact_matches: isThere && (await workspace.readText(path)) === text,
      },
    };
  },
});
