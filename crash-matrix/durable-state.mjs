// @ts-check
// What of a folder would be there after a power cut: the strictest reading of POSIX, which no file system undercuts. Of a
// file, what it held when it was last synced; of a directory, the names that it had when it was last synced.
import { lstatSync, readdirSync, readFileSync, readlinkSync, statSync } from "node:fs";
import { join } from "node:path";

/**
 * What is on the disk of one file, directory or link. A node is not its number: a number is used again when a file is
 * gone, and a directory that was not synced since still has the old one.
 * @typedef {{ kind: "file", content: string }
 *   | { kind: "directory", names: Map<string, Node> }
 *   | { kind: "link", target: string }} Node
 */

export class DurableState {
  /** Of what is there now, by its number and when it was made. @type {Map<string, Node>} */
  #nodes = new Map();
  /** @type {string} */
  #root;

  /** All that is below it when this begins has been there for long. @param {string} root */
  constructor(root) {
    this.#root = root;
    this.#takeAll(root);
  }

  /** A new file or directory: nothing of it is on the disk. @param {string} path */
  created(path) {
    const facts = lstatSync(path, exact);
    this.#nodes.delete(keyOf(facts));
    this.#nodeOf(path, facts);
  }

  /**
   * To be called before the system is asked to sync what lies at the path: what is there by then will be on the disk.
   * Gives what to call when the system has done so.
   * @param {string} path of a file or a directory; a link is followed
   */
  syncing(path) {
    const node = this.#nodeOf(path, statSync(path, exact));
    if (node.kind === "directory") {
      const names = this.#namesIn(path);
      return () => {
        node.names = names;
      };
    }
    if (node.kind !== "file") return () => {};
    const content = readFileSync(path, "base64");
    return () => {
      node.content = content;
    };
  }

  /**
   * The tree as it would be found: with the names that were synced, or, with `keepsNames`, with those of now. File systems
   * are free to do either, and to keep a name of which they lost the bytes.
   * @param {boolean} keepsNames
   */
  tree(keepsNames) {
    return treeOf(keepsNames ? this.#current(this.#root) : this.#nodeAt(this.#root));
  }

  /** @param {string} path @returns {Node} */
  #current(path) {
    const node = this.#nodeAt(path);
    if (node.kind !== "directory") return node;
    const names = readdirSync(path).map(
      (name) => /** @type {const} */ ([name, this.#current(join(path, name))]),
    );
    return { kind: "directory", names: new Map(names) };
  }

  /** @param {string} path @returns {Node} */
  #nodeAt(path) {
    return this.#nodeOf(path, lstatSync(path, exact));
  }

  /** @param {string} path @param {import("node:fs").BigIntStats} facts @returns {Node} */
  #nodeOf(path, facts) {
    const key = keyOf(facts);
    const known = this.#nodes.get(key);
    if (known !== undefined) return known;
    /** @type {Node} */
    const node = facts.isDirectory()
      ? { kind: "directory", names: new Map() }
      : facts.isSymbolicLink()
        ? { kind: "link", target: readlinkSync(path) }
        : { kind: "file", content: "" };
    this.#nodes.set(key, node);
    return node;
  }

  /** @param {string} path @returns {Map<string, Node>} */
  #namesIn(path) {
    const names = new Map();
    for (const name of readdirSync(path)) {
      try {
        names.set(name, this.#nodeAt(join(path, name)));
      } catch (thrown) {
        // It went meanwhile: then its name may be gone as well.
        if (/** @type {NodeJS.ErrnoException} */ (thrown).code !== "ENOENT") throw thrown;
      }
    }
    return names;
  }

  /** @param {string} path */
  #takeAll(path) {
    const facts = lstatSync(path);
    if (!facts.isSymbolicLink()) this.syncing(path)();
    if (facts.isDirectory()) for (const name of readdirSync(path)) this.#takeAll(join(path, name));
  }
}

const exact = /** @type {const} */ ({ bigint: true });

/** @param {import("node:fs").BigIntStats} facts */
function keyOf({ ino, birthtimeNs }) {
  return `${ino} ${birthtimeNs}`;
}

/** As JSON. @param {Node} node @returns {any} */
function treeOf(node) {
  if (node.kind !== "directory") return node;
  const names = [...node.names].map(([name, inner]) => [name, treeOf(inner)]);
  return { kind: "directory", names };
}
