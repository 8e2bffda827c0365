/** Counts work that goes on beside its caller, so that it can be bounded and waited for. */
export class Passages {
  readonly #limit: number;
  #count = 0;
  #wake: (() => void) | null = null;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** `work` must not throw. */
  add(work: Promise<void>): void {
    this.#count += 1;
    void work.then(() => {
      this.#count -= 1;
      this.#wake?.();
    });
  }

  get isFull(): boolean {
    return this.#count >= this.#limit;
  }

  /** Resolves when there is room for one more. */
  async room(): Promise<void> {
    await this.#until(() => !this.isFull);
  }

  async idle(): Promise<void> {
    await this.#until(() => this.#count === 0);
  }

  async #until(isReached: () => boolean): Promise<void> {
    while (!isReached()) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}
