/** Types of the contract ABI (Solidity's contract ABI specification, "Formal Specification of the Encoding"). */

/** A parameter of an ABI in JSON. */
export interface AbiParameter {
  readonly name?: string | undefined;
  readonly type: string;
  /** Members of a tuple. */
  readonly components?: readonly AbiParameter[] | undefined;
}

/** Bytes of a word of the encoding. */
export const ABI_WORD = 32;

/** The element type of an array. */
export interface AbiElements<Parameter> {
  readonly element: Parameter;
  /** Length of a fixed array; undefined for a dynamic one. */
  readonly count: number | undefined;
}

/** Returns the type in a signature; a tuple becomes the list of its members. */
export function canonicalType({ type, components }: AbiParameter): string {
  return type.replace(/^tuple/, () => `(${(components ?? []).map(canonicalType).join(",")})`);
}

/** Returns the elements of an array type; undefined for any other type. */
export function elementsOf<Parameter extends AbiParameter>(
  parameter: Parameter,
): AbiElements<Parameter> | undefined {
  const [, type, count] = /^(.*)\[(\d*)\]$/.exec(parameter.type) ?? [];
  if (type === undefined) return undefined;
  return { element: { ...parameter, type }, count: count === "" ? undefined : Number(count) };
}

/** Returns true for a type whose values stand behind the head, at an offset. */
export function isDynamic(parameter: AbiParameter): boolean {
  const list = elementsOf(parameter);
  if (list !== undefined) return list.count === undefined || isDynamic(list.element);
  if (parameter.type === "tuple") return (parameter.components ?? []).some(isDynamic);
  return parameter.type === "string" || parameter.type === "bytes";
}

/** Returns the size of a value in the head, in bytes. */
export function headBytes(parameter: AbiParameter): number {
  if (isDynamic(parameter)) return ABI_WORD;
  const list = elementsOf(parameter);
  if (list !== undefined) return (list.count ?? 0) * headBytes(list.element);
  if (parameter.type !== "tuple") return ABI_WORD;
  return (parameter.components ?? []).reduce((sum, member) => sum + headBytes(member), 0);
}
