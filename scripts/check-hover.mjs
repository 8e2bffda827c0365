// @ts-check
// Which keys of the public definitions have no help of their own where an editor shows it: read from
// the declarations, as a user's editor reads them.
import { join } from "node:path";
import ts from "typescript";

/** Types whose keys a user writes, and functions whose first argument he writes, by entry. */
const definitions = {
  assay: ["TaskDefinition", "SuiteDefinition", "defineSuite", "defineMetric"],
  "assay/metrics": "functions",
  "assay/runners": ["CallableOptions", "CodexCliOptions", "CodexDockerCliOptions"],
};

/**
 * The keys without help, as `entry: name.key`.
 * @param {string} project folder with the package in its node_modules
 */
export function undocumentedKeys(project) {
  const file = join(project, "hover.ts");
  const names = Object.keys(definitions);
  const text = names.map((name, index) => `import * as e${index} from "${name}";`).join("\n");
  const options = { module: ts.ModuleKind.NodeNext, strict: true, types: [] };
  const host = ts.createCompilerHost(options);
  const { getSourceFile } = host;
  host.getSourceFile = (name, ...rest) =>
    name === file
      ? ts.createSourceFile(name, text, ts.ScriptTarget.ES2022, true)
      : getSourceFile(name, ...rest);
  const program = ts.createProgram([file], options, host);
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(file);
  return (source?.statements ?? []).flatMap((statement) => {
    if (!ts.isImportDeclaration(statement)) return [];
    const module = checker.getSymbolAtLocation(statement.moduleSpecifier);
    if (module === undefined) throw new Error(`no types: ${statement.getText()}`);
    const name = /** @type {ts.StringLiteral} */ (statement.moduleSpecifier).text;
    return keysOf(checker, module, /** @type {keyof typeof definitions} */ (name));
  });
}

/** @param {ts.TypeChecker} checker @param {ts.Symbol} module @param {keyof typeof definitions} entry */
function keysOf(checker, module, entry) {
  const wanted = /** @type {"functions" | readonly string[]} */ (definitions[entry]);
  const exported = checker.getExportsOfModule(module);
  const chosen = exported.filter((symbol) =>
    wanted === "functions" ? isFunction(checker, symbol) : wanted.includes(symbol.name),
  );
  if (typeof wanted !== "string" && chosen.length !== wanted.length)
    throw new Error(`${entry} lacks some of ${wanted.join(", ")}`);
  return chosen.flatMap((symbol) =>
    writtenType(checker, symbol)
      .filter((key) => key.getDocumentationComment(checker).length === 0)
      .map((key) => `${entry}: ${symbol.name}.${key.name}`),
  );
}

/** @param {ts.TypeChecker} checker @param {ts.Symbol} symbol */
function isFunction(checker, symbol) {
  const { flags } = targetOf(checker, symbol);
  return (flags & (ts.SymbolFlags.Variable | ts.SymbolFlags.Function)) !== 0;
}

/** @param {ts.TypeChecker} checker @param {ts.Symbol} symbol */
function targetOf(checker, symbol) {
  return symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
}

/** The keys that a user writes. @param {ts.TypeChecker} checker @param {ts.Symbol} symbol */
function writtenType(checker, symbol) {
  const target = targetOf(checker, symbol);
  if (target.flags & (ts.SymbolFlags.Interface | ts.SymbolFlags.TypeAlias))
    return checker.getDeclaredTypeOfSymbol(target).getProperties();
  const signatures = checker.getTypeOfSymbol(target).getCallSignatures();
  const parameters = signatures.flatMap((signature) => {
    const [first] = signature.getParameters();
    return first === undefined ? [] : [checker.getTypeOfSymbol(first)];
  });
  return parameters.flatMap((type) => ownKeys(checker, type));
}

/** @param {ts.TypeChecker} checker @param {ts.Type} type @returns {readonly ts.Symbol[]} */
function ownKeys(checker, type) {
  if (checker.isTupleType(type))
    return checker
      .getTypeArguments(/** @type {ts.TypeReference} */ (type))
      .flatMap((item) => ownKeys(checker, checker.getNonNullableType(item)));
  const parts = type.isUnion() ? type.types : [checker.getApparentType(type)];
  return parts
    .filter((part) => part.isClassOrInterface() || (part.flags & ts.TypeFlags.Object) !== 0)
    .filter((part) => part.getCallSignatures().length === 0)
    .flatMap((part) => part.getProperties());
}
