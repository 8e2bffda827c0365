/** What is wrong with a file of a bundle. */
export type ProblemKind =
  /** It is not what its digest says. */
  | "altered"
  | "missing"
  /** No record names it. */
  | "added"
  /** It cannot be read, or is not in the form of its kind. */
  | "malformed"
  /** It says something else than other files of the bundle, or leads out of it. */
  | "disagrees"
  /** It does not prove what it was to prove. */
  | "unproved";

/** What disagrees with itself is worth telling only of files that are not altered. */
export interface FoundProblems {
  readonly malformed: Problems;
  readonly disagreeing: Problems;
}

export interface BundleProblem {
  /** Relative to the bundle, with forward slashes; `.` is the bundle as a whole. */
  readonly path: string;
  readonly kind: ProblemKind;
  /** One sentence without an end, such as `it is missing`. Text of the bundle in it is as it stands there. */
  readonly message: string;
}

/** Of one kind and file; a stranger's bundle may have millions. */
const keptOfFile = 20;
const keptFiles = 1000;

/** Collects problems: the first of each file and kind are kept, the others counted. */
export class Problems {
  #count = 0;
  readonly #kept: BundleProblem[] = [];
  readonly #counts = new Map<string, number>();

  add(path: string, kind: ProblemKind, message: string): void {
    this.#count += 1;
    const key = `${kind} ${path}`;
    const count = this.#counts.get(key) ?? 0;
    if (count >= keptOfFile || (count === 0 && this.#counts.size >= keptFiles)) return;
    this.#counts.set(key, count + 1);
    this.#kept.push({ path, kind, message });
  }

  /** A file that cannot be read, in the words of the error that says so. */
  addMalformed(path: string, message: string): void {
    const prefix = `${path}: `;
    const text = message.startsWith(prefix) ? message.slice(prefix.length) : message;
    this.add(path, "malformed", text);
  }

  /** All of another collection. */
  addAll(others: Problems): void {
    for (const { path, kind, message } of others.list) this.add(path, kind, message);
    this.#count += others.count - others.list.length;
  }

  get count(): number {
    return this.#count;
  }

  get list(): readonly BundleProblem[] {
    return this.#kept;
  }
}
