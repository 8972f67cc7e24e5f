/** What the traces of one answer share, made before its reading begins. */
import { loadSandboxes } from "../../evm/programs/sandbox.ts";
import type { CallContext } from "../../jsonrpc/method.ts";
import type { TraceConfig } from "../arguments/trace-config.ts";
import type { SharedTerms } from "./trace-transaction.ts";
import { isNamedTracer } from "./tracers.ts";
import type { TraceProfile } from "./tracing.ts";

/** Whom traces are made for. */
export interface AnswerParts {
  /** Of the answer. */
  readonly maxBytes: number;
  readonly profile: TraceProfile;
}

/** Loads an engine for callers' programs where one is asked for and the interface runs them. */
export async function sharedTerms(
  { maxBytes, profile }: AnswerParts,
  config: TraceConfig,
  { refusesPrograms = false }: CallContext,
): Promise<SharedTerms> {
  const { tracer } = config;
  const isProgram = tracer !== undefined && !isNamedTracer(tracer);
  const sandboxes = isProgram && !refusesPrograms ? await loadSandboxes() : undefined;
  return { config, profile, budget: { maxBytes, used: 0 }, sandboxes };
}
