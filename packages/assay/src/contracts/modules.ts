/** A module file that is asked for, and the file that asks for it: null when that is not known. */
export interface ModuleSite {
  /** Absolute path, without links. */
  readonly file: string;
  readonly importer: string | null;
}

/** Hears of every module file that Node itself evaluates in this process, and may say with which bytes. */
export interface ModuleObserver {
  /** The bytes to evaluate in the place of those on disk; null for those on disk. */
  recorded(site: ModuleSite): Uint8Array | null;
  /** The file is evaluated with these bytes, or has been before in this process. */
  served(site: ModuleSite, bytes: Uint8Array): void;
}

export interface ModuleWatch {
  /** Whether what Node loads by `import` is seen; what it loads by `require` always is. */
  readonly seesImports: boolean;
  /** Starts to tell the observer; it is not kept alive by that. */
  observe(observer: ModuleObserver): void;
}
