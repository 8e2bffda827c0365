/** By what it can do: others may bring promises of their own. */
export function isPending<T>(result: T | PromiseLike<T>): result is PromiseLike<T> {
  return typeof (result as Partial<PromiseLike<T>> | null | undefined)?.then === "function";
}
