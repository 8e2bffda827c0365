/** Time, injected so that tests own it. */
export interface Clock {
  /** The UTC wall clock, for stamps only. */
  now(): Date;
  /** Milliseconds of a monotonic clock, for durations only. */
  monotonicMs(): number;
  /** Resolves after `ms`, or rejects with the signal's reason. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Randomness, injected so that runs can be repeated. */
export interface Random {
  /** A number in [0, 1). */
  next(): number;
}

export interface Logger {
  debug(message: string, data?: Readonly<Record<string, unknown>>): void;
  info(message: string, data?: Readonly<Record<string, unknown>>): void;
  warn(message: string, data?: Readonly<Record<string, unknown>>): void;
  error(message: string, data?: Readonly<Record<string, unknown>>): void;
}
