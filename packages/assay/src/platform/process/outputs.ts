import type { OutputFacts, ProcessRequest } from "../../contracts/process.ts";
import { OutputCollector } from "./output-collector.ts";

export interface OpenOutputs {
  readonly stdout: OutputCollector;
  readonly stderr: OutputCollector;
}

export async function openOutputs({ stdout, stderr }: ProcessRequest): Promise<OpenOutputs> {
  const out = await OutputCollector.open(stdout);
  try {
    return { stdout: out, stderr: await OutputCollector.open(stderr) };
  } catch (thrown) {
    await out.close();
    throw thrown;
  }
}

export async function closeOutputs(
  outputs: OpenOutputs,
): Promise<{ readonly stdout: OutputFacts; readonly stderr: OutputFacts }> {
  return { stdout: await outputs.stdout.close(), stderr: await outputs.stderr.close() };
}
