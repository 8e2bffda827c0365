// The layers of the library, from the inside out. An edge that no rule here allows is a change of
// design: it needs an ADR in docs/decisions/ before it needs a new exception.
const src = "^packages/assay/src/";

const layers = {
  L0: ["schema", "errors", "support"],
  L1: ["contracts"],
  L2: ["platform", "metrics", "templates", "statistics", "trajectory"],
  L3: ["runners", "provenance", "bundle", "targets", "sandbox"],
  L4: ["engine", "report", "testing"],
  faces: ["entries", "cli"],
};

/** @param {...string} folders */
const inside = (...folders) => `${src}(${folders.join("|")})/`;
/** @param {...string} names */
const packages = (...names) => `(^|/)node_modules/(${names.join("|")})/`;

const npm = ["npm", "npm-dev", "npm-optional", "npm-peer", "npm-bundled", "npm-no-pkg"];

/**
 * A third-party package that one place wraps, so that replacing it touches one place.
 * @param {string[]} names @param {string} home @param {string} why
 */
function confined(names, home, why) {
  return {
    name: `only-one-home-for-${names[0]}`,
    comment: `${why} Everything else goes through that place.`,
    severity: "error",
    from: { path: src, pathNot: `${src}${home}` },
    to: { path: packages(...names) },
  };
}

export default {
  forbidden: [
    {
      name: "no-cycles",
      comment:
        "Files of a cycle can only be understood, tested and loaded together. Type-only imports count: they become value imports one day.",
      severity: "error",
      from: { path: src },
      to: { circular: true },
    },
    {
      name: "no-unknown-folder",
      comment: "A folder without a layer would escape every rule below. Give it one here, by ADR.",
      severity: "error",
      from: { path: `${src}[^/]+`, pathNot: inside(...Object.values(layers).flat()) },
      to: {},
    },
    {
      name: "l0-imports-l0-only",
      comment: "Schemas, errors and support are used by everything, so they can know nothing else.",
      severity: "error",
      from: { path: inside(...layers.L0) },
      to: { path: src, pathNot: inside(...layers.L0) },
    },
    {
      name: "l0-is-free-of-io",
      comment: "L0 is pure: of Node it may use crypto, path and util, which touch nothing outside.",
      severity: "error",
      from: { path: inside(...layers.L0) },
      to: { dependencyTypes: ["core"], pathNot: "^(node:)?(crypto|path|util)$" },
    },
    {
      name: "l0-third-party",
      comment:
        "L0 is in every import of the library: it carries zod and two tiny packages it wraps.",
      severity: "error",
      from: { path: inside(...layers.L0) },
      to: { dependencyTypes: npm, pathNot: packages("zod", "canonicalize", "fastest-levenshtein") },
    },
    {
      name: "l1-imports-l0-only",
      comment: "A contract that knows an implementation is not a contract.",
      severity: "error",
      from: { path: inside("contracts") },
      to: { path: src, pathNot: inside(...layers.L0, "contracts") },
    },
    {
      name: "l1-types-only",
      comment:
        "Contracts are types and prose; a value import would give them behaviour and load cost.",
      severity: "error",
      from: { path: inside("contracts") },
      to: { pathNot: inside("contracts"), dependencyTypesNot: ["type-only"] },
    },
    {
      name: "l1-third-party",
      comment: "Third-party types in a contract would bind every implementer to that package.",
      severity: "error",
      from: { path: inside("contracts") },
      to: { dependencyTypes: npm, pathNot: packages("zod") },
    },
    ...layers.L2.map((folder) => ({
      name: `l2-${folder}`,
      comment:
        "L2 folders do not know each other, so each can be tested and replaced alone. Exceptions: metrics render templates and use statistics.",
      severity: "error",
      from: { path: inside(folder) },
      to: {
        path: src,
        pathNot: inside(
          ...layers.L0,
          ...layers.L1,
          folder,
          ...(folder === "metrics" ? ["templates", "statistics"] : []),
        ),
      },
    })),
    {
      name: "no-metric-to-metric",
      comment:
        "A metric is one folder that can be added or removed alone; what they share is metrics/define.",
      severity: "error",
      from: { path: `${src}metrics/([^/]+)/`, pathNot: `${src}metrics/define/` },
      to: { path: `${src}metrics/`, pathNot: [`${src}metrics/$1/`, `${src}metrics/define/`] },
    },
    {
      name: "l3-not-upward",
      comment:
        "Runners and the bundle must be usable, and testable, without the engine that drives them.",
      severity: "error",
      from: { path: inside(...layers.L3) },
      to: { path: inside(...layers.L4, ...layers.faces) },
    },
    {
      name: "no-runner-to-runner",
      comment:
        "A runner is one folder that can be added or removed alone; what they share is runners/define.",
      severity: "error",
      from: {
        path: `${src}runners/([^/]+)/`,
        pathNot: `${src}runners/(codex-docker|fabric-container)/`,
      },
      to: { path: `${src}runners/`, pathNot: [`${src}runners/$1/`, `${src}runners/define/`] },
    },
    {
      name: "codex-docker-knows-codex-only",
      comment:
        "The same agent in another place: its options, events and outcome are those of the runner codex.",
      severity: "error",
      from: { path: `${src}runners/codex-docker/` },
      to: { path: `${src}runners/`, pathNot: `${src}runners/(codex|codex-docker|define)/` },
    },
    {
      name: "fabric-container-knows-fabric-only",
      comment:
        "The same driver in another place: its options, results and outcome are those of the runner fabric.",
      severity: "error",
      from: { path: `${src}runners/fabric-container/` },
      to: { path: `${src}runners/`, pathNot: `${src}runners/(fabric|fabric-container|define)/` },
    },
    {
      name: "l3-knows-no-concrete-runner",
      comment: "Bundles, targets, sandboxes and provenance serve all runners alike.",
      severity: "error",
      from: { path: inside("provenance", "bundle", "targets", "sandbox") },
      to: { path: `${src}runners/`, pathNot: `${src}runners/define/` },
    },
    {
      name: "l4-knows-no-concrete-runner",
      comment:
        "The engine sees runners through the contract and finds them in the map, so a new runner changes no engine code.",
      severity: "error",
      from: { path: inside(...layers.L4) },
      to: {
        path: `${src}runners/`,
        pathNot: [`${src}runners/define/`, `${src}runners/(map|importers|datasets)\\.ts$`],
      },
    },
    {
      name: "l4-knows-no-concrete-metric",
      comment:
        "The engine sees metrics through the contract and finds them in the map, so a new metric changes no engine code.",
      severity: "error",
      from: { path: inside(...layers.L4) },
      to: { path: `${src}metrics/`, pathNot: [`${src}metrics/define/`, `${src}metrics/map\\.ts$`] },
    },
    {
      name: "l4-not-sideways-or-upward",
      comment:
        "The report reads what the engine wrote and knows nothing of it; a result tells itself by the report's text, and no other part of the engine does.",
      severity: "error",
      from: {
        path: `${src}(${layers.L4.join("|")})/`,
        pathNot: `${src}engine/(results/|api\\.ts$)`,
      },
      to: { path: inside(...layers.L4, ...layers.faces), pathNot: `${src}$1/` },
    },
    {
      name: "results-use-only-the-text-of-the-report",
      comment: "A result can print itself; what else the report makes is asked for by a face.",
      severity: "error",
      from: { path: `${src}engine/(results/|api\\.ts$)` },
      to: {
        path: inside(...layers.L4, ...layers.faces),
        pathNot: [inside("engine"), `${src}report/text/`],
      },
    },
    {
      name: "cli-uses-the-public-surface",
      comment: "What the command line can do, a program can do: the CLI has no private way in.",
      severity: "error",
      from: { path: inside("cli") },
      to: { path: src, pathNot: [inside("cli", "entries"), `${src}errors/exit-codes\\.ts$`] },
    },
    {
      name: "entries-not-cli",
      comment: "Importing the library must never load the command line.",
      severity: "error",
      from: { path: inside("entries") },
      to: { path: inside("cli") },
    },
    {
      name: "only-entries-re-export",
      comment: "A barrel hides where a thing lives and loads more than was asked for.",
      severity: "error",
      from: { path: src, pathNot: inside("entries") },
      to: { dependencyTypes: ["export"] },
    },
    confined(["canonicalize"], "support/canonical-json\\.ts$", "One canonical form, one module."),
    confined(["fastest-levenshtein"], "support/names\\.ts$", "Suggestions are made in one module."),
    confined(["execa"], "platform/", "Only platform/ spawns."),
    confined(
      ["@secretlint/secretlint-rule-preset-recommend"],
      "provenance/redaction/patterns/secretlint\\.ts$",
      "Its rules are called in one way, with those left out that are a danger.",
    ),
    confined(["tar-stream"], "sandbox/archive/", "Archives of containers are read in one place."),
    confined(["minijinja-js"], "templates/", "Only templates/ knows the template engine."),
    confined(["jiti"], "engine/suite", "Only the suite loader runs what users write."),
    confined(
      ["yaml"],
      "(engine/suite/|runners/gym/env-yaml|provenance/redaction/documents/yaml-document)",
      "Only the suite loader reads what users write for Assay, one file what they write for Gym, one what a tool leaves.",
    ),
    confined(["smol-toml"], "runners/harbor/toml\\.ts$", "Only Harbor's tasks are TOML."),
    confined(
      ["commander", "ora", "picocolors"],
      "cli/",
      "Only the command line talks to a terminal.",
    ),
    {
      name: "no-undeclared-package",
      comment:
        "A package that is not a run-time dependency works here and fails where it is installed.",
      severity: "error",
      from: { path: src },
      to: { dependencyTypes: ["npm-dev", "npm-no-pkg", "npm-unknown"] },
    },
    {
      name: "no-unresolvable",
      comment: "An import that points nowhere would escape every rule above.",
      severity: "error",
      from: { path: src },
      to: { couldNotResolve: true },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    exclude: { path: ["\\.test\\.ts$", "/fixtures/"] },
    doNotFollow: { path: "node_modules" },
    enhancedResolveOptions: {
      extensions: [".ts", ".js", ".mjs", ".json"],
      exportsFields: ["exports"],
      conditionNames: ["import", "types", "node", "default"],
    },
  },
};
