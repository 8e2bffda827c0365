/** `agent-eval-<UTC yyyymmddHHMMSS>-<8 hex>`; two ids of one second differ. */
export function newRunId(now: Date): string {
  const stamp = now.toISOString().replace(/[-:T]/g, "").slice(0, 14);
  return `agent-eval-${stamp}-${randomHex(4)}`;
}

/** Trial ids: `<task>:<suffix>` for index 0 and `<task>:<suffix>:<i>` after, so that adding trials renames nothing. */
export function trialIdOf(taskId: string, suffix: string, trialIndex: number): string {
  return trialIndex === 0 ? `${taskId}:${suffix}` : `${taskId}:${suffix}:${trialIndex}`;
}

/** A private random token, hex. */
export function newToken(): string {
  return randomHex(16);
}

function randomHex(byteCount: number): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(byteCount))).toString("hex");
}
