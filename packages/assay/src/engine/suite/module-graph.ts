/**
 * Evaluates each module once, whoever asks for it and whenever. A module that is asked for by one it is itself
 * waiting for (a cycle) is given as far as it has come, like everywhere in ECMAScript.
 */
export class ModuleGraph {
  readonly #running = new Map<string, Promise<unknown>>();
  readonly #waits = new Map<string, Set<string>>();

  async get(
    file: string,
    importer: string | null,
    { evaluate, soFar }: { evaluate(): Promise<unknown>; soFar(): unknown },
  ): Promise<unknown> {
    const running = this.#running.get(file) ?? this.#start(file, evaluate);
    if (importer === null) return await running;
    if (this.#isWaiting(file, importer)) return soFar();
    const waits = this.#waits.get(importer) ?? new Set();
    this.#waits.set(importer, waits.add(file));
    try {
      return await running;
    } finally {
      waits.delete(file);
    }
  }

  #start(file: string, evaluate: () => Promise<unknown>): Promise<unknown> {
    const running = evaluate();
    this.#running.set(file, running);
    return running;
  }

  /** Whether `from`, or a module it waits for, waits for `target`. */
  #isWaiting(from: string, target: string, seen = new Set<string>()): boolean {
    if (from === target) return true;
    if (seen.has(from)) return false;
    seen.add(from);
    return [...(this.#waits.get(from) ?? [])].some((next) => this.#isWaiting(next, target, seen));
  }
}
