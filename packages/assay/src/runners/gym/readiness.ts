/** Reads from what Gym says whether its servers are up. */
export class Readiness {
  #waitingFor: readonly string[] = [];
  #uvVersion: string | null = null;
  readonly #onReady: () => void;

  constructor(onReady: () => void) {
    this.#onReady = onReady;
  }

  readLine(line: string): void {
    if (/\bAll (\d+) \/ \1 servers ready\b/.test(line)) this.#onReady();
    // Gym tells many times, and the last counts: servers named before have come up since.
    const [, waiting] =
      /\d+ \/ \d+ servers ready\. Waiting for servers to spin up: \[(.*)\]/.exec(line) ?? [];
    if (waiting !== undefined)
      this.#waitingFor = [...waiting.matchAll(/'([^']*)'/g)].map(([, name = ""]) => name);
    const [, needed] = /required uv version `([^`]+)`/i.exec(line) ?? [];
    if (needed !== undefined) this.#uvVersion = needed;
  }

  /** Servers that were not up when Gym last said. */
  get waitingFor(): readonly string[] {
    return this.#waitingFor;
  }

  /** The version of uv that Gym asks for and does not find. */
  get uvVersion(): string | null {
    return this.#uvVersion;
  }
}
