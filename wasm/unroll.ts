/**
 * Writes out the loops of AssemblyScript functions that are tagged `@unroll`, and makes locals of their arrays. The
 * compiler does neither, and field arithmetic needs both. AssemblyScript goes in, and the same program comes out.
 *
 * In a tagged function a loop is written out when its bounds are known and its variable has no type annotation;
 * `const a = new StaticArray<T>(n)` becomes n locals; conditions that are known are decided, and arithmetic on known
 * numbers is done. Known are numbers, arrays of them, constants of a module that are made of them, imported ones too,
 * and the variables of loops that are written out. Calls of tagged functions that take an array, or a number to know, are
 * replaced by their bodies: parameters that are arrays or known stand for what is passed.
 */
import {
  type Binding,
  declare,
  type Expression,
  type FunctionNode,
  find,
  type Module,
  nameOf,
  type Of,
  type ReadSource,
  type Scope,
  Sources,
  type Statement,
  textOf,
  within,
} from "./unroll-expressions.ts";

const ARRAY = /^StaticArray\b/;
/** Writing out more than that is a mistake. */
const MAX_TURNS = 256;

/** The text of the source at `path` with its tagged functions written out. Throws `Error` for what is not known. */
export function unroll(path: string, read: ReadSource): string {
  const sources = new Sources(read);
  const unroller = new Unroller(sources);
  const module = sources.moduleAt(path);
  const edits = [...module.tagged.values()].map((node) => ({
    node,
    text: unroller.functionText(module, node),
  }));
  let out = "";
  let from = 0;
  for (const { node, text } of edits) {
    out += module.text.slice(from, node.start) + text;
    from = node.end;
  }
  return out + module.text.slice(from);
}

class Unroller {
  readonly #sources: Sources;

  constructor(sources: Sources) {
    this.#sources = sources;
  }

  /** Nothing remains of a function that is only written in place of its calls. */
  functionText(module: Module, node: FunctionNode): string {
    if (isMacro(module, node)) return `function ${node.id?.name ?? ""}(): void {}`;
    const scope: Scope = { module, bindings: new Map(), outer: undefined, taken: new Map() };
    for (const parameter of node.params) declare(scope, nameOf(parameter));
    const head = module.text.slice(node.start, node.body?.start);
    return `${head}{\n${this.#statements(node.body?.body ?? [], scope)}\n}`;
  }

  #statements(statements: readonly (Statement | { readonly type: string })[], scope: Scope): string {
    return statements.map((statement) => this.#statement(statement as Statement, scope)).join("\n");
  }

  #statement(node: Statement, scope: Scope): string {
    switch (node.type) {
      case "BlockStatement":
        return `{\n${this.#statements(node.body, within(scope))}\n}`;
      case "VariableDeclaration":
        return this.#variables(node, scope);
      case "ExpressionStatement":
        return this.#macro(node.expression, scope) ?? `${this.#sources.text(node.expression, scope)};`;
      case "ReturnStatement":
        return node.argument === null ? "return;" : `return ${this.#sources.text(node.argument, scope)};`;
      case "IfStatement": {
        const known = this.#sources.known(node.test, scope);
        if (known !== undefined) {
          const branch = known !== false && known !== 0 ? node.consequent : node.alternate;
          return branch === null ? "" : this.#statement(branch, scope);
        }
        const rest = node.alternate === null ? "" : ` else ${this.#statement(node.alternate, scope)}`;
        return `if (${this.#sources.text(node.test, scope)}) ${this.#statement(node.consequent, scope)}${rest}`;
      }
      case "ForStatement":
        return this.#loop(node, within(scope));
      case "WhileStatement":
        return `while (${this.#sources.text(node.test, scope)}) ${this.#statement(node.body, scope)}`;
      default:
        throw new Error(`${scope.module.path}: ${node.type} in a function that is unrolled`);
    }
  }

  #variables(node: Of<"VariableDeclaration">, scope: Scope): string {
    return node.declarations
      .map(({ id, init }) => {
        const name = nameOf(id);
        const annotation = "typeAnnotation" in id ? id.typeAnnotation : undefined;
        const type = annotation ? textOf(scope.module, annotation) : "";
        if (init?.type === "NewExpression" && nameOf(init.callee) === "StaticArray") {
          const count = this.#sources.known(init.arguments[0] as Expression, scope);
          if (typeof count !== "number")
            throw new Error(`${scope.module.path}: the length of ${name} is not known`);
          const [element] = init.typeArguments?.params ?? [];
          const of = element === undefined ? "" : textOf(scope.module, element);
          const local = declare(scope, name, "locals");
          return Array.from({ length: count }, (_, i) => `let ${local}${i}: ${of};`).join(" ");
        }
        const value =
          init === null || node.kind !== "const" || type !== ""
            ? undefined
            : this.#sources.known(init, scope);
        if (value !== undefined) {
          scope.bindings.set(name, { kind: "known", value });
          return "";
        }
        const from = init === null ? "" : ` = ${this.#sources.text(init, scope)}`;
        return `${node.kind} ${declare(scope, name)}${type}${from};`;
      })
      .join(" ");
  }

  /** Every turn's body, or the loop as it is. */
  #loop({ init, test, update, body }: Of<"ForStatement">, scope: Scope): string {
    const [variable] = init?.type === "VariableDeclaration" ? init.declarations : [];
    if (variable === undefined || test === null || update === null)
      throw new Error(`${scope.module.path}: a loop without a variable, a bound or a step`);
    const start =
      "typeAnnotation" in variable.id && variable.id.typeAnnotation
        ? undefined
        : this.#sources.known(variable.init as Expression, scope);
    if (typeof start !== "number") {
      const head = `${this.#statement(init as Statement, scope)} ${this.#sources.text(test, scope)}; ${this.#sources.text(update, scope)}`;
      return `for (${head}) ${this.#statement(body, scope)}`;
    }
    const binding: Binding = { kind: "known", value: start };
    scope.bindings.set(nameOf(variable.id), binding);
    const turns: string[] = [];
    while (this.#sources.known(test, scope) === true) {
      if (turns.length === MAX_TURNS)
        throw new Error(`${scope.module.path}: a loop of more than ${MAX_TURNS} turns`);
      turns.push(this.#statement(body, within(scope)));
      binding.value = (binding.value as number) + this.#step(update, scope);
    }
    return turns.join("\n");
  }

  #step(update: Expression, scope: Scope): number {
    if (update.type === "UpdateExpression") return update.operator === "++" ? 1 : -1;
    const by = update.type === "AssignmentExpression" ? this.#sources.known(update.right, scope) : undefined;
    if (typeof by !== "number" || update.type !== "AssignmentExpression")
      throw new Error(`${scope.module.path}: the step of a loop is not known`);
    return update.operator === "-=" ? -by : by;
  }

  /** The body of a tagged function in place of its call. */
  #macro(call: Expression, scope: Scope): string | undefined {
    if (call.type !== "CallExpression") return undefined;
    const node = scope.module.tagged.get(nameOf(call.callee));
    if (node === undefined || !isMacro(scope.module, node)) return undefined;
    const inner: Scope = { module: scope.module, bindings: new Map(), outer: undefined, taken: scope.taken };
    const lines = node.params.map((parameter, i) => {
      const argument = call.arguments[i] as Expression;
      const name = nameOf(parameter);
      const value = this.#sources.known(argument, scope);
      if (value !== undefined) {
        inner.bindings.set(name, { kind: "known", value });
        return "";
      }
      const passed = argument.type === "Identifier" ? find(scope, argument.name) : undefined;
      if (passed !== undefined) {
        inner.bindings.set(name, passed);
        return "";
      }
      const text = this.#sources.text(argument, scope);
      return `const ${declare(inner, name)} = ${text};`;
    });
    return `{\n${lines.join("\n")}${this.#statements(node.body?.body ?? [], inner)}\n}`;
  }
}

/** True for a function that makes no sense as one: it takes an array, or numbers to know. */
function isMacro(module: Module, node: FunctionNode): boolean {
  return node.params.some((parameter) => {
    const annotation = "typeAnnotation" in parameter ? parameter.typeAnnotation : undefined;
    return annotation ? ARRAY.test(textOf(module, annotation.typeAnnotation)) : false;
  });
}
