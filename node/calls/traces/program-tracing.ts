/** Traces that a caller's own program makes (rpc.md 2.8.3). */
import { createProgramTracer } from "../../evm/programs/program-tracer.ts";
import { failure } from "../../jsonrpc/errors.ts";
import { jsonFault } from "../../jsonrpc/json-scanner.ts";
import { taken } from "./trace-limits.ts";
import type { Tracing, TracingParts } from "./tracing.ts";

/** Starts a program on one transaction. Throws `RpcError` and `ProgramError`. */
export function programTracing(parts: TracingParts): Tracing {
  const { sandboxes, world, subject, name: code, endsAt, block, profile, budget } = parts;
  if (sandboxes === undefined) throw failure("Only predefined tracers are supported");
  const program = createProgramTracer(sandboxes, { code, world, endsAt });
  const { from, value, input, gasLimit, price: gasPrice } = subject;
  const frameless = profile.olderTraces ? undefined : { from, to: from, value, gas: gasLimit, input };
  return {
    tracer: program.tracer,
    result: ({ gasUsed }) => {
      const json = program.result({ gasLimit, gasUsed, gasPrice, block, frameless });
      taken(budget, json.length);
      return parsed(json);
    },
    end: () => program[Symbol.dispose](),
  };
}

/** How deep the Go node's engine writes. */
const MAX_DEPTH = 1000;

function parsed(json: string): unknown {
  const fault = jsonFault(json);
  if (fault !== undefined) {
    throw failure(`json: error calling MarshalJSON for type json.RawMessage: ${fault}`);
  }
  if (depthOf(json) > MAX_DEPTH) {
    throw failure("RangeError: json encode recursion limit    in server-side tracer function 'result'");
  }
  return JSON.parse(json);
}

/** How many brackets are open at once, at most, outside texts. */
function depthOf(json: string): number {
  let [depth, most] = [0, 0];
  for (const [token] of json.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}]/g)) {
    if (token === "[" || token === "{") most = Math.max(most, ++depth);
    if (token === "]" || token === "}") depth--;
  }
  return most;
}
