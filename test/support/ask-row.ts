/** Calls of single methods in tests. */
import type { CallContext, Method } from "../../node/jsonrpc/method.ts";
import { withCheckedAnswer } from "./answer-schemas.ts";

const CONTEXT: CallContext = { signal: new AbortController().signal, modules: [], document: () => "" };

/**
 * Calls one of these methods by its name: its result, read as JSON. Rejects as the method does, and when the result does
 * not keep to the method's schema.
 */
export async function askRow(
  rows: readonly Method[],
  name: string,
  ...params: readonly unknown[]
): Promise<unknown> {
  const row = rows.find((each) => each.name === name);
  if (row === undefined) throw new Error(`there is no ${name} among these methods`);
  return JSON.parse(await withCheckedAnswer(row).invoke(params, CONTEXT));
}
