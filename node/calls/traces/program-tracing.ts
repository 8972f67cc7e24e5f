/** Traces by a JavaScript program of the caller. */
import { createProgramTracer } from "../../evm/programs/program-tracer.ts";
import { failure } from "../../jsonrpc/errors.ts";
import { jsonFault } from "../../jsonrpc/json-scanner.ts";
import { addToBudget } from "./trace-limits.ts";
import type { Tracing, TracingDeps } from "./tracing.ts";

/** Starts a program on one transaction. Throws `RpcError` or `ProgramError`. */
export function programTracing(deps: TracingDeps): Tracing {
  const { sandboxes, world, subject, name: code, endsAt, block, traceForm, budget } = deps;
  if (sandboxes === undefined) throw failure("Only predefined tracers are supported");
  const program = createProgramTracer(sandboxes, { code, world, endsAt });
  const { from, value, input, gasLimit, price: gasPrice } = subject;
  const frameless = traceForm.framelessPrograms ? { from, to: from, value, gas: gasLimit, input } : undefined;
  return {
    tracer: program.tracer,
    result: ({ gasUsed }) => {
      const json = program.result({ gasLimit, gasUsed, gasPrice, block, frameless });
      addToBudget(budget, json.length);
      return parseResult(json);
    },
    end: () => program[Symbol.dispose](),
  };
}

/** Maximum depth of a result, that of the Go node's JavaScript engine. */
const MAX_DEPTH = 1000;

function parseResult(json: string): unknown {
  const fault = jsonFault(json);
  if (fault !== undefined) {
    throw failure(`json: error calling MarshalJSON for type json.RawMessage: ${fault}`);
  }
  if (nestingOf(json) > MAX_DEPTH) {
    throw failure("RangeError: json encode recursion limit    in server-side tracer function 'result'");
  }
  return JSON.parse(json);
}

/** Returns the maximum nesting of brackets outside strings. */
function nestingOf(json: string): number {
  let [depth, most] = [0, 0];
  for (const [token] of json.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}]/g)) {
    if (token === "[" || token === "{") most = Math.max(most, ++depth);
    if (token === "]" || token === "}") depth--;
  }
  return most;
}
