/** How rows of the table of absent flags are made: what becomes of a flag that only the Go nodes have. */

/** A flag that the Go nodes have and knit does not. */
export interface AbsentFlag {
  /** Taken with a warning, or the end of the start. */
  readonly verdict: "idle" | "refused";
  readonly why: string;
  readonly isSwitch: boolean;
  /** The value that says what knit does anyway, whatever its case; nothing is said of it. */
  readonly harmless: string | undefined;
  /** Other names, as in the Go node's settings file. */
  readonly aliases: readonly string[];
}

type Shape = Pick<AbsentFlag, "isSwitch" | "harmless" | "aliases">;

/** A switch, and its other names. */
export function switched(...aliases: string[]): Shape {
  return { isSwitch: true, harmless: "false", aliases };
}

/** A flag with a value, and its other names. */
export function valued(...aliases: string[]): Shape {
  return { isSwitch: false, harmless: "", aliases };
}

/** A flag of which one value is what knit does. */
export function harmless(value: string, ...aliases: string[]): Shape {
  return { isSwitch: false, harmless: value, aliases };
}

/** Flags that are taken and change nothing. */
export function idle<Name extends string>(why: string, shapes: Record<Name, Shape>) {
  return judged("idle", why, shapes);
}

/** Flags whose meaning a node cannot do without: nothing starts with one. */
export function refused<Name extends string>(why: string, shapes: Record<Name, Shape>) {
  return judged("refused", why, shapes);
}

function judged<Name extends string>(
  verdict: AbsentFlag["verdict"],
  why: string,
  shapes: Record<Name, Shape>,
): Record<Name, AbsentFlag> {
  const entries = Object.entries<Shape>(shapes).map(([name, shape]) => [name, { ...shape, verdict, why }]);
  return Object.fromEntries(entries) as Record<Name, AbsentFlag>; // the names that came in
}
