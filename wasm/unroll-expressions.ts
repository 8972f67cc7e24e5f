/**
 * Expressions of functions that `unroll.ts` writes out: their values as far as they are known, and their text with what
 * is known in its place; names and modules.
 */
import { dirname, join } from "node:path/posix";
import { parseAst } from "rolldown/parseAst";

/** Reads a source by its path; undefined when there is none. */
export type ReadSource = (path: string) => string | undefined;

type Program = ReturnType<typeof parseAst>;
/** A statement of a source, one of a kind, and a function. */
export type Statement = Program["body"][number];
export type Of<T extends string> = Extract<Statement, { readonly type: T }>;
export type Expression = Of<"ExpressionStatement">["expression"];
export type FunctionNode = Extract<Statement, { readonly generator: boolean }>;
/** A value that is known before the program runs. */
export type Known = number | boolean | readonly Known[];

/** A name of a function: a known value, an array of locals, or a local. */
export type Binding =
  | { readonly kind: "known"; value: Known }
  | { readonly kind: "locals" | "local"; readonly name: string };

/** A source, and its tagged functions. */
export interface Module {
  readonly path: string;
  readonly text: string;
  readonly body: readonly Statement[];
  readonly tagged: ReadonlyMap<string, FunctionNode>;
}

/** Names within a block. */
export interface Scope {
  readonly module: Module;
  readonly bindings: Map<string, Binding>;
  readonly outer: Scope | undefined;
  /** Number of declarations of a name in the function that is written. */
  readonly taken: Map<string, number>;
}

const TAG = /\/\*\*(?:(?!\*\/)[^])*@unroll(?:(?!\*\/)[^])*\*\/\s*$/;

/** The sources of a kernel, parsed once. */
export class Sources {
  readonly #read: ReadSource;
  readonly #modules = new Map<string, Module>();

  constructor(read: ReadSource) {
    this.#read = read;
  }

  /** Throws `Error` when there is none. */
  moduleAt(path: string): Module {
    const found = this.#modules.get(path);
    if (found !== undefined) return found;
    const text = this.#read(path);
    if (text === undefined) throw new Error(`there is no source ${path}`);
    const { body } = parseAst(text, { lang: "ts" }, path);
    const tagged = new Map<string, FunctionNode>();
    for (const statement of body) {
      const node = statement.type === "ExportNamedDeclaration" ? statement.declaration : statement;
      if (node?.type !== "FunctionDeclaration" || !TAG.test(text.slice(0, statement.start))) continue;
      tagged.set(node.id?.name ?? "", node);
    }
    const module = { path, text, body, tagged };
    this.#modules.set(path, module);
    return module;
  }

  /** An expression with what is known in its place; every other part as it is written. */
  text(node: Expression, scope: Scope): string {
    const known = this.known(node, scope);
    if (typeof known === "number" || typeof known === "boolean") return `${known}`.replace(/^-.*/, "($&)");
    if (node.type === "ConditionalExpression") {
      const decided = this.known(node.test, scope);
      if (decided !== undefined) return this.text(decided ? node.consequent : node.alternate, scope);
    }
    if (node.type === "Identifier") return find(scope, node.name)?.name ?? node.name;
    if (node.type === "MemberExpression" && node.computed) {
      const index = this.known(node.property, scope);
      const array = node.object.type === "Identifier" ? find(scope, node.object.name) : undefined;
      if (array?.kind !== "locals" || typeof index !== "number")
        throw new Error(`${scope.module.path}: an element that is not known: ${textOf(scope.module, node)}`);
      return `${array.name}${index}`;
    }
    return this.#around(node, scope);
  }

  #around(node: Expression, scope: Scope): string {
    let out = "";
    let from = node.start;
    for (const child of childrenOf(node)) {
      out += scope.module.text.slice(from, child.start) + this.text(child, scope);
      from = child.end;
    }
    return out + scope.module.text.slice(from, node.end);
  }

  known(node: Expression, scope: Scope): Known | undefined {
    switch (node.type) {
      case "Literal":
        if (typeof node.value === "boolean") return node.value;
        return Number.isSafeInteger(node.value) ? (node.value as number) : undefined;
      case "Identifier": {
        const binding = find(scope, node.name);
        if (binding !== undefined) return binding.kind === "known" ? binding.value : undefined;
        return this.#constant(scope.module, node.name);
      }
      case "ParenthesizedExpression":
        return this.known(node.expression, scope);
      case "ArrayExpression": {
        const values = node.elements.map((element) => this.known(element as Expression, scope));
        return values.includes(undefined) ? undefined : (values as Known[]);
      }
      case "UnaryExpression": {
        const value = this.known(node.argument, scope);
        if (node.operator === "!" && typeof value === "boolean") return !value;
        return node.operator === "-" && typeof value === "number" ? -value : undefined;
      }
      case "ConditionalExpression": {
        const test = this.known(node.test, scope);
        return test === undefined ? undefined : this.known(test ? node.consequent : node.alternate, scope);
      }
      case "MemberExpression": {
        const array = node.computed ? this.known(node.object, scope) : undefined;
        const index = node.computed ? this.known(node.property, scope) : undefined;
        return Array.isArray(array) && typeof index === "number" ? (array[index] as Known) : undefined;
      }
      case "BinaryExpression":
      case "LogicalExpression":
        return fold(node.operator, this.known(node.left as Expression, scope), this.known(node.right, scope));
      default:
        return undefined;
    }
  }

  /** A constant of a module or of one that it imports. */
  #constant(module: Module, name: string): Known | undefined {
    for (const statement of module.body) {
      const node = statement.type === "ExportNamedDeclaration" ? statement.declaration : statement;
      if (node?.type === "VariableDeclaration" && node.kind === "const") {
        const found = node.declarations.find(({ id }) => nameOf(id) === name);
        const scope: Scope = { module, bindings: new Map(), outer: undefined, taken: new Map() };
        if (found?.init) return this.known(found.init, scope);
      }
      if (node?.type === "ExportAllDeclaration") {
        const value = this.#constant(this.#imported(module, node.source.value), name);
        if (value !== undefined) return value;
      }
      if (node?.type !== "ImportDeclaration") continue;
      const imported = node.specifiers.find(({ local }) => local.name === name);
      if (imported?.type !== "ImportSpecifier") continue;
      return this.#constant(this.#imported(module, node.source.value), nameOf(imported.imported));
    }
    return undefined;
  }

  #imported(module: Module, path: string): Module {
    return this.moduleAt(`${join(dirname(module.path), path)}.ts`);
  }
}

function fold(operator: string, left: Known | undefined, right: Known | undefined): Known | undefined {
  if (operator === "&&" && left === false) return false;
  if (operator === "||" && left === true) return true;
  if (typeof left === "boolean" && typeof right === "boolean")
    return operator === "&&" ? left && right : left || right;
  if (typeof left !== "number" || typeof right !== "number") return undefined;
  const value = FOLDS[operator]?.(left, right);
  return typeof value === "boolean" || Number.isSafeInteger(value) ? value : undefined;
}

const FOLDS: Readonly<Record<string, (a: number, b: number) => Known>> = {
  "+": (a, b) => a + b,
  "-": (a, b) => a - b,
  "*": (a, b) => a * b,
  "/": (a, b) => Math.trunc(a / b),
  "%": (a, b) => a % b,
  "**": (a, b) => a ** b,
  ">>": (a, b) => Math.floor(a / 2 ** b),
  "<<": (a, b) => a * 2 ** b,
  "&": (a, b) => Number(BigInt(a) & BigInt(b)),
  "<": (a, b) => a < b,
  "<=": (a, b) => a <= b,
  ">": (a, b) => a > b,
  ">=": (a, b) => a >= b,
  "===": (a, b) => a === b,
  "!==": (a, b) => a !== b,
};

export function within(outer: Scope): Scope {
  return { module: outer.module, bindings: new Map(), outer, taken: outer.taken };
}

/** Gives a name of its own to what is declared. */
export function declare(scope: Scope, name: string, kind: "local" | "locals" = "local"): string {
  const count = scope.taken.get(name) ?? 0;
  scope.taken.set(name, count + 1);
  const own = count === 0 && kind === "local" ? name : `${name}_${count}_`;
  scope.bindings.set(name, { kind, name: own });
  return own;
}

export function find(
  scope: Scope | undefined,
  name: string,
): (Binding & { readonly name?: string }) | undefined {
  return scope && (scope.bindings.get(name) ?? find(scope.outer, name));
}

export function nameOf(node: object): string {
  return "name" in node && typeof node.name === "string" ? node.name : "";
}

export function textOf(
  { text }: Module,
  { start, end }: { readonly start: number; readonly end: number },
): string {
  return text.slice(start, end);
}

/** The expressions of which a node is made, in their order. */
function childrenOf(node: Expression): Expression[] {
  switch (node.type) {
    case "CallExpression":
      return node.arguments as Expression[];
    case "BinaryExpression":
    case "LogicalExpression":
    case "AssignmentExpression":
      return [node.left as Expression, node.right];
    case "ConditionalExpression":
      return [node.test, node.consequent, node.alternate];
    case "UnaryExpression":
    case "UpdateExpression":
      return [node.argument];
    case "ParenthesizedExpression":
    case "TSTypeAssertion":
    case "TSAsExpression":
      return [node.expression];
    case "Identifier":
    case "Literal":
    case "MemberExpression":
      return [];
    default:
      throw new Error(`${node.type} in a function that is unrolled`);
  }
}
