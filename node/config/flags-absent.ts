/**
 * The table of absent flags: what the Go nodes have and knit does not. Each is taken with a warning or refused with
 * the reason, wherever it is set.
 */
import { absentDatabases } from "./flags-absent-database.ts";
import { absentOfMaker } from "./flags-absent-maker.ts";
import { absentOfNode } from "./flags-absent-node.ts";
import type { AbsentFlag } from "./flags-absent-rows.ts";
import { absentServices } from "./flags-absent-services.ts";
import { DATA, type FlagCommand } from "./flags-rows.ts";

const table = { ...absentOfNode, ...absentDatabases, ...absentServices, ...absentOfMaker };

/** The name of an absent flag. */
export type AbsentName = keyof typeof table;

/** All absent flags by name. */
export const absentFlags: Readonly<Record<AbsentName, AbsentFlag>> = table;

/** Their names in table order. */
export const absentNames = Object.keys(table) as readonly AbsentName[]; // the keys of the table above

const byName = new Map(
  absentNames.flatMap((name) => [name, ...absentFlags[name].aliases].map((each) => [each, name])),
);

/** The absent flag called `name`, or by one of its other names. */
export function findAbsent(name: string): AbsentName | undefined {
  return byName.get(name);
}

/** True for commands that look at absent flags: those of a node, of a boot node and of the network maker. */
export function judgesAbsent(command: FlagCommand): boolean {
  return command === "bootnode" || command === "genesis" || DATA.includes(command);
}
